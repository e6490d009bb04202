/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The administrator's hand on the brake: pipeline_steer() asks p->paused before anything begins, so what is left to do
 * here is what is under way. A trial that is broken off has failed nothing: no back-off follows, and no hold, so that a
 * resume goes on at once. */

#include "pipeline/treat.h"

unsigned pipeline_pause(Pipeline *p, usec_t now_usec) {
        unsigned n_broken_off = 0;

        p->now_usec = now_usec;
        p->paused = true;
        p->reading_all = false;
        for (size_t i = 0; i < p->targets.n; i++) {
                Target *t = p->targets.items[i];
                if (phase_on_trial(t->phase.phase)) {
                        treat_break_off(p, t, "placerd was paused");
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
