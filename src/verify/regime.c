/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Was it the same world before and after? Judged by what an arm does not change. The target's own demand is no such
 * thing (a good pin raised it by 27 to 49 %), so it only has to be steady within the before-window.
 *
 * Of the neighbours, what they want must have stayed: the usage of those that have CPUs enough, since their waiting may
 * be our doing, and the demand of those that want more than there are, since their usage may be. The harmed do not
 * count at all. What is not known can't be held against the trial. */

#include "verify/regime.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>

#include "verify/harm.h"
#include "verify/measure.h"
#include "verify/text.h"

#define DRIFT_MAX 0.25
#define STEAL_MAX 0.05
/* Neighbours that want this much more or less do not weigh in a trial, whatever share of nearly nothing it is. */
#define NEIGHBOURS_FLOOR_CPUS 0.5
/* ... nor one of an eighth of the CPUs: somebody who looks in from time to time must not spoil every trial (seen: a
 * status that was asked for now and then in an emulated guest). */
#define NEIGHBOURS_FLOOR_SHARE 0.125

static bool drifted(double a, double b) {
        return a > 0 ? fabs(b - a) > DRIFT_MAX * a : b > 0;
}

/* False where threads were not read in some tick, or there is none. */
static bool median_threads(Window w, double *ret) {
        double values[STATS_MAX * STATS_MAX];

        w = window_last(w, ELEMENTSOF(values));
        for (size_t i = 0; i < w.n; i++) {
                if (w.records[i].threads.have == 0)
                        return false;
                values[i] = w.records[i].n_threads;
        }
        if (w.n == 0)
                return false;
        *ret = stats_median(values, w.n);
        return true;
}

static bool threads_held(const Trial *t, char why[static 256]) {
        double before, after;

        if (!median_threads(t->before, &before) || !median_threads(t->after, &after) || !drifted(before, after))
                return true;
        (void) snprintf(why, 256, "the number of threads changed from %.0f to %.0f", before, after);
        return false;
}

static bool limits_held(const Trial *t, char why[static 256]) {
        const TickRecord *first = &t->before.records[0];

        for (size_t i = 0; i < t->before.n + t->after.n; i++) {
                const TickRecord *r = i < t->before.n ? &t->before.records[i] : &t->after.records[i - t->before.n];
                if (r->have_quota != first->have_quota || (r->have_quota && r->quota_milli != first->quota_milli)) {
                        (void) snprintf(why, 256, "its quota changed");
                        return false;
                }
                if (r->n_allowed != first->n_allowed) {
                        (void) snprintf(why, 256, "the CPUs that it may use changed from %u to %u", first->n_allowed,
                                        r->n_allowed);
                        return false;
                }
        }
        return true;
}

static bool steal_low(Window w, char why[static 256]) {
        TickRecord sum = window_sum(w);

        if (!sum.have_idle || sum.total_ticks == 0)
                return true;
        double steal = (double) sum.steal_ticks / (double) sum.total_ticks;
        if (steal < STEAL_MAX)
                return true;
        (void) snprintf(why, 256, "the hypervisor took %.0f %% of the CPUs' time", steal * 100);
        return false;
}

/* CPUs wanted over the window: threads that run or wait for a CPU, not for a quota; where waits are not known, or are
 * left out, those that run. */
static bool wanted(Window w, bool with_wait, double *ret) {
        if (!quantity_value(QUANTITY_USAGE, NULL, w, ret))
                return false;

        TickRecord sum = window_sum(w);
        if (with_wait && counts_has(&sum.threads, THREAD_DELAY_NSEC)) {
                double wait = (double) counts_get(&sum.threads, THREAD_DELAY_NSEC) / (double) NSEC_PER_USEC;
                if (sum.have_throttled)
                        wait = MAX(wait - (double) sum.throttled_usec, 0.0);
                *ret += wait / (double) sum.dt_usec;
        }
        return true;
}

static bool steady_before(const Trial *t, char why[static 256]) {
        double medians[2], values[STATS_MAX * STATS_MAX];

        for (size_t half = 0; half < 2; half++) {
                Window w = window_last(window_part(t->before, half, 2), ELEMENTSOF(values));
                for (size_t i = 0; i < w.n; i++)
                        if (!wanted((Window){w.records + i, 1}, true, &values[i]))
                                return true;
                if (w.n == 0)
                        return true;
                medians[half] = stats_median(values, w.n);
        }
        if (!drifted(medians[0], medians[1]))
                return true;
        (void) snprintf(why, 256, "it was not steady before: its demand went from %.2f to %.2f CPUs", medians[0],
                        medians[1]);
        return false;
}

static bool is_full(Window w) {
        double demand;
        return w.n > 0 && wanted(w, true, &demand) && demand > w.records[w.n - 1].n_allowed;
}

/* A neighbour that was there for part of the window weighs as much of it; one that was not there at all wanted nothing.
 * False where it was there, and what it wanted is not known. */
static bool wanted_of_window(Window part, Window whole, bool with_wait, double *ret) {
        *ret = 0;
        if (part.n == 0 || whole.n == 0)
                return true;
        if (!wanted(part, with_wait, ret))
                return false;
        *ret *= (double) part.n / (double) whole.n;
        return true;
}

static bool neighbours_held(const Trial *t, const bool *harmed, char why[static 256]) {
        double before = 0, after = 0;

        for (size_t i = 0; i < t->n_neighbours; i++) {
                const Neighbour *n = &t->neighbours[i];
                double then, now;

                if (n->kind == NEIGHBOUR_KERNEL || harmed[i])
                        continue;
                bool with_wait = is_full(n->before) || is_full(n->after);
                if (!wanted_of_window(n->before, t->before, with_wait, &then) ||
                    !wanted_of_window(n->after, t->after, with_wait, &now))
                        continue;
                before += then;
                after += now;
        }
        double floor = MAX(NEIGHBOURS_FLOOR_CPUS, NEIGHBOURS_FLOOR_SHARE * t->before.records[0].n_allowed);
        if (!drifted(before, after) || fabs(after - before) <= floor)
                return true;
        (void) snprintf(why, 256, "the neighbours' demand changed from %.1f to %.1f CPUs", before, after);
        return false;
}

bool regime_held(const Trial *t, const bool *harmed, char why[static 256]) {
        return limits_held(t, why) && threads_held(t, why) && steal_low(t->before, why) && steal_low(t->after, why) &&
               steady_before(t, why) && neighbours_held(t, harmed, why);
}

bool judge_regime(const Trial *t, char ret_why[static 256]) {
        _cleanup_harm_ Harm harm = {};

        if (t->before.n == 0 || t->after.n == 0)
                return true;
        if (harm_find(t, &harm) == -ENOMEM) {
                (void) snprintf(ret_why, 256, "memory is short");
                return false;
        }
        return regime_held(t, harm.neighbours, ret_why);
}
