/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Where a target stands on the way from a verdict to a kept change. One small state machine, told of each tick; what it
 * answers is carried out by the pipeline. */

#include "base/macros.h"

typedef enum Phase {
        PHASE_WATCHING, /* no fault that a change could cure, or none that may be made now */
        PHASE_BEFORE,   /* measuring the fault, before a change */
        PHASE_SETTLING, /* changed; the first ticks are not counted */
        PHASE_RAMPING,  /* a step of a ramp: is anybody harmed by it? The next one follows */
        PHASE_AFTER,    /* measuring what the change did */
        PHASE_KEPT,     /* it helped, and stays */
} Phase;

const char *phase_name(Phase phase); /* "watching", "before", "settling", "ramping", ... */

/* What one tick shows of a target. */
typedef struct PhaseInput {
        uint64_t tick;
        bool curable;     /* the verdict shown has a remedy that may be tried now (policy, back-off, limits) */
        bool confirmed;   /* and it stands */
        bool turn;        /* no other trial on the same CPUs */
        bool early_harm;  /* RAMPING, AFTER: somebody is clearly worse off already */
        bool more_steps;  /* SETTLING, RAMPING: the change is one step of a ramp, and not the last */
        bool recheck_due; /* KEPT: probation or re-trial is due, or demand has outgrown the plan */
        unsigned before, settle, after; /* ticks */
} PhaseInput;

typedef enum PhaseAction {
        PHASE_NOTHING,
        PHASE_APPLY,      /* make the change; phase_applied() or phase_reset() follows */
        PHASE_STEP,       /* make the next step of it; phase_stepped() or phase_reset() follows */
        PHASE_JUDGE,      /* windows are complete: judge; phase_kept() or phase_reset() follows */
        PHASE_UNDO_WORSE, /* undo now; phase_reset() follows */
        PHASE_RECHECK,    /* undo, and see whether the fault comes back; phase_reset() follows */
} PhaseAction;

typedef struct PhaseTrack {
        Phase phase;
        uint64_t since_tick;   /* of the phase */
        uint64_t applied_tick; /* SETTLING and later: when the change was made, */
        uint64_t reached_tick; /* and when all of it was: the last step of a ramp so far */
} PhaseTrack;

/* So long is a step judged: what it takes to see early harm. */
#define RAMPING_TICKS 3

/*  state     event                                    next      action
 *  WATCHING  curable and turn                         BEFORE    nothing
 *  BEFORE    not curable, or not its turn             WATCHING  nothing
 *  BEFORE    before ticks since it began, confirmed   (BEFORE)  APPLY
 *  SETTLING  settle ticks over, more steps            RAMPING   nothing
 *  SETTLING  settle ticks over                        AFTER     nothing
 *  RAMPING   early_harm                               (RAMPING) UNDO_WORSE
 *  RAMPING   RAMPING_TICKS over                       (RAMPING) STEP
 *  AFTER     early_harm                               (AFTER)   UNDO_WORSE
 *  AFTER     after ticks over                         (AFTER)   JUDGE
 *  KEPT      recheck_due                              (KEPT)    RECHECK
 *  Not handled, since it can't come or changes nothing: curable in SETTLING, RAMPING, AFTER and KEPT (the cure hides
 * the fault), early_harm and recheck_due elsewhere. */
PhaseAction phase_step(PhaseTrack *t, const PhaseInput *in);

void phase_applied(PhaseTrack *t, uint64_t tick);
void phase_stepped(PhaseTrack *t, uint64_t tick);
void phase_kept(PhaseTrack *t, uint64_t tick);
void phase_reset(PhaseTrack *t, uint64_t tick);

/* Is a change under trial? */
static inline bool phase_on_trial(Phase p) {
        return p == PHASE_SETTLING || p == PHASE_RAMPING || p == PHASE_AFTER;
}

/* Ticks done and to do in this phase; 0 of 0 where it has no end. */
void phase_progress(const PhaseTrack *t, const PhaseInput *in, unsigned *ret_done, unsigned *ret_total);
