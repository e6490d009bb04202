/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The last ticks of one target, and what follows from them. Signals are ratios of sums over a few ticks, never means
 * of ratios: a quiet tick must not count as much as a busy one. A count that is missing in one tick of the window is
 * missing in its sum. Threads that are born or die between two ticks are not seen in both: their run time, run delay
 * and slices may be known from their process (taskstats), their switches and migrations never are. So where the
 * cgroup's own usage says that much was missed ("coverage"), what comes from run time, delay and slices is left out;
 * and where much was not seen, what comes from switches and migrations, which otherwise would speak for the long-lived
 * threads alone. A ratio of the two kinds takes the run time of the threads that were seen. */

#include "model/history.h"

#include <errno.h>
#include <stdlib.h>

/* Under 1 % of a CPU the two are read microseconds apart, and their ratio means nothing. */
#define COVERAGE_USAGE_PER_DT 100

/* Enough for a median; a bound on the work of a tick. */
#define PAST_TICKS_MIN 5
#define PAST_TICKS_MAX 60

#define OUTSIDE_SLICES_MIN 100

void history_done(History *h) {
        free(h->records);
        *h = (History){};
}

static size_t position(const History *h, size_t age) {
        return (h->next + h->capacity - 1 - age) % h->capacity;
}

int history_reserve(History *h, size_t ticks) {
        if (ticks <= h->capacity)
                return 0;

        TickRecord *records = calloc(ticks, sizeof(*records));
        if (!records)
                return -ENOMEM;
        for (size_t i = 0; i < h->n; i++)
                records[i] = h->records[position(h, h->n - 1 - i)];

        free(h->records);
        h->records = records;
        h->capacity = ticks;
        h->next = h->n;
        return 0;
}

void history_push(History *h, const TickRecord *r) {
        assert(h->capacity > 0);

        h->records[h->next] = *r;
        h->next = (h->next + 1) % h->capacity;
        h->n = MIN(h->n + 1, h->capacity);
}

void history_clear(History *h) {
        h->n = h->next = 0;
}

const TickRecord *history_at(const History *h, size_t age) {
        return age < h->n ? &h->records[position(h, age)] : NULL;
}

/* Adds up, and forgets a count that the part does not have. */
static void sum_counts(Counts *sum, const Counts *part) {
        uint32_t both = sum->have & part->have;
        counts_add(sum, part);
        sum->have = both;
}

static void sum_outside(Outside *sum, const Outside *part) {
        sum->have = sum->have && part->have;
        sum->n_groups = MAX(sum->n_groups, part->n_groups);
        sum->delay_nsec += part->delay_nsec;
        sum->slices += part->slices;
}

void tick_record_add(TickRecord *sum, const TickRecord *part) {
        sum->dt_usec += part->dt_usec;
        sum_counts(&sum->cgroup, &part->cgroup);
        sum_counts(&sum->threads, &part->threads);
        sum->have_throttled = sum->have_throttled && part->have_throttled;
        sum->throttled_usec += part->throttled_usec;
        sum->have_idle = sum->have_idle && part->have_idle;
        sum->idle_ticks += part->idle_ticks;
        sum->total_ticks += part->total_ticks;
        sum->steal_ticks += part->steal_ticks;
        sum->have_others = sum->have_others && part->have_others;
        sum->others_nsec += part->others_nsec;
        sum->have_fair_share = sum->have_fair_share && part->have_fair_share;
        sum->fair_share_milli += part->fair_share_milli;
        sum_outside(&sum->other_groups, &part->other_groups);
        sum_outside(&sum->other_cpu_time, &part->other_cpu_time);
}

/* The newest record with the counts of the whole window. */
static void sum_records(const History *h, size_t window, TickRecord *ret) {
        TickRecord sum = *history_at(h, 0);
        for (size_t age = 1; age < window; age++)
                tick_record_add(&sum, history_at(h, age));
        *ret = sum;
}

/* Run time of the target, the cgroup's own count before that of the threads. */
static bool run_nsec(const TickRecord *r, uint64_t *ret) {
        if (counts_has(&r->cgroup, CGROUP_USAGE_USEC))
                *ret = counts_get(&r->cgroup, CGROUP_USAGE_USEC) * NSEC_PER_USEC;
        else if (counts_has(&r->threads, THREAD_RUN_NSEC))
                *ret = counts_get(&r->threads, THREAD_RUN_NSEC);
        else
                return false;
        return true;
}

/* The kernel keeps nr_switches = voluntary + involuntary, in two files of which one may be missing. */
static bool switches(const Counts *threads, uint64_t *ret) {
        if (counts_has(threads, THREAD_SWITCHES))
                *ret = counts_get(threads, THREAD_SWITCHES);
        else if (counts_has(threads, THREAD_VOLUNTARY) && counts_has(threads, THREAD_INVOLUNTARY))
                *ret = counts_get(threads, THREAD_VOLUNTARY) + counts_get(threads, THREAD_INVOLUNTARY);
        else
                return false;
        return true;
}

/* The part of the cgroup's usage that the threads' count of run time makes is *s's `signal` then. Returns whether what
 * goes with that count stands for the whole. */
static bool set_coverage(const TickRecord *sum, ThreadCount run, Signal signal, Signals *s) {
        if (!counts_has(&sum->threads, run) || !counts_has(&sum->cgroup, CGROUP_USAGE_USEC))
                return true;

        uint64_t usage_usec = counts_get(&sum->cgroup, CGROUP_USAGE_USEC);
        if (usage_usec < sum->dt_usec / COVERAGE_USAGE_PER_DT)
                return true;

        signals_set_ratio(s, signal, counts_get(&sum->threads, run), usage_usec * NSEC_PER_USEC);
        return !signals_has(s, signal) || s->value[signal] >= COVERAGE_MIN;
}

static void set_usage(const TickRecord *sum, Signals *s) {
        uint64_t nsec;
        if (run_nsec(sum, &nsec))
                signals_set_ratio(s, SIGNAL_USAGE, nsec, sum->dt_usec * NSEC_PER_USEC);
}

static void set_wait(const TickRecord *sum, Signals *s) {
        if (!counts_has(&sum->threads, THREAD_DELAY_NSEC))
                return;

        uint64_t delay = counts_get(&sum->threads, THREAD_DELAY_NSEC), run = counts_get(&sum->threads, THREAD_RUN_NSEC);
        uint64_t dt_nsec = sum->dt_usec * NSEC_PER_USEC;
        bool have_run = counts_has(&sum->threads, THREAD_RUN_NSEC);
        if (have_run)
                signals_set_ratio(s, SIGNAL_DEMAND, run + delay, dt_nsec);
        if (!sum->have_throttled)
                return;

        uint64_t throttled = sum->throttled_usec * NSEC_PER_USEC;
        uint64_t wait = delay > throttled ? delay - throttled : 0;
        signals_set_ratio(s, SIGNAL_WAITING, wait, dt_nsec);
        signals_set_ratio(s, SIGNAL_THROTTLED_OF_DELAY, throttled, delay);
        if (have_run)
                signals_set_ratio(s, SIGNAL_WAIT_SHARE, wait, wait + run);
        if (counts_has(&sum->threads, THREAD_SLICES))
                signals_set_ratio(s, SIGNAL_WAIT_PER_SLICE, wait,
                                  counts_get(&sum->threads, THREAD_SLICES) * NSEC_PER_USEC);
}

static void set_switches(const Counts *threads, Signals *s) {
        uint64_t n_switches, run = counts_get(threads, THREAD_SEEN_RUN_NSEC);
        bool have_run = counts_has(threads, THREAD_SEEN_RUN_NSEC), have_switches = switches(threads, &n_switches);

        /* Per CPU-second: 64 bits hold the nanoseconds of 18 billion switches. */
        if (have_switches && have_run)
                signals_set_ratio(s, SIGNAL_SWITCHES_PER_CPU_SECOND, n_switches * NSEC_PER_SEC, run);
        if (have_switches && counts_has(threads, THREAD_VOLUNTARY))
                signals_set_ratio(s, SIGNAL_VOLUNTARY_SHARE, counts_get(threads, THREAD_VOLUNTARY), n_switches);
        if (!counts_has(threads, THREAD_MIGRATIONS))
                return;

        uint64_t migrations = counts_get(threads, THREAD_MIGRATIONS);
        if (have_switches)
                signals_set_ratio(s, SIGNAL_MIGRATIONS_PER_SWITCH, migrations, n_switches);
        if (have_run)
                signals_set_ratio(s, SIGNAL_MIGRATIONS_PER_CPU_SECOND, migrations * NSEC_PER_SEC, run);
}

/* Against the threads of other groups where each tick of the window has them, else against all that the CPUs did. */
static void set_outside(const TickRecord *sum, Signals *s) {
        const Outside *o = sum->other_groups.have ? &sum->other_groups : &sum->other_cpu_time;

        if (!o->have || o->slices < OUTSIDE_SLICES_MIN)
                return;
        signals_set_ratio(s, SIGNAL_OUTSIDE_WAIT, o->delay_nsec, o->slices * NSEC_PER_USEC);
        if (o == &sum->other_groups)
                signals_set(s, SIGNAL_OUTSIDE_GROUPS, (int64_t) o->n_groups * SIGNAL_SCALE);
}

/* Nobody else waits at all: there is no factor then, however long the target waits. */
static void set_outside_factor(Signals *s) {
        if (signals_has(s, SIGNAL_WAIT_PER_SLICE) && signals_has(s, SIGNAL_OUTSIDE_WAIT))
                signals_set_ratio(s, SIGNAL_OUTSIDE_FACTOR, (uint64_t) s->value[SIGNAL_WAIT_PER_SLICE],
                                  (uint64_t) s->value[SIGNAL_OUTSIDE_WAIT]);
}

static void set_around(const TickRecord *sum, size_t window, Signals *s) {
        if (sum->have_idle)
                signals_set_ratio(s, SIGNAL_IDLE, sum->idle_ticks, sum->total_ticks);
        if (sum->have_others)
                signals_set_ratio(s, SIGNAL_OTHERS, sum->others_nsec, sum->dt_usec * NSEC_PER_USEC);
        if (sum->have_fair_share)
                signals_set_ratio(s, SIGNAL_FAIR_SHARE, sum->fair_share_milli, window * SIGNAL_SCALE);
        set_outside(sum, s);
        if (sum->n_allowed > 0)
                signals_set(s, SIGNAL_ALLOWED_CPUS, (int64_t) sum->n_allowed * SIGNAL_SCALE);
        if (sum->have_quota)
                signals_set_ratio(s, SIGNAL_QUOTA, sum->quota_milli, SIGNAL_SCALE);
}

static void set_throttled(const TickRecord *sum, Signals *s) {
        if (sum->have_throttled)
                signals_set_ratio(s, SIGNAL_THROTTLED, sum->throttled_usec, sum->dt_usec);
        if (counts_has(&sum->cgroup, CGROUP_NR_PERIODS) && counts_has(&sum->cgroup, CGROUP_NR_THROTTLED))
                signals_set_ratio(s, SIGNAL_THROTTLED_PERIODS, counts_get(&sum->cgroup, CGROUP_NR_THROTTLED),
                                  counts_get(&sum->cgroup, CGROUP_NR_PERIODS));
}

static int compare_u64(const void *a, const void *b) {
        uint64_t x = *(const uint64_t *) a, y = *(const uint64_t *) b;
        return (x > y) - (x < y);
}

/* Usage against the median of the ticks before the window in which the target had as many threads, within 10 %. */
static void set_usage_of_past(const History *h, size_t window, Signals *s) {
        const TickRecord *newest = history_at(h, 0);
        uint64_t past[PAST_TICKS_MAX];
        size_t n = 0;

        if (!signals_has(s, SIGNAL_USAGE) || newest->threads.have == 0)
                return;
        for (size_t age = window; age < h->n && n < PAST_TICKS_MAX; age++) {
                const TickRecord *r = history_at(h, age);
                unsigned apart = r->n_threads > newest->n_threads ? r->n_threads - newest->n_threads
                                                                  : newest->n_threads - r->n_threads;
                uint64_t nsec;

                if (r->threads.have == 0 || apart * 10 > newest->n_threads || r->dt_usec == 0 || !run_nsec(r, &nsec))
                        continue;
                past[n++] = nsec / r->dt_usec; /* thousandths of a CPU, as a signal */
        }
        if (n < PAST_TICKS_MIN)
                return;

        qsort(past, n, sizeof(past[0]), compare_u64);
        uint64_t median = n % 2 ? past[n / 2] : (past[n / 2 - 1] + past[n / 2]) / 2;
        signals_set_ratio(s, SIGNAL_USAGE_OF_PAST, (uint64_t) s->value[SIGNAL_USAGE], median);
}

void history_signals(const History *h, size_t window, Signals *ret) {
        Signals s = {};
        TickRecord sum;

        window = MIN(window, h->n);
        if (window > 0) {
                sum_records(h, window, &sum);
                bool covered = set_coverage(&sum, THREAD_RUN_NSEC, SIGNAL_COVERAGE, &s);
                bool seen = set_coverage(&sum, THREAD_SEEN_RUN_NSEC, SIGNAL_COVERAGE_SEEN, &s);

                set_usage(&sum, &s);
                set_around(&sum, window, &s);
                set_throttled(&sum, &s);
                set_usage_of_past(h, window, &s);
                if (sum.threads.have != 0)
                        signals_set(&s, SIGNAL_THREADS, (int64_t) sum.n_threads * SIGNAL_SCALE);
                /* Told only where there is a difference to tell. */
                if (counts_get(&sum.threads, THREAD_RUN_NSEC) == counts_get(&sum.threads, THREAD_SEEN_RUN_NSEC))
                        signals_clear(&s, SIGNAL_COVERAGE_SEEN);
                if (seen)
                        set_switches(&sum.threads, &s);
                if (covered) {
                        set_wait(&sum, &s);
                        set_outside_factor(&s);
                        if (counts_has(&sum.threads, THREAD_SLICES))
                                signals_set_ratio(&s, SIGNAL_SLICES, counts_get(&sum.threads, THREAD_SLICES), 1);
                }
        }
        *ret = s;
}
