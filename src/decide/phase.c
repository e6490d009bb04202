/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The state machine of a trial; see the table in phase.h. Time is counted in ticks that were really taken, so that a
 * dropped tick lengthens a window instead of thinning it. */

#include "decide/phase.h"

const char *phase_name(Phase phase) {
        switch (phase) {
        case PHASE_WATCHING:
                return "watching";
        case PHASE_BEFORE:
                return "before";
        case PHASE_SETTLING:
                return "settling";
        case PHASE_RAMPING:
                return "ramping";
        case PHASE_AFTER:
                return "after";
        case PHASE_KEPT:
                return "kept";
        }
        assert(false);
        return NULL;
}

static void enter(PhaseTrack *t, Phase phase, uint64_t tick) {
        t->phase = phase;
        t->since_tick = tick;
}

static uint64_t ticks_in(const PhaseTrack *t, uint64_t tick) {
        return tick - t->since_tick;
}

static PhaseAction step_before(PhaseTrack *t, const PhaseInput *in) {
        if (!in->curable || !in->turn) {
                enter(t, PHASE_WATCHING, in->tick);
                return PHASE_NOTHING;
        }
        return in->confirmed && ticks_in(t, in->tick) >= in->before ? PHASE_APPLY : PHASE_NOTHING;
}

static PhaseAction step_ramping(const PhaseTrack *t, const PhaseInput *in) {
        if (in->early_harm)
                return PHASE_UNDO_WORSE;
        return ticks_in(t, in->tick) >= RAMPING_TICKS ? PHASE_STEP : PHASE_NOTHING;
}

static PhaseAction step_after(const PhaseTrack *t, const PhaseInput *in) {
        if (in->early_harm)
                return PHASE_UNDO_WORSE;
        return ticks_in(t, in->tick) >= in->after ? PHASE_JUDGE : PHASE_NOTHING;
}

PhaseAction phase_step(PhaseTrack *t, const PhaseInput *in) {
        switch (t->phase) {
        case PHASE_WATCHING:
                if (in->curable && in->turn)
                        enter(t, PHASE_BEFORE, in->tick);
                return PHASE_NOTHING;
        case PHASE_BEFORE:
                return step_before(t, in);
        case PHASE_SETTLING:
                if (ticks_in(t, in->tick) >= in->settle)
                        enter(t, in->more_steps ? PHASE_RAMPING : PHASE_AFTER, in->tick);
                return PHASE_NOTHING;
        case PHASE_RAMPING:
                return step_ramping(t, in);
        case PHASE_AFTER:
                return step_after(t, in);
        case PHASE_KEPT:
                return in->recheck_due ? PHASE_RECHECK : PHASE_NOTHING;
        }
        assert(false);
        return PHASE_NOTHING;
}

void phase_applied(PhaseTrack *t, uint64_t tick) {
        phase_stepped(t, tick);
        t->applied_tick = tick;
}

void phase_stepped(PhaseTrack *t, uint64_t tick) {
        enter(t, PHASE_SETTLING, tick);
        t->reached_tick = tick;
}

void phase_kept(PhaseTrack *t, uint64_t tick) {
        enter(t, PHASE_KEPT, tick);
}

void phase_reset(PhaseTrack *t, uint64_t tick) {
        enter(t, PHASE_WATCHING, tick);
}

void phase_progress(const PhaseTrack *t, const PhaseInput *in, unsigned *ret_done, unsigned *ret_total) {
        unsigned total = t->phase == PHASE_BEFORE     ? in->before
                         : t->phase == PHASE_SETTLING ? in->settle
                         : t->phase == PHASE_RAMPING  ? RAMPING_TICKS
                         : t->phase == PHASE_AFTER    ? in->after
                                                      : 0;
        *ret_total = total;
        *ret_done = (unsigned) MIN((uint64_t) total, ticks_in(t, in->tick));
}
