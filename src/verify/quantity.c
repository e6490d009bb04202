/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What a stretch of ticks comes to, in one number. Sums are divided, never ratios averaged. A stretch in which one tick
 * lacks an input has no value, and neither has one whose threads explain less than 70 % of the cgroup's own usage: what
 * they tell is then not the group's. Of threads that came or went in between, run time, delay and slices may be known,
 * switches and migrations are not: what is made of those goes with the threads that were seen (model/history.c). */

#include "verify/measure.h"

/* As for the signals (model/history.c): threads born and dead within a tick are missed, and below 1 % of a CPU the
 * ratio means nothing. */
#define COVERAGE_CPUS_MIN 0.01

TickRecord window_sum(Window w) {
        assert(w.n > 0);

        TickRecord sum = w.records[0];
        for (size_t i = 1; i < w.n; i++)
                tick_record_add(&sum, &w.records[i]);
        return sum;
}

/* `run`: of all threads of which it is known, or of those seen. */
static bool covered(const TickRecord *sum, ThreadCount run) {
        if (!counts_has(&sum->threads, run) || !counts_has(&sum->cgroup, CGROUP_USAGE_USEC))
                return true;

        double usage = (double) counts_get(&sum->cgroup, CGROUP_USAGE_USEC);
        if (usage < COVERAGE_CPUS_MIN * (double) sum->dt_usec)
                return true;
        return (double) counts_get(&sum->threads, run) >=
               (double) COVERAGE_MIN / SIGNAL_SCALE * usage * (double) NSEC_PER_USEC;
}

static bool ratio(double numerator, double denominator, double *ret) {
        if (denominator <= 0)
                return false;
        *ret = numerator / denominator;
        return true;
}

static bool migrations_per_switch(const Counts *threads, double *ret) {
        uint64_t switches = counts_get(threads, THREAD_SWITCHES);

        if (!counts_has(threads, THREAD_MIGRATIONS))
                return false;
        if (!counts_has(threads, THREAD_SWITCHES)) {
                if (!counts_has(threads, THREAD_VOLUNTARY) || !counts_has(threads, THREAD_INVOLUNTARY))
                        return false;
                switches = counts_get(threads, THREAD_VOLUNTARY) + counts_get(threads, THREAD_INVOLUNTARY);
        }
        return ratio((double) counts_get(threads, THREAD_MIGRATIONS), (double) switches, ret);
}

/* max(0, run delay - throttled), nsec. */
static bool wait(const TickRecord *sum, ThreadCount count, double *ret) {
        if (!counts_has(&sum->threads, count) || !sum->have_throttled)
                return false;

        double delay = (double) counts_get(&sum->threads, count);
        double throttled = (double) (sum->throttled_usec * NSEC_PER_USEC);
        *ret = MAX(delay - throttled, 0.0);
        return true;
}

static bool wait_per(const TickRecord *sum, ThreadCount delay, ThreadCount count, double *ret) {
        double nsec;
        return counts_has(&sum->threads, count) && wait(sum, delay, &nsec) &&
               ratio(nsec / (double) NSEC_PER_USEC, (double) counts_get(&sum->threads, count), ret);
}

static bool wait_share(const TickRecord *sum, double *ret) {
        double nsec;
        return counts_has(&sum->threads, THREAD_RUN_NSEC) && wait(sum, THREAD_DELAY_NSEC, &nsec) &&
               ratio(nsec, nsec + (double) counts_get(&sum->threads, THREAD_RUN_NSEC), ret);
}

static bool usage(const TickRecord *sum, double *ret) {
        double dt = (double) sum->dt_usec;

        if (counts_has(&sum->cgroup, CGROUP_USAGE_USEC))
                return ratio((double) counts_get(&sum->cgroup, CGROUP_USAGE_USEC), dt, ret);
        return counts_has(&sum->threads, THREAD_RUN_NSEC) &&
               ratio((double) counts_get(&sum->threads, THREAD_RUN_NSEC) / (double) NSEC_PER_USEC, dt, ret);
}

/* Mean over time. One for which less is better counts by its reciprocal, so that more is better for all. */
static bool metric(const Policy *policy, Window w, double *ret) {
        double sum = 0, usec = 0;

        for (size_t i = 0; i < w.n; i++) {
                const TickRecord *r = &w.records[i];
                if (!r->have_metric)
                        return false;
                sum += r->metric * (double) r->dt_usec;
                usec += (double) r->dt_usec;
        }
        return policy->metric_better == METRIC_LOWER ? ratio(usec, sum, ret) : ratio(sum, usec, ret);
}

static bool voluntary_rate(const TickRecord *sum, double *ret) {
        return counts_has(&sum->threads, THREAD_VOLUNTARY) &&
               ratio((double) counts_get(&sum->threads, THREAD_VOLUNTARY) * (double) USEC_PER_SEC,
                     (double) sum->dt_usec, ret);
}

bool quantity_value(Quantity q, const Policy *policy, Window w, double *ret) {
        if (w.n == 0)
                return false;

        TickRecord sum = window_sum(w);
        if (q == QUANTITY_USAGE)
                return usage(&sum, ret);
        if (q == QUANTITY_PROGRESS && policy && policy->metric_file)
                return metric(policy, w, ret);
        bool from_switches = q == QUANTITY_MIGRATIONS_PER_SWITCH || q == QUANTITY_PROGRESS;
        if (!covered(&sum, from_switches ? THREAD_SEEN_RUN_NSEC : THREAD_RUN_NSEC))
                return false;

        switch (q) {
        case QUANTITY_MIGRATIONS_PER_SWITCH:
                return migrations_per_switch(&sum.threads, ret);
        case QUANTITY_PROGRESS:
                return voluntary_rate(&sum, ret);
        case QUANTITY_WAIT_SHARE:
                return wait_share(&sum, ret);
        case QUANTITY_WAIT_PER_SLICE:
                return wait_per(&sum, THREAD_DELAY_NSEC, THREAD_SLICES, ret);
        case QUANTITY_USAGE:
        case QUANTITY_NONE:
        case _QUANTITY_MAX:
                break;
        }
        assert(false);
        return false;
}

bool measure_value(const Measure *m, Window w, double *ret) {
        if (m->kind == MEASURE_QUANTITY)
                return quantity_value(m->quantity, m->policy, w, ret);
        if (w.n == 0)
                return false;

        TickRecord sum = window_sum(w);
        if (m->kind == MEASURE_WAIT_PER_VOLUNTARY)
                return covered(&sum, THREAD_SEEN_RUN_NSEC) &&
                       wait_per(&sum, THREAD_SEEN_DELAY_NSEC, THREAD_VOLUNTARY, ret);
        return counts_has(&sum.threads, THREAD_DELAY_NSEC) &&
               ratio((double) counts_get(&sum.threads, THREAD_DELAY_NSEC) / (double) NSEC_PER_USEC,
                     (double) sum.dt_usec, ret);
}
