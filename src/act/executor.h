/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Keeps the ledger in step with the system: ledger first, then the change; undone first, then the ledger. */

#include "act/backend.h"
#include "io/ledger.h"

typedef struct Executor Executor;

/* Takes over both. `ledger` may be NULL (dry): changes are then kept in memory only. Touches nothing yet: see
 * executor_tidy(). */
int executor_new(Backend *backend, Ledger *ledger, Executor **ret);
Executor *executor_free(Executor *e);
DEFINE_CLEANUP_FUNC(Executor *, executor_free);

int executor_inspect(Executor *e, const char *path, Facts *ret);

/* Writes `plan` into the ledger, applies it, reads back. Where that fails (-errno) everything is as before, and
 * *ret_refusal says why. *ret_change: borrowed from the ledger, valid until it is undone and flushed. -EBUSY: there is
 * a change in force already. */
int executor_apply(Executor *e, const Plan *plan, const Facts *facts, const char *verdict, usec_t now_usec,
                   const Change **ret_change, Refusal *ret_refusal);

/* The next step of a ramp: of a change in force, `plan` has the new value. Ledger first: until it is read back, both
 * values count as ours. -ESTALE: somebody else has changed it, nothing was written. On any other error the whole change
 * was undone, as in executor_apply(). */
int executor_step(Executor *e, const Change *change, const Plan *plan, Refusal *ret_refusal);

int executor_keep(Executor *e, const Change *change);

typedef enum UndoResult {
        UNDO_DONE,
        UNDO_RESIDUE,    /* done but for what change->residue names: it stays in the ledger until that has gone */
        UNDO_OVERRIDDEN, /* somebody else's value stands there: left alone, forgotten */
        UNDO_GONE,       /* the unit is gone: nothing to undo (what outlives it, a drop-in, is removed) */
        UNDO_FAILED,     /* stays in the ledger, to be tried again */
} UndoResult;

/* executor_flush() must follow, once for a batch: it cleans up drop-ins and takes what is undone out of the ledger.
 * Until then executor_at() still shows it, executor_find() does not; undoing it again does nothing. So loop over a
 * fixed number of entries, not "while there are any". */
UndoResult executor_undo(Executor *e, const Change *change);
int executor_flush(Executor *e);

/* Undoes all (those with a residue included, once more) and flushes. Returns the number that failed. */
unsigned executor_undo_all(Executor *e);

/* The change of this target: the one in force (change->residue is NULL), else one whose undo failed, or that is undone
 * but for what change->residue names; NULL where there is none. A new executor_apply() for the target takes the place
 * of the last kind, and is refused over the second. */
const Change *executor_find(const Executor *e, const char *path);
/* Everything in the ledger, also what has a residue. */
size_t executor_size(const Executor *e);
const Change *executor_at(const Executor *e, size_t i);

/* Is the value still ours? See BackendVTable.verify. After -ENOENT (the cgroup is gone) call executor_undo() or
 * executor_forget(): a runtime drop-in outlives its unit, and would pin the next start. */
int executor_verify(Executor *e, const Change *change, bool *ret_ours);

/* Lets go of a change: somebody else's value stands there (it is left alone), or its cgroup is gone. What of ours is
 * still in systemd's books (the property, where only the cgroup file was overwritten; a drop-in that was overruled or
 * outlived its unit) is taken back all the same. Flushes. -EAGAIN: that failed, it stays in the ledger. */
int executor_forget(Executor *e, const Change *change);

/* Once a tick, after the rest: finishes undos that a kill or a failure left unfinished (at once the first time, then
 * at most once a minute), and forgets residues that have gone by themselves. Costs nothing where there are none. */
void executor_tidy(Executor *e, usec_t now_usec);
