/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The sentence: sample, detect, verify, decide, act, report. One tick of everything. */

#include <errno.h>
#include <inttypes.h>

#include "io/log.h"
#include "pipeline/state.h"

/* A longer tick is no tick: the machine was asleep, or we were not let run. */
#define TICK_MAX_INTERVALS 3

static int sample(Pipeline *p) {
        _cleanup_snapshot_ Snapshot *s = NULL;
        int r = sampler_take(p->sampler, p->now_usec, p->snapshot, pipeline_wants, p, &s);
        if (r < 0)
                return r;
        p->delta = delta_free(p->delta);
        if (p->snapshot) {
                r = delta_new(p->snapshot, s, &p->delta);
                if (r < 0 && r != -ERANGE)
                        return r;
        }
        snapshot_free(p->snapshot);
        p->snapshot = TAKE_PTR(s);
        return 0;
}

static bool too_long(const Pipeline *p) {
        return p->nominal_usec > 0 && p->delta->dt_usec > TICK_MAX_INTERVALS * p->nominal_usec;
}

static void report(const Pipeline *p) {
        if (!p->sink.on_verdict)
                return;
        for (size_t i = 0; i < p->targets.n; i++) {
                TargetView view;
                if (!p->targets.items[i]->judged)
                        continue;
                pipeline_view_target(p, p->targets.items[i], &view);
                p->sink.on_verdict(p->sink.userdata, p->tick, p->now_usec, &view);
        }
}

int pipeline_tick(Pipeline *p, usec_t now_usec) {
        p->now_usec = now_usec;
        int r = sample(p);
        if (r >= 0)
                r = pipeline_update_targets(p);
        if (r < 0 || !p->delta)
                return r;
        if (too_long(p)) {
                char dt[USEC_FORMAT_MAX];
                log_info("Dropped a tick of %s", usec_format(p->delta->dt_usec, dt));
                return 0;
        }

        p->tick++;
        r = pipeline_observe(p);
        if (r >= 0) {
                report(p);
                r = pipeline_steer(p);
        }
        return r;
}
