/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A weight reaches its cgroup as cpu.weight, and that is all of it. A pin reaches threads: below a slice with 0-3, 4-7
 * is accepted, written, and means 0-3; affinities may be lost by it; and cpuset.cpus may stay when it is undone. So the
 * pin has steps of its own here, and nobody else needs to ask which arm it is. */

#include "act/effect.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "act/affinity.h"
#include "act/cgroup-files.h"
#include "act/setting.h"
#include "base/cleanup.h"

typedef struct Effect {
        /* Each may be NULL: nothing to do. See effect.h. */
        int (*note)(const ActReader *reader, Change *change);
        int (*check)(const ActReader *reader, const Change *change, char **ret_why);
        int (*whole)(const ActReader *reader, const char *path, char **ret);
        const char *controller;
} Effect;

/* ---- the pin */

static int pin_note(const ActReader *reader, Change *change) {
        _cleanup_cpuset_ Cpuset *cpus = NULL;

        int r = cgroup_file_effective(reader, change->target, &cpus);
        if (r < 0 && r != -ENODATA)
                return r;
        if (r == 0) {
                change->effective_from = cpuset_format_list(cpus);
                if (!change->effective_from)
                        return -ENOMEM;
        }
        return affinity_note(reader, change);
}

static int pin_check_effective(const ActReader *reader, const char *path, const Cpuset *cpus, char **ret_why) {
        _cleanup_cpuset_ Cpuset *effective = NULL;

        int r = cgroup_file_cpus(reader, path, "cpuset.cpus.effective", &effective);
        if (r == -ENOENT)
                return asprintf(ret_why, "cpuset is not enforced at %s", path) < 0 ? -ENOMEM : -ENODATA;
        if (r < 0 || cpuset_equal(effective, cpus))
                return r;
        _cleanup_free_ char *is = cpuset_format_list(effective);
        return !is || asprintf(ret_why, "cpuset.cpus.effective reads %s", is) < 0 ? -ENOMEM : -ENODATA;
}

static int pin_check(const ActReader *reader, const Change *change, char **ret_why) {
        _cleanup_cpuset_ Cpuset *cpus = NULL;

        int r = cpuset_parse_list(change->to, strlen(change->to), &cpus);
        if (r == 0)
                r = pin_check_effective(reader, change->target, cpus, ret_why);
        return r == 0 ? affinity_compare(reader, change, cpus, ret_why) : r;
}

static int pin_whole(const ActReader *reader, const char *path, char **ret) {
        _cleanup_cpuset_ Cpuset *cpus = NULL;

        int r = cgroup_file_parent_effective(reader, path, &cpus);
        if (r < 0)
                return r == -ENODATA ? 0 : r;
        *ret = cpuset_format_list(cpus);
        return *ret ? 0 : -ENOMEM;
}

/* ---- the weight */

static int inspect_idle(const ActReader *reader, const char *path, Facts *facts) {
        _cleanup_filebuf_ FileBuf buf = {};

        int r = cgroup_file_read(reader, path, "cpu.idle", &buf);
        if (r < 0)
                return r == -ENOENT ? 0 : r;
        facts->weight_idle |= buf.len > 0 && buf.text[0] == '1';
        return 0;
}

/* cpu.idle outranks any weight, and setting one through systemd would end it. */
static int weight_note(const ActReader *reader, Change *change) {
        Facts facts = {};

        int r = inspect_idle(reader, change->target, &facts);
        return r == 0 && facts.weight_idle ? -EOPNOTSUPP : r;
}

static const Effect effects[_ARM_MAX] = {
        [ARM_WEIGHT] = {.note = weight_note, .controller = "cpu"},
        [ARM_PIN] = {.note = pin_note, .check = pin_check, .whole = pin_whole, .controller = "cpuset"},
};

static const Effect *effect_of(Arm arm) {
        assert(arm > ARM_NONE && arm < _ARM_MAX);
        return &effects[arm];
}

int effect_whole(const ActReader *reader, const char *path, Arm arm, char **ret) {
        *ret = NULL;
        return effect_of(arm)->whole ? effect_of(arm)->whole(reader, path, ret) : 0;
}

/* ---- before */

int effect_value(const ActReader *reader, const char *path, Arm arm, char **ret) {
        _cleanup_free_ char *is = NULL, *whole = NULL;

        int r = setting_of_file(reader, path, arm, &is);
        if (r == 0)
                r = effect_whole(reader, path, arm, &whole);
        if (r < 0)
                return r;
        if (setting_equal(is, setting_file_default(arm)) || setting_equal(is, whole))
                is[0] = '\0';
        *ret = TAKE_PTR(is);
        return 0;
}

int effect_inspect_files(const ActReader *reader, const char *path, Facts *facts) {
        int r = 0;

        for (Arm arm = ARM_NONE + 1; arm < _ARM_MAX && r == 0; arm++) {
                _cleanup_free_ char *value = NULL;
                r = effect_value(reader, path, arm, &value);
                if (r == 0 || r == -ENOENT)
                        r = setting_to_facts(arm, value, facts);
        }
        facts->property_known = r == 0;
        return r;
}

int effect_inspect(const ActReader *reader, const char *path, Facts *facts) {
        int r = inspect_idle(reader, path, facts);
        return r == 0 ? affinity_inspect(reader, path, facts) : r;
}

int effect_note(const ActReader *reader, Change *change) {
        int r = cgroup_file_id(reader, change->target, &change->cgroup_id);
        if (r < 0)
                return r;
        r = setting_of_file(reader, change->target, change->arm, &change->file_from);
        if (r < 0 && r != -ENOENT)
                return r;
        return effect_of(change->arm)->note ? effect_of(change->arm)->note(reader, change) : 0;
}

/* ---- in force */

static int check_file(const ActReader *reader, const Change *change, char **ret_why) {
        _cleanup_free_ char *is = NULL;
        const char *file = arm_file(change->arm);

        int r = setting_of_file(reader, change->target, change->arm, &is);
        if (r < 0 && r != -ENOENT)
                return r;
        if (r == 0 && setting_equal(is, change->to))
                return 0;
        if (r == 0)
                r = asprintf(ret_why, "%s reads %s", file, is[0] ? is : "empty");
        else
                r = asprintf(ret_why, "there is no %s at %s", file, change->target);
        return r < 0 ? -ENOMEM : -ENODATA;
}

int effect_check(const ActReader *reader, const Change *change, char **ret_why) {
        int r = check_file(reader, change, ret_why);
        return r == 0 && effect_of(change->arm)->check ? effect_of(change->arm)->check(reader, change, ret_why) : r;
}

static bool is_set_by_us(const Change *change, const char *value) {
        return setting_equal(value, change->to) || (change->former && setting_equal(value, change->former));
}

bool effect_is_ours(const Change *change, const char *value) {
        return is_set_by_us(change, value) || setting_equal(value, change->from);
}

int effect_verify(const ActReader *reader, const Change *change, bool *ret_ours) {
        _cleanup_free_ char *is = NULL;
        uint64_t id;

        int r = cgroup_file_id(reader, change->target, &id);
        if (r < 0)
                return r;
        r = setting_of_file(reader, change->target, change->arm, &is);
        if (r < 0 && r != -ENOENT)
                return r;
        *ret_ours = r == 0 && is_set_by_us(change, is);
        return 0;
}

/* ---- undone */

/* What the file holds because of us, though it did not before: also in a new cgroup, where the unit was restarted with
 * the property still set. A file that holds something else is somebody's. */
static int file_residue(const ActReader *reader, const Change *change, char **ret) {
        _cleanup_free_ char *is = NULL, *whole = NULL;

        int r = setting_of_file(reader, change->target, change->arm, &is);
        if (r == 0)
                r = effect_whole(reader, change->target, change->arm, &whole);
        if (r < 0)
                return r == -ENOENT ? 0 : r;
        if (setting_equal(is, setting_file_default(change->arm)) || setting_equal(is, change->file_from))
                return 0;
        if (!is_set_by_us(change, is) && !setting_equal(is, whole) && !setting_equal(is, change->effective_from))
                return 0;
        if (asprintf(ret, "%s of %s stays %s until it ends or the %s controller goes off", arm_file(change->arm),
                     change->target, is, effect_of(change->arm)->controller) < 0)
                return -ENOMEM;
        return 0;
}

int effect_residue(const ActReader *reader, const Change *change, bool write, char **ret_residue) {
        _cleanup_free_ char *file = NULL, *threads = NULL;

        int r = file_residue(reader, change, &file);
        if (r < 0)
                return r;
        /* Just looking, later: the threads are of interest only when the file is settled. */
        if (write || !file)
                r = affinity_restore(reader, change, write, &threads);
        if (r < 0 && r != -ENOENT)
                return r;
        if (file && threads)
                return asprintf(ret_residue, "%s; %s", file, threads) < 0 ? -ENOMEM : 0;
        *ret_residue = TAKE_PTR(file) ?: TAKE_PTR(threads);
        return 0;
}
