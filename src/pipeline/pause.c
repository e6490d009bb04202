/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The administrator's hand on the brake: pipeline_steer() asks p->paused before anything begins, so what is left to do
 * here is what is under way. A trial that is broken off has failed nothing: no back-off follows, and no hold, so that a
 * resume goes on at once. */

#include <stdio.h>

#include "pipeline/state.h"

static void break_off(Pipeline *p, Target *t) {
        TargetView view;

        t->outcome = (Outcome){.kind = OUTCOME_INCONCLUSIVE};
        (void) snprintf(t->outcome.text, sizeof(t->outcome.text), "broken off: placerd was paused");
        t->outcome_usec = p->now_usec;
        pipeline_view_target(p, t, &view);
        if (p->sink.on_outcome)
                p->sink.on_outcome(p->sink.userdata, p->now_usec, &view);
        (void) pipeline_undo_target(p, t, "placerd was paused");
}

unsigned pipeline_pause(Pipeline *p, usec_t now_usec) {
        unsigned n_broken_off = 0;

        p->now_usec = now_usec;
        p->paused = true;
        p->reading_all = false;
        for (size_t i = 0; i < p->targets.n; i++) {
                Target *t = p->targets.items[i];
                if (phase_on_trial(t->phase.phase)) {
                        break_off(p, t);
                        n_broken_off++;
                } else if (t->phase.phase == PHASE_BEFORE)
                        phase_reset(&t->phase, p->tick);
        }
        return n_broken_off;
}

void pipeline_resume(Pipeline *p) {
        p->paused = false;
}

bool pipeline_paused(const Pipeline *p) {
        return p->paused;
}
