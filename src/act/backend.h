/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* A way to change the system, as a table of functions: systemd's manager, or one that only notes (dry). */

#include "model/facts.h"

typedef struct Backend Backend;

typedef struct BackendVTable {
        const char *name; /* "systemd", "dry" */
        void (*free)(Backend *b);
        /* Reads what must be known of a target before it is changed. -ENOENT: it is gone. -errno. */
        int (*inspect)(Backend *b, const char *path, Facts *ret);
        /* Sets the property of plan->unit, and reads back property, effective set and a thread's mask.
         * -ENODATA: accepted, but without effect (*ret_why says what reads back); -errno. */
        int (*apply)(Backend *b, const Plan *plan, char **ret_why);
        /* Puts back what change->from says, only where the value is still change->to (else -ESTALE, nothing written;
         * -ENOENT: the unit is gone, nothing to put back). *ret_residue: what could not be put back, or NULL. */
        int (*undo)(Backend *b, const Change *change, char **ret_residue);
        /* Is the value still ours? *ret_ours; -ENOENT: gone. Reads cgroup files, asks nobody on the bus. */
        int (*verify)(Backend *b, const Change *change, bool *ret_ours);
        /* Ends a batch of undo(): own empty drop-ins removed, one Reload. */
        int (*flush)(Backend *b);
} BackendVTable;

struct Backend {
        const BackendVTable *vtable;
};
