/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The order of things, so that a kill between any two steps leaves nothing behind:
 *
 *   apply   prepare (looks only) -> ledger: added -> backend: set, read back -> [refused: undo]
 *   step    check (looks only) -> ledger: old and new value are ours -> backend: set, read back -> ledger: only the new
 *   undo    ledger: marked "undo not finished" -> backend: put back -> flush: drop-ins, Reload -> ledger: removed
 *
 * An entry of the ledger is in one of these states; the mark is in its residue, which is on disk:
 *
 *   in force      no residue
 *   begun         residue starts with UNDO_BEGUN: the undo failed or was killed; still in force, tidy() tries again
 *   pending       undone, waits for the flush; only in memory (on disk it is "begun")
 *   residue       any other residue: undone but for that; kept until that has gone by itself
 *
 * The backend knows an undo that is resumed, and takes its intermediate value for ours. */

#include "act/executor.h"

#include <errno.h>
#include <stdio.h>

#include "act/change.h"
#include "base/array.h"
#include "base/cleanup.h"
#include "io/log.h"

#define UNDO_BEGUN "undo not finished"

/* A failed undo costs calls with timeouts: PID 1 may be busy, the bus away. */
#define RETRY_USEC USEC_PER_MINUTE

typedef struct Pending {
        uint64_t serial;
        bool forget; /* goes whatever is left of it */
} Pending;

struct Executor {
        Backend *backend;
        Ledger *ledger;
        Pending *pending;
        size_t n_pending, allocated;
        bool resumed; /* what a predecessor left was looked at once */
        usec_t retry_usec;
};

int executor_new(Backend *backend, Ledger *ledger, Executor **ret) {
        _cleanup_(ledger_freep) Ledger *memory = NULL;

        if (!ledger) {
                int r = ledger_new_memory(&memory);
                if (r < 0)
                        return r;
        }
        Executor *e = malloc(sizeof(*e));
        if (!e)
                return -ENOMEM;
        *e = (Executor){.backend = backend, .ledger = ledger ?: TAKE_PTR(memory)};
        *ret = e;
        return 0;
}

Executor *executor_free(Executor *e) {
        if (!e)
                return NULL;
        backend_free(e->backend);
        ledger_free(e->ledger);
        free(e->pending);
        free(e);
        return NULL;
}

/* ---- the states */

static Pending *pending_find(const Executor *e, const Change *change) {
        for (size_t i = 0; i < e->n_pending; i++)
                if (e->pending[i].serial == change->serial)
                        return &e->pending[i];
        return NULL;
}

static bool undo_begun(const Change *change) {
        return change->residue && strncmp(change->residue, UNDO_BEGUN, strlen(UNDO_BEGUN)) == 0;
}

static bool in_force(const Executor *e, const Change *change) {
        return (!change->residue || undo_begun(change)) && !pending_find(e, change);
}

static bool only_residue(const Executor *e, const Change *change) {
        return change->residue && !undo_begun(change) && !pending_find(e, change);
}

static const Change *find(const Executor *e, const char *path, bool (*state)(const Executor *e, const Change *c)) {
        for (size_t i = ledger_size(e->ledger); i > 0; i--) {
                const Change *c = ledger_at(e->ledger, i - 1);
                if (streq(c->target, path) && state(e, c))
                        return c;
        }
        return NULL;
}

const Change *executor_find(const Executor *e, const char *path) {
        return find(e, path, in_force) ?: find(e, path, only_residue);
}

size_t executor_size(const Executor *e) {
        return ledger_size(e->ledger);
}

const Change *executor_at(const Executor *e, size_t i) {
        return ledger_at(e->ledger, i);
}

static const Change *change_get(const Executor *e, uint64_t serial) {
        for (size_t i = 0; i < executor_size(e); i++)
                if (executor_at(e, i)->serial == serial)
                        return executor_at(e, i);
        return NULL;
}

/* A ledger that can't be written after a change went well (a full disk) is a pity, but no reason to stop half way. */
static void ledger_edited(int r, const Change *change) {
        if (r < 0)
                log_warning(r, "Can't bring the ledger up to date for %s, ignoring: %m", change_name(change));
}

/* ---- apply */

int executor_inspect(Executor *e, const char *path, Facts *ret) {
        return e->backend->vtable->inspect(e->backend, path, ret);
}

static const char *error_text(int error, const char *why, char buf[static 256]) {
        if (why)
                return why;
        switch (error) {
        case -ESTALE:
                return "it was changed by somebody else in the meantime";
        case -ENOENT:
                return "it is gone";
        case -ENODATA:
                return "accepted, but without effect";
        default:
                return strerror_r(-error, buf, 256);
        }
}

static int refuse(Refusal *ret, int error, const Plan *plan, const char *what, const char *why) {
        char buf[256];

        refusal_set(ret, 0, "%s of %s %s: %s", arm_setting(plan->arm, plan->unit),
                    plan->unit ? plan->unit : plan->target, what, error_text(error, why, buf));
        return error;
}

/* The residue of this setting at this target. */
static const Change *find_residue(const Executor *e, const Change *c) {
        for (size_t i = executor_size(e); i > 0; i--) {
                const Change *earlier = executor_at(e, i - 1);
                if (earlier->arm == c->arm && streq(earlier->target, c->target) && only_residue(e, earlier))
                        return earlier;
        }
        return NULL;
}

/* Into the ledger, in place of the earlier residue. */
static int change_add(Executor *e, Change *c, uint64_t *ret_serial) {
        const Change *earlier = find_residue(e, c);

        for (size_t i = 0; i < executor_size(e); i++)
                change_share(c, executor_at(e, i));
        int r = earlier ? change_inherit(c, earlier) : 0;
        if (r == 0)
                r = ledger_add(e->ledger, c, ret_serial);
        if (r < 0)
                return r;
        if (earlier) {
                r = ledger_remove(e->ledger, earlier->serial);
                ledger_edited(r, change_get(e, *ret_serial));
        }
        return 0;
}

/* The ledger has it: whatever goes wrong now is undone. */
static int set_or_undo(Executor *e, const Plan *plan, const Change *change, Refusal *ret_refusal) {
        _cleanup_free_ char *why = NULL;

        int r = e->backend->vtable->apply(e->backend, change, &why);
        if (r == 0)
                return 0;
        bool failed = executor_undo(e, change) == UNDO_FAILED || executor_flush(e) < 0;
        return refuse(ret_refusal, r, plan, failed ? "set, and undoing it failed" : "set and undone", why);
}

static int refuse_unwritten(Refusal *ret, int error, const Plan *plan) {
        char buf[256];

        return refuse(ret, error, plan, "not set, the ledger can't be written", strerror_r(-error, buf, sizeof(buf)));
}

int executor_apply(Executor *e, const Plan *plan, const Facts *facts, const char *verdict, usec_t now_usec,
                   const Change **ret_change, Refusal *ret_refusal) {
        _cleanup_(change_done) Change c = {};
        _cleanup_free_ char *why = NULL;
        uint64_t serial = 0;

        if (find(e, plan->target, in_force))
                return refuse(ret_refusal, -EBUSY, plan, "not set", "there is a change in force already");
        int r = change_make(plan, facts, verdict, now_usec, &c);
        if (r == 0)
                r = e->backend->vtable->prepare(e->backend, &c, &why);
        if (r < 0)
                return refuse(ret_refusal, r, plan, "not set", why);
        r = change_add(e, &c, &serial);
        if (r < 0)
                return refuse_unwritten(ret_refusal, r, plan);
        const Change *change = change_get(e, serial);
        r = set_or_undo(e, plan, change, ret_refusal);
        if (r == 0)
                *ret_change = change;
        return r;
}

/* A step that cannot be begun ends the ramp: its change is undone, the former steps with it. */
static int step_failed(Executor *e, const Change *change, int error, const Plan *plan, Refusal *ret_refusal) {
        bool failed = executor_undo(e, change) == UNDO_FAILED || executor_flush(e) < 0;

        return refuse(ret_refusal, error, plan, failed ? "not set further, and undoing it failed" : "undone", NULL);
}

int executor_step(Executor *e, const Change *change, const Plan *plan, Refusal *ret_refusal) {
        _cleanup_free_ char *to = plan_value(plan);

        assert(change->arm == plan->arm && streq(change->target, plan->target));
        int r = to ? 0 : -ENOMEM;
        /* An earlier step that was killed half way: which of its values is in force is not known. */
        if (r == 0)
                r = change->former ? -EALREADY : e->backend->vtable->check(e->backend, change);
        if (r == -ESTALE)
                return refuse(ret_refusal, r, plan, "not set", NULL);
        if (r == 0)
                r = ledger_set_to(e->ledger, change->serial, to, change->to);
        if (r < 0)
                return step_failed(e, change, r, plan, ret_refusal);
        r = set_or_undo(e, plan, change, ret_refusal);
        if (r == 0)
                ledger_edited(ledger_set_to(e->ledger, change->serial, to, NULL), change);
        return r;
}

int executor_keep(Executor *e, const Change *change) {
        return ledger_set_kept(e->ledger, change->serial, true);
}

int executor_verify(Executor *e, const Change *change, bool *ret_ours) {
        return e->backend->vtable->verify(e->backend, change, ret_ours);
}

/* ---- undo */

static void mark_begun(Executor *e, const Change *change, int error) {
        _cleanup_free_ char *text = NULL;
        char buf[256];

        if (error < 0 && asprintf(&text, UNDO_BEGUN ": %s", error_text(error, NULL, buf)) < 0)
                text = NULL;
        ledger_edited(ledger_set_residue(e->ledger, change->serial, text ?: UNDO_BEGUN), change);
}

static UndoResult undo_failed(Executor *e, const Change *change, int error) {
        log_warning(error, "Can't undo %s=%s of %s: %m", arm_setting(change->arm, change->unit), change->to,
                    change_name(change));
        mark_begun(e, change, error);
        return UNDO_FAILED;
}

static UndoResult undo_result(int r, const char *residue) {
        if (r == -ENOENT)
                return UNDO_GONE;
        if (r == -ESTALE)
                return UNDO_OVERRIDDEN;
        return residue ? UNDO_RESIDUE : UNDO_DONE;
}

UndoResult executor_undo(Executor *e, const Change *change) {
        _cleanup_free_ char *residue = NULL;

        if (pending_find(e, change))
                return UNDO_DONE;
        int r = ARRAY_RESERVE(e->pending, e->allocated, e->n_pending + 1);
        if (r < 0)
                return undo_failed(e, change, r);
        bool resumed = change->residue;
        if (!resumed)
                mark_begun(e, change, 0);
        r = e->backend->vtable->undo(e->backend, change, resumed, &residue);
        if (r < 0 && r != -ENOENT && r != -ESTALE)
                return undo_failed(e, change, r);
        UndoResult result = undo_result(r, residue);
        if (result == UNDO_RESIDUE)
                ledger_edited(ledger_set_residue(e->ledger, change->serial, residue), change);
        bool forget = result == UNDO_GONE || result == UNDO_OVERRIDDEN;
        e->pending[e->n_pending++] = (Pending){.serial = change->serial, .forget = forget};
        return result;
}

/* `change` is no more, whether or not the file could be written. */
static void remove_from_ledger(Executor *e, const Change *change) {
        _cleanup_free_ char *name = strdup(change_name(change));

        int r = ledger_remove(e->ledger, change->serial);
        if (r < 0)
                log_warning(r, "Can't take %s out of the ledger, ignoring: %m", name ?: "a change");
}

/* Out of the ledger with it, unless something is left of it now (a controller that went off may have settled that). */
static void settle(Executor *e, const Change *change, bool forget) {
        _cleanup_free_ char *residue = NULL;

        int r = forget ? 0 : e->backend->vtable->residue(e->backend, change, &residue);
        if (r < 0 && r != -ENOENT) {
                log_debug("Can't tell what is left of the change of %s", change_name(change));
                return;
        }
        if (!residue)
                remove_from_ledger(e, change);
        else if (!streq_ptr(residue, change->residue))
                ledger_edited(ledger_set_residue(e->ledger, change->serial, residue), change);
}

int executor_flush(Executor *e) {
        if (e->n_pending == 0)
                return 0;
        size_t n = e->n_pending;
        int r = e->backend->vtable->flush(e->backend);
        e->n_pending = 0;
        for (size_t i = 0; i < n; i++) {
                const Change *change = change_get(e, e->pending[i].serial);
                if (r < 0)
                        mark_begun(e, change, r);
                else
                        settle(e, change, e->pending[i].forget);
        }
        return r;
}

/* Undoes what was begun, and where asked for what has a residue and what is in force. Flushes. Returns the number that
 * failed. */
static unsigned undo_batch(Executor *e, bool residues, bool in_force_too) {
        unsigned n_failed = 0;

        /* The ledger keeps its entries until the flush. */
        for (size_t i = 0; i < executor_size(e); i++) {
                const Change *c = executor_at(e, i);
                bool due = undo_begun(c) || (c->residue ? residues : in_force_too);
                if (due && executor_undo(e, c) == UNDO_FAILED)
                        n_failed++;
        }
        unsigned n_flushed = (unsigned) e->n_pending;
        if (executor_flush(e) < 0)
                n_failed += n_flushed;
        return n_failed;
}

unsigned executor_undo_all(Executor *e) {
        e->resumed = true;
        return undo_batch(e, true, true);
}

int executor_forget(Executor *e, const Change *change) {
        if (executor_undo(e, change) == UNDO_FAILED)
                return -EAGAIN;
        pending_find(e, change)->forget = true;
        return executor_flush(e) < 0 ? -EAGAIN : 0;
}

/* ---- what is left */

static bool anything_begun(const Executor *e) {
        for (size_t i = 0; i < executor_size(e); i++)
                if (undo_begun(executor_at(e, i)))
                        return true;
        return false;
}

static void settle_residues(Executor *e) {
        for (size_t i = executor_size(e); i > 0; i--)
                if (only_residue(e, executor_at(e, i - 1)))
                        settle(e, executor_at(e, i - 1), false);
}

void executor_tidy(Executor *e, usec_t now_usec) {
        if (!e->resumed) {
                e->resumed = true;
                e->retry_usec = now_usec + RETRY_USEC;
                (void) undo_batch(e, true, false);
        } else if (now_usec >= e->retry_usec && anything_begun(e)) {
                e->retry_usec = now_usec + RETRY_USEC;
                (void) undo_batch(e, false, false);
        }
        (void) executor_flush(e);
        settle_residues(e);
}
