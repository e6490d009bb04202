/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Keeps the ledger in step with the system: ledger first, then the change; undone first, then the ledger. */

#include "act/backend.h"
#include "io/ledger.h"

typedef struct Executor Executor;

/* Takes over both. `ledger` may be NULL (dry): changes are then kept in memory only. */
int executor_new(Backend *backend, Ledger *ledger, Executor **ret);
Executor *executor_free(Executor *e);
DEFINE_CLEANUP_FUNC(Executor *, executor_free);

int executor_inspect(Executor *e, const char *path, Facts *ret);

/* Writes `plan` into the ledger, applies it, reads back. Where that fails everything is as before, and *ret_refusal
 * says why. *ret_change: borrowed from the ledger, valid until it is undone. */
int executor_apply(Executor *e, const Plan *plan, const Facts *facts, const char *verdict, usec_t now_usec,
                   const Change **ret_change, Refusal *ret_refusal);

int executor_keep(Executor *e, const Change *change);

typedef enum UndoResult {
        UNDO_DONE,
        UNDO_RESIDUE,    /* done but for what change->residue names: it stays in the ledger until the unit ends */
        UNDO_OVERRIDDEN, /* somebody else's value stands there: left alone, forgotten */
        UNDO_GONE,       /* the unit is gone: nothing to undo */
        UNDO_FAILED,     /* stays in the ledger, to be tried again */
} UndoResult;

/* Without executor_flush() the clean-up of drop-ins is still to come. */
UndoResult executor_undo(Executor *e, const Change *change);
int executor_flush(Executor *e);

/* Undoes all (those with a residue included, once more). Returns the number that failed. */
unsigned executor_undo_all(Executor *e);

/* The change in force for this target, NULL where there is none. */
const Change *executor_find(const Executor *e, const char *path);
size_t executor_size(const Executor *e);
const Change *executor_at(const Executor *e, size_t i);

/* Is the value still ours? See BackendVTable.verify. */
int executor_verify(Executor *e, const Change *change, bool *ret_ours);

/* Lets go of a change without undoing it: somebody else's value stands there, or its cgroup is gone. */
int executor_forget(Executor *e, const Change *change);
