/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A change to JSON and back, without loss: a text that is NULL is a member that is null, which "" is not. Threads with
 * the same affinity, nearly all of them, share one entry of "masks":
 *
 *   "masks": [{"cpus": "0-7", "threads": [[pid, tid, start_ticks], ...]}, ...]
 *
 * Reading is strict. A ledger that is understood by halves would undo by halves. */

#include "io/ledger-format.h"

#include <errno.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/numbers.h"

typedef enum TextNeed {
        NEED_TEXT,
        NEED_TEXT_OR_NULL,
        NEED_NOTHING, /* an older placerd did not write it */
} TextNeed;

/* The texts of a change, by their names in the file. */
static const struct {
        const char *name;
        size_t offset;
        TextNeed need;
} change_texts[] = {
        {"target", offsetof(Change, target), NEED_TEXT},
        {"unit", offsetof(Change, unit), NEED_TEXT_OR_NULL},
        {"invocation", offsetof(Change, invocation), NEED_TEXT_OR_NULL},
        {"from", offsetof(Change, from), NEED_TEXT_OR_NULL},
        {"former", offsetof(Change, former), NEED_NOTHING},
        {"to", offsetof(Change, to), NEED_TEXT},
        {"file_from", offsetof(Change, file_from), NEED_TEXT_OR_NULL},
        {"effective_from", offsetof(Change, effective_from), NEED_TEXT_OR_NULL},
        {"verdict", offsetof(Change, verdict), NEED_TEXT_OR_NULL},
        {"reason", offsetof(Change, reason), NEED_TEXT_OR_NULL},
        {"residue", offsetof(Change, residue), NEED_TEXT_OR_NULL},
};

static const struct {
        const char *name;
        size_t offset;
} change_numbers[] = {
        {"serial", offsetof(Change, serial)},
        {"cgroup_id", offsetof(Change, cgroup_id)},
        {"applied_usec", offsetof(Change, applied_usec)},
};

static const struct {
        const char *name;
        size_t offset;
} change_bools[] = {
        {"drop_in_existed", offsetof(Change, drop_in_existed)},
        {"drop_in_dir_existed", offsetof(Change, drop_in_dir_existed)},
        {"drop_in_place_existed", offsetof(Change, drop_in_place_existed)},
        {"kept", offsetof(Change, kept)},
};

#define MEMBER(type, c, off) ((type *) ((char *) (c) + (off)))
#define CONST_MEMBER(type, c, off) ((const type *) ((const char *) (c) + (off)))

/* The entry of `masks` for these CPUs, made where there is none. Newest first, since neighbours share it. */
static json_t *masks_group(json_t *masks, const char *cpus) {
        for (size_t i = json_array_size(masks); i > 0; i--) {
                json_t *group = json_array_get(masks, i - 1);
                if (streq(json_string_value(json_object_get(group, "cpus")), cpus))
                        return group;
        }
        json_t *group = json_pack("{s:s, s:[]}", "cpus", cpus, "threads");
        if (!group || json_array_append_new(masks, group) < 0)
                return NULL;
        return group;
}

static json_t *masks_to_json(const ThreadMask *masks, size_t n) {
        json_auto_t *json = json_array();

        for (size_t i = 0; i < n; i++) {
                _cleanup_free_ char *cpus = cpuset_format_list(masks[i].cpus);
                json_t *group = cpus ? masks_group(json, cpus) : NULL;
                json_t *thread = json_pack("[I, I, I]", (json_int_t) masks[i].pid, (json_int_t) masks[i].tid,
                                           (json_int_t) masks[i].start_ticks);
                if (!group) {
                        json_decref(thread);
                        return NULL;
                }
                if (json_array_append_new(json_object_get(group, "threads"), thread) < 0)
                        return NULL;
        }
        return TAKE_PTR(json);
}

json_t *change_to_json(const Change *c) {
        json_auto_t *json = json_object();
        int r = 0;

        for (size_t i = 0; i < ELEMENTSOF(change_numbers); i++)
                r |= json_object_set_new(
                        json, change_numbers[i].name,
                        json_integer((json_int_t) *CONST_MEMBER(uint64_t, c, change_numbers[i].offset)));
        r |= json_object_set_new(json, "arm", json_string(arm_name(c->arm)));
        for (size_t i = 0; i < ELEMENTSOF(change_texts); i++) {
                const char *text = *CONST_MEMBER(char *, c, change_texts[i].offset);
                r |= json_object_set_new(json, change_texts[i].name, text ? json_string(text) : json_null());
        }
        for (size_t i = 0; i < ELEMENTSOF(change_bools); i++)
                r |= json_object_set_new(json, change_bools[i].name,
                                         json_boolean(*CONST_MEMBER(bool, c, change_bools[i].offset)));
        r |= json_object_set_new(json, "masks", masks_to_json(c->masks, c->n_masks));
        return r == 0 ? TAKE_PTR(json) : NULL;
}

static int text_from_json(const json_t *json, TextNeed need, char **ret) {
        if ((need != NEED_TEXT && json_is_null(json)) || (need == NEED_NOTHING && !json))
                return 0;
        if (!json_is_string(json))
                return -EBADMSG;
        *ret = strdup(json_string_value(json));
        return *ret ? 0 : -ENOMEM;
}

static int arm_from_json(const json_t *json, Arm *ret) {
        if (!json_is_string(json))
                return -EBADMSG;
        for (Arm arm = ARM_NONE + 1; arm < _ARM_MAX; arm++)
                if (streq(arm_name(arm), json_string_value(json))) {
                        *ret = arm;
                        return 0;
                }
        return -EBADMSG;
}

static int thread_from_json(const json_t *json, const Cpuset *cpus, ThreadMask *ret) {
        const json_t *pid = json_array_get(json, 0), *tid = json_array_get(json, 1), *start = json_array_get(json, 2);

        if (!json_is_integer(pid) || !json_is_integer(tid) || !json_is_integer(start))
                return -EBADMSG;
        Cpuset *copy = cpuset_copy(cpus);
        if (!copy)
                return -ENOMEM;
        *ret = (ThreadMask){
                .pid = (pid_t) json_integer_value(pid),
                .tid = (pid_t) json_integer_value(tid),
                .start_ticks = (uint64_t) json_integer_value(start),
                .cpus = copy,
        };
        return 0;
}

static int group_from_json(const json_t *group, Change *c, size_t *allocated) {
        const json_t *text = json_object_get(group, "cpus"), *threads = json_object_get(group, "threads"), *thread;
        _cleanup_cpuset_ Cpuset *cpus = NULL;
        size_t i;

        if (!json_is_string(text) || !json_is_array(threads))
                return -EBADMSG;
        int r = cpuset_parse_list(json_string_value(text), json_string_length(text), &cpus);
        if (r < 0)
                return r == -ENOMEM ? r : -EBADMSG;
        r = ARRAY_RESERVE(c->masks, *allocated, c->n_masks + json_array_size(threads));
        if (r < 0)
                return r;
        json_array_foreach(threads, i, thread) {
                r = thread_from_json(thread, cpus, &c->masks[c->n_masks]);
                if (r < 0)
                        return r;
                c->n_masks++;
        }
        return 0;
}

static int masks_from_json(const json_t *json, Change *c) {
        const json_t *group;
        size_t allocated = 0, i;

        if (!json_is_array(json))
                return -EBADMSG;
        json_array_foreach(json, i, group) {
                int r = group_from_json(group, c, &allocated);
                if (r < 0)
                        return r;
        }
        return 0;
}

static int check_cpus(const char *text) {
        _cleanup_cpuset_ Cpuset *cpus = NULL;

        if (!text)
                return 0;
        int r = cpuset_parse_list(text, strlen(text), &cpus);
        return r < 0 && r != -ENOMEM ? -EBADMSG : r;
}

/* CPUWeight= and cpu.weight: 1 to 10000. */
static int check_weight(const char *text) {
        uint64_t weight;

        if (!text || !text[0])
                return 0;
        int r = number_parse_u64(text, strlen(text), &weight);
        return r < 0 || weight < 1 || weight > 10000 ? -EBADMSG : 0;
}

/* A value that cannot be read would be noticed only when the undo needs it. */
static int check_values(const Change *c) {
        int (*check)(const char *text) = c->arm == ARM_PIN ? check_cpus : check_weight;
        const char *const values[] = {c->from, c->former, c->to, c->file_from};

        int r = check_cpus(c->effective_from);
        for (size_t i = 0; i < ELEMENTSOF(values) && r == 0; i++)
                r = check(values[i]);
        return r;
}

static int change_fill(const json_t *json, Change *c) {
        int r;

        for (size_t i = 0; i < ELEMENTSOF(change_numbers); i++) {
                const json_t *number = json_object_get(json, change_numbers[i].name);
                if (!json_is_integer(number))
                        return -EBADMSG;
                *MEMBER(uint64_t, c, change_numbers[i].offset) = (uint64_t) json_integer_value(number);
        }
        r = arm_from_json(json_object_get(json, "arm"), &c->arm);
        if (r < 0)
                return r;
        for (size_t i = 0; i < ELEMENTSOF(change_texts); i++) {
                r = text_from_json(json_object_get(json, change_texts[i].name), change_texts[i].need,
                                   MEMBER(char *, c, change_texts[i].offset));
                if (r < 0)
                        return r;
        }
        for (size_t i = 0; i < ELEMENTSOF(change_bools); i++) {
                const json_t *value = json_object_get(json, change_bools[i].name);
                if (!json_is_boolean(value))
                        return -EBADMSG;
                *MEMBER(bool, c, change_bools[i].offset) = json_is_true(value);
        }
        r = check_values(c);
        return r == 0 ? masks_from_json(json_object_get(json, "masks"), c) : r;
}

int change_from_json(const json_t *json, Change *ret) {
        Change c = {};

        int r = change_fill(json, &c);
        if (r < 0) {
                change_done(&c);
                return r;
        }
        *ret = c;
        return 0;
}
