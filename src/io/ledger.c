/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What we changed, on disk. The file is small and rarely written, so each edit writes all of it anew; a reader (the
 * next placerd, after a kill) sees the state before or after the edit. The boot id inside tells a ledger that outlived
 * its boot, in a runtime directory that is no tmpfs: nothing that it tells of is in force any more.
 *
 *   {"placerd-ledger": 1, "boot_id": "...", "next_serial": 3, "changes": [...]}
 *
 * A higher version than ours is not guessed at: the file is moved aside for a person to look at. */

#include "io/ledger.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "io/file.h"
#include "io/ledger-format.h"

#define LEDGER_VERSION 1

struct Ledger {
        int dirfd; /* negative: in memory only */
        char *name, *boot_id;
        Change **changes; /* one allocation each: their addresses are handed out */
        size_t n_changes, allocated;
        uint64_t next_serial;
        bool bad;
};

static Change *change_free(Change *c) {
        if (c) {
                change_done(c);
                free(c);
        }
        return NULL;
}

static void ledger_clear(Ledger *l) {
        for (size_t i = 0; i < l->n_changes; i++)
                change_free(l->changes[i]);
        l->n_changes = 0;
}

Ledger *ledger_free(Ledger *l) {
        if (!l)
                return NULL;
        ledger_clear(l);
        free(l->changes);
        closep(&l->dirfd);
        free(l->name);
        free(l->boot_id);
        free(l);
        return NULL;
}

bool ledger_was_bad(const Ledger *l) {
        return l->bad;
}

static json_t *ledger_to_json(const Ledger *l) {
        json_auto_t *changes = json_array();

        for (size_t i = 0; i < l->n_changes; i++)
                if (json_array_append_new(changes, change_to_json(l->changes[i])) < 0)
                        return NULL;
        return json_pack("{s:i, s:s, s:I, s:O}", "placerd-ledger", LEDGER_VERSION, "boot_id", l->boot_id, "next_serial",
                         (json_int_t) l->next_serial, "changes", changes);
}

static int ledger_write(Ledger *l) {
        if (l->dirfd < 0)
                return 0;
        json_auto_t *json = ledger_to_json(l);
        if (!json)
                return -ENOMEM;
        _cleanup_free_ char *text = json_dumps(json, JSON_COMPACT);
        if (!text)
                return -ENOMEM;
        size_t len = strlen(text);
        if (len > FILE_SIZE_MAX)
                return -EFBIG;
        return file_replace(l->dirfd, l->name, text, len);
}

static int ledger_append(Ledger *l, Change *c) {
        int r = ARRAY_RESERVE(l->changes, l->allocated, l->n_changes + 1);
        if (r < 0)
                return r;
        Change *copy = malloc(sizeof(*copy));
        if (!copy)
                return -ENOMEM;
        *copy = *c;
        *c = (Change){};
        l->changes[l->n_changes++] = copy;
        return 0;
}

static bool ledger_has(const Ledger *l, uint64_t serial) {
        for (size_t i = 0; i < l->n_changes; i++)
                if (l->changes[i]->serial == serial)
                        return true;
        return false;
}

static int ledger_take_changes(Ledger *l, const json_t *changes) {
        const json_t *json;
        size_t i;

        json_array_foreach(changes, i, json) {
                Change c = {};
                int r = change_from_json(json, &c);
                if (r < 0)
                        return r;
                r = c.serial >= l->next_serial || ledger_has(l, c.serial) ? -EBADMSG : ledger_append(l, &c);
                if (r < 0) {
                        change_done(&c);
                        return r;
                }
        }
        return 0;
}

/* -EBADMSG: not a ledger that we understand. */
static int ledger_parse(Ledger *l, const char *text, size_t len) {
        json_auto_t *json = json_loadb(text, len, JSON_REJECT_DUPLICATES, NULL);

        const json_t *boot_id = json_object_get(json, "boot_id");
        const json_t *serial = json_object_get(json, "next_serial"), *changes = json_object_get(json, "changes");
        if (json_integer_value(json_object_get(json, "placerd-ledger")) != LEDGER_VERSION || !json_is_string(boot_id) ||
            !json_is_integer(serial) || !json_is_array(changes))
                return -EBADMSG;
        if (!streq(json_string_value(boot_id), l->boot_id))
                return 0;
        l->next_serial = (uint64_t) json_integer_value(serial);
        return ledger_take_changes(l, changes);
}

static int ledger_move_aside(Ledger *l) {
        _cleanup_free_ char *bad = NULL;

        ledger_clear(l);
        l->next_serial = 1;
        l->bad = true;
        if (asprintf(&bad, "%s.bad", l->name) < 0)
                return -ENOMEM;
        return renameat(l->dirfd, l->name, l->dirfd, bad) < 0 ? -errno : 0;
}

static int ledger_read(Ledger *l) {
        _cleanup_filebuf_ FileBuf buf = {};

        int r = file_read(l->dirfd, l->name, &buf);
        if (r == -ENOENT)
                return 0;
        if (r == -EFBIG)
                return ledger_move_aside(l);
        if (r < 0)
                return r;
        r = ledger_parse(l, buf.text, buf.len);
        return r == -EBADMSG ? ledger_move_aside(l) : r;
}

int ledger_new_memory(Ledger **ret) {
        Ledger *l = malloc(sizeof(*l));

        if (!l)
                return -ENOMEM;
        *l = (Ledger){.dirfd = -1, .next_serial = 1};
        *ret = l;
        return 0;
}

int ledger_open(int dirfd, const char *name, const char *boot_id, Ledger **ret) {
        _cleanup_(ledger_freep) Ledger *l = NULL;

        int r = ledger_new_memory(&l);
        if (r < 0)
                return r;
        l->name = strdup(name);
        l->boot_id = strdup(boot_id);
        if (!l->name || !l->boot_id)
                return -ENOMEM;
        l->dirfd = fcntl(dirfd, F_DUPFD_CLOEXEC, 3);
        if (l->dirfd < 0)
                return -errno;
        r = ledger_read(l);
        if (r < 0)
                return r;
        *ret = TAKE_PTR(l);
        return 0;
}

size_t ledger_size(const Ledger *l) {
        return l->n_changes;
}

const Change *ledger_at(const Ledger *l, size_t i) {
        assert(i < l->n_changes);
        return l->changes[i];
}

const Change *ledger_find(const Ledger *l, const char *target, Arm arm) {
        for (size_t i = l->n_changes; i > 0; i--)
                if (l->changes[i - 1]->arm == arm && streq(l->changes[i - 1]->target, target))
                        return l->changes[i - 1];
        return NULL;
}

int ledger_add(Ledger *l, Change *c, uint64_t *ret_serial) {
        assert(c->target && c->to);

        int r = ledger_append(l, c);
        if (r < 0)
                return r;
        Change *added = l->changes[l->n_changes - 1];
        added->serial = l->next_serial++;
        r = ledger_write(l);
        if (r < 0) {
                *c = *added;
                free(added);
                l->n_changes--;
                return r;
        }
        *ret_serial = added->serial;
        return 0;
}

static Change *ledger_get(Ledger *l, uint64_t serial) {
        for (size_t i = 0; i < l->n_changes; i++)
                if (l->changes[i]->serial == serial)
                        return l->changes[i];
        return NULL;
}

int ledger_set_kept(Ledger *l, uint64_t serial, bool kept) {
        Change *c = ledger_get(l, serial);

        if (!c)
                return -ENOENT;
        c->kept = kept;
        return ledger_write(l);
}

int ledger_set_residue(Ledger *l, uint64_t serial, const char *residue) {
        Change *c = ledger_get(l, serial);

        if (!c)
                return -ENOENT;
        char *copy = residue ? strdup(residue) : NULL;
        if (residue && !copy)
                return -ENOMEM;
        free(c->residue);
        c->residue = copy;
        return ledger_write(l);
}

int ledger_set_to(Ledger *l, uint64_t serial, const char *to, const char *former) {
        Change *c = ledger_get(l, serial);

        if (!c)
                return -ENOENT;
        char *to_copy = strdup(to), *former_copy = former ? strdup(former) : NULL;
        if (!to_copy || (former && !former_copy)) {
                free(to_copy);
                free(former_copy);
                return -ENOMEM;
        }
        free(c->to);
        free(c->former);
        c->to = to_copy;
        c->former = former_copy;
        return ledger_write(l);
}

int ledger_remove(Ledger *l, uint64_t serial) {
        for (size_t i = 0; i < l->n_changes; i++) {
                if (l->changes[i]->serial != serial)
                        continue;
                change_free(l->changes[i]);
                l->n_changes--;
                memmove(&l->changes[i], &l->changes[i + 1], (l->n_changes - i) * sizeof(*l->changes));
                return ledger_write(l);
        }
        return -ENOENT;
}
