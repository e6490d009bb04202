/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Gathers what concerns one target: its own counters, the CPUs that it may use, everybody else on those CPUs, the
 * threads of other groups to compare its wait with, and the tightest quota above it. */

#include "model/record.h"

#include "model/fair-share.h"

/* USER_HZ: the unit of /proc/stat, 100 on every architecture that Debian has. */
#define NSEC_PER_TICK (NSEC_PER_SEC / 100)

static const CpuDelta *cpu_find(const Delta *d, unsigned cpu) {
        size_t low = 0, high = d->n_cpus;
        while (low < high) {
                size_t mid = low + (high - low) / 2;
                if (d->cpus[mid].cpu < cpu)
                        low = mid + 1;
                else
                        high = mid;
        }
        return low < d->n_cpus && d->cpus[low].cpu == cpu ? &d->cpus[low] : NULL;
}

/* Sums of the allowed CPUs. A CPU that is new in this tick has no difference and is left out. */
static Counts sum_cpus(const Delta *d, const Cpuset *allowed, uint64_t *ret_n) {
        Counts sum = {};
        *ret_n = 0;
        CPUSET_FOREACH (cpu, allowed) {
                const CpuDelta *c = cpu_find(d, (unsigned) cpu);
                if (!c)
                        continue;
                counts_add(&sum, &c->counts);
                (*ret_n)++;
        }
        return sum;
}

/* Idle time is read off a clock, busy time is counted by timer interrupts, and a virtual CPU that waits for a real one
 * gets none meanwhile (a busy emulated guest shows 25 % of the time that passed): by the counted time alone, the little
 * idle time there is would look like a lot. The time that passed cannot be lost. */
static uint64_t time_of_cpus(const Delta *d, const Counts *cpus, uint64_t n) {
        return MAX(counts_get(cpus, CPU_TOTAL_TICKS), n * d->dt_usec * NSEC_PER_USEC / NSEC_PER_TICK);
}

static void fill_cpus(const RecordInput *in, TickRecord *r) {
        uint64_t n;
        Counts cpus = sum_cpus(in->delta, in->allowed, &n);
        r->n_allowed = cpuset_count(in->allowed);
        r->have_idle = counts_has(&cpus, CPU_IDLE_TICKS) && counts_get(&cpus, CPU_TOTAL_TICKS) > 0;
        r->idle_ticks = counts_get(&cpus, CPU_IDLE_TICKS);
        r->total_ticks = time_of_cpus(in->delta, &cpus, n);
        r->steal_ticks = counts_get(&cpus, CPU_STEAL_TICKS);

        uint64_t busy;
        if (counts_has(&cpus, CPU_RUN_NSEC))
                busy = counts_get(&cpus, CPU_RUN_NSEC);
        else if (r->have_idle)
                busy = (r->total_ticks - MIN(r->idle_ticks, r->total_ticks)) * NSEC_PER_TICK;
        else
                return;
        if (!counts_has(&r->cgroup, CGROUP_USAGE_USEC))
                return;
        uint64_t own = counts_get(&r->cgroup, CGROUP_USAGE_USEC) * NSEC_PER_USEC;
        r->have_others = true;
        r->others_nsec = busy > own ? busy - own : 0;
}

/* The nearest cgroup upwards that has a quota of its own counts periods; the tightest quota bounds. */
static void fill_quota(const RecordInput *in, TickRecord *r) {
        const Snapshot *s = in->delta->snapshot;
        for (size_t i = in->cgroup; i != CGROUP_NONE; i = s->cgroups[i].parent) {
                const CgroupSample *c = &s->cgroups[i];
                if (!(c->have & CGROUP_HAVE_MAX) || c->quota_usec == USEC_INFINITY || c->period_usec == 0)
                        continue;
                uint64_t quota = c->quota_usec * 1000 / c->period_usec;
                const Counts *counts = &in->delta->cgroups[i].counts;
                if (r->have_quota && quota >= r->quota_milli)
                        continue;
                r->have_quota = true;
                r->quota_milli = quota;
                if (i != in->cgroup && counts_has(counts, CGROUP_NR_PERIODS) &&
                    counts_has(counts, CGROUP_NR_THROTTLED)) {
                        counts_set(&r->cgroup, CGROUP_NR_PERIODS, counts_get(counts, CGROUP_NR_PERIODS));
                        counts_set(&r->cgroup, CGROUP_NR_THROTTLED, counts_get(counts, CGROUP_NR_THROTTLED));
                }
        }
}

static bool has_quota(const Snapshot *s, size_t i) {
        for (; i != CGROUP_NONE; i = s->cgroups[i].parent)
                if ((s->cgroups[i].have & CGROUP_HAVE_MAX) && s->cgroups[i].quota_usec != USEC_INFINITY)
                        return true;
        return false;
}

/* Whose throttling is not known in this tick (it is new, or was asleep) is only let off where no quota holds it. */
static bool throttled(const Delta *d, size_t i) {
        const CgroupDelta *g = &d->cgroups[i];
        return g->throttled_known ? g->throttled_usec > 0 : has_quota(d->snapshot, i);
}

/* Other groups: without the target's ancestors (the root with its kernel threads among them), descendants, itself, and
 * whoever waits for his own quota. */
static bool is_outside(const RecordInput *in, size_t i) {
        const Snapshot *s = in->delta->snapshot;
        return !snapshot_is_below(s, i, in->cgroup) && !snapshot_is_below(s, in->cgroup, i) && !throttled(in->delta, i);
}

/* Groups with children have threads of their own only where no controller is on, but then they count. */
static bool all_threads_read(const Snapshot *s) {
        for (size_t i = 1; i < s->n_cgroups; i++)
                if (!(s->cgroups[i].have & CGROUP_HAVE_THREADS))
                        return false;
        return true;
}

static Outside outside_groups(const RecordInput *in) {
        Outside o = {.have = all_threads_read(in->delta->snapshot)};

        for (size_t i = 1; o.have && i < in->delta->snapshot->n_cgroups; i++) {
                const CgroupDelta *g = &in->delta->cgroups[i];
                uint64_t slices = counts_get(&g->threads, THREAD_SLICES) - g->kernel_slices;
                if (slices == 0 || !is_outside(in, i))
                        continue;
                o.n_groups++;
                o.delay_nsec += counts_get(&g->threads, THREAD_DELAY_NSEC) - g->kernel_delay_nsec;
                o.slices += slices;
        }
        return o;
}

static bool anybody_throttled(const Delta *d) {
        for (size_t i = 1; i < d->snapshot->n_cgroups; i++)
                if (throttled(d, i))
                        return true;
        return false;
}

/* What all CPUs did. False where one of them can't tell. */
static bool sum_all_cpus(const Delta *d, Counts *ret) {
        Counts sum = {};
        for (size_t i = 0; i < d->n_cpus; i++) {
                const Counts *c = &d->cpus[i].counts;
                if (!counts_has(c, CPU_DELAY_NSEC) || !counts_has(c, CPU_SLICES))
                        return false;
                counts_add(&sum, c);
        }
        *ret = sum;
        return d->n_cpus > 0;
}

/* The CPUs' own sums less the target's: holds every thread there is, so it can't leave throttled ones out. */
static Outside outside_cpu_time(const RecordInput *in, const TickRecord *r) {
        Counts sum;
        if (!counts_has(&r->threads, THREAD_DELAY_NSEC) || !counts_has(&r->threads, THREAD_SLICES) ||
            !sum_all_cpus(in->delta, &sum) || anybody_throttled(in->delta))
                return (Outside){};

        uint64_t delay = counts_get(&sum, CPU_DELAY_NSEC), own_delay = counts_get(&r->threads, THREAD_DELAY_NSEC);
        uint64_t slices = counts_get(&sum, CPU_SLICES), own_slices = counts_get(&r->threads, THREAD_SLICES);
        return (Outside){
                .have = true,
                .delay_nsec = delay - MIN(delay, own_delay),
                .slices = slices - MIN(slices, own_slices),
        };
}

/* The threads of the cgroup and, for a slice, of everything below it (the subtree is contiguous). */
static void fill_threads(const RecordInput *in, TickRecord *r) {
        const Delta *d = in->delta;
        for (size_t i = in->cgroup; i < d->snapshot->n_cgroups && snapshot_is_below(d->snapshot, i, in->cgroup); i++) {
                const CgroupDelta *g = &d->cgroups[i];
                counts_add(&r->threads, &g->threads);
                r->n_threads += (unsigned) g->n_threads;
                for (size_t k = 0; k < g->n_threads; k++) {
                        const ThreadDelta *t = &d->threads[g->first_thread + k];
                        if (t->wait_max_rose)
                                r->busiest_wait_max_nsec = MAX(r->busiest_wait_max_nsec, t->thread->wait_max_nsec);
                }
        }
}

static uint64_t share_of(const RecordInput *in, unsigned n_cpus) {
        const Competition c = {
                .snapshot = in->delta->snapshot,
                .demands = in->demands,
                .n_cpus = n_cpus,
                .mode = in->mode,
                .raised = CGROUP_NONE,
        };
        return fair_share(&c, in->cgroup);
}

void record_make(const RecordInput *in, TickRecord *ret) {
        const Delta *d = in->delta;
        const CgroupDelta *g = &d->cgroups[in->cgroup];
        TickRecord r = {
                .tick = in->tick,
                .dt_usec = d->dt_usec,
                .cgroup = g->counts,
                .have_throttled = g->throttled_known,
                .throttled_usec = g->throttled_usec,
        };

        fill_threads(in, &r);
        /* Where cpu.stat was not asked (it is dear), the threads' own time stands for it. */
        if (!counts_has(&r.cgroup, CGROUP_USAGE_USEC) && counts_has(&r.threads, THREAD_RUN_NSEC))
                counts_set(&r.cgroup, CGROUP_USAGE_USEC, counts_get(&r.threads, THREAD_RUN_NSEC) / NSEC_PER_USEC);
        fill_cpus(in, &r);
        fill_quota(in, &r);
        r.other_groups = outside_groups(in);
        r.other_cpu_time = outside_cpu_time(in, &r);
        r.have_fair_share = counts_has(&r.threads, THREAD_DELAY_NSEC);
        r.fair_share_milli = r.have_fair_share ? share_of(in, r.n_allowed) : 0;
        *ret = r;
}

void record_make_kernel(const Delta *delta, uint64_t tick, TickRecord *ret) {
        TickRecord r = {.tick = tick, .dt_usec = delta->dt_usec};
        Counts cpus = {}, groups = {};

        for (size_t i = 0; i < delta->n_cpus; i++)
                counts_add(&cpus, &delta->cpus[i].counts);
        for (size_t i = 1; i < delta->snapshot->n_cgroups; i++)
                counts_add(&groups, &delta->cgroups[i].threads);

        uint64_t all = counts_get(&cpus, CPU_DELAY_NSEC), theirs = counts_get(&groups, THREAD_DELAY_NSEC);
        if (counts_has(&cpus, CPU_DELAY_NSEC) && all_threads_read(delta->snapshot))
                counts_set(&r.threads, THREAD_DELAY_NSEC, all > theirs ? all - theirs : 0);
        *ret = r;
}
