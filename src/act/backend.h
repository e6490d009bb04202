/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* A way to change the system, as a table of functions: systemd's manager, the cgroups' files, whichever of the two owns
 * a cgroup, or one that only notes (dry). Used through the executor, which keeps the ledger in step. */

#include "act/reader.h"
#include "model/facts.h"

typedef struct Backend Backend;

typedef struct BackendVTable {
        const char *name; /* "systemd", "cgroup", "owner", "dry" */
        void (*free)(Backend *b);
        /* Reads what must be known of a target before it is changed. -ENOENT: it is gone. -errno. */
        int (*inspect)(Backend *b, const char *path, Facts *ret);
        /* Completes *change (arm, target, unit, invocation, from and to are set) with what undoing will need:
         * cgroup_id, file_from, drop-ins, and for a pin effective_from and masks. -ESTALE: the property is not
         * change->from any more, or the unit has another cgroup; -ENOENT: gone; -EOPNOTSUPP:
         * it can't be had here; -errno. *ret_why may be set. Writes nothing. */
        int (*prepare)(Backend *b, Change *change, char **ret_why);
        /* Before the next step of a ramp: -ESTALE where the value is not change->to any more, or the unit has another
         * cgroup; -ENOENT: gone; -errno. Writes nothing. */
        int (*check)(Backend *b, const Change *change);
        /* Sets change->to, and reads back property, file, and for a pin the effective set and the threads' masks.
         * -ENODATA: accepted, but without effect or with one on somebody else (*ret_why says what reads back);
         * -errno (*ret_why may be set). On any error the executor calls undo(). */
        int (*apply)(Backend *b, const Change *change, char **ret_why);
        /* Puts back what change->from says, only where the value is still change->to or change->former (else -ESTALE,
         * nothing written; -ENOENT: the unit is gone, nothing to put back). A value that is change->from already counts
         * as ours: that is an undo half done. `resumed`: an earlier undo of this change was begun, so its intermediate
         * value counts as ours too. *ret_residue: what could not be put back, or NULL. */
        int (*undo)(Backend *b, const Change *change, bool resumed, char **ret_residue);
        /* Ends a batch of undo(): own empty drop-ins removed, one Reload. -errno: call undo() and flush() again. */
        int (*flush)(Backend *b);
        /* What undo() of this change could not put back and is still so; NULL: nothing (any more). Cheap, asks nobody
         * on the bus. */
        int (*residue)(Backend *b, const Change *change, char **ret_residue);
        /* Is the value still change->to, or change->former? *ret_ours; -ENOENT: gone. Reads cgroup files, asks nobody
         * on the bus. */
        int (*verify)(Backend *b, const Change *change, bool *ret_ours);
} BackendVTable;

struct Backend {
        const BackendVTable *vtable;
};

static inline Backend *backend_free(Backend *b) {
        if (b)
                b->vtable->free(b);
        return NULL;
}
DEFINE_CLEANUP_FUNC(Backend *, backend_free);

/* Only notes: every change "succeeds", nothing is written, nobody is asked. inspect() takes the cgroup's files for the
 * properties, and the last part of the path as the unit where it looks like one: good for replay and --dry-run. */
int dry_backend_new(const ActReader *reader, Backend **ret);

/* The one for a live machine: the system manager for what is its own, the cgroup's files (act/cgroup-backend.h) for
 * what it leaves alone. See the next for the parameters. */
int owner_backend_new(int root_fd, const ActReader *reader, Backend **ret);

/* The system manager, over D-Bus (or its private socket where no bus runs, for root). The connection is opened when it
 * is first needed, so that a daemon that changes nothing asks nobody; calls wait at most 5 s, a Reload 20 s.
 * `root_fd`: "/", below which the drop-ins in run/systemd are cleaned up (duplicated). */
int systemd_backend_new(int root_fd, const ActReader *reader, Backend **ret);
