/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Differences by joining two sorted snapshots, cgroup by cgroup and inside each thread by thread. Only what is in both
 * under the same identity is compared: an exited thread is no negative number, a cgroup that was made anew under an old
 * name is not its predecessor, and a counter that went back is dropped for this tick and said so.
 *
 * So threads that came or went in the tick are not in the sum of the threads. They are in that of their process, which
 * the kernel never forgets: what a process's sum rose by is what its threads did, those seen in both snapshots, those
 * born since, those that have died since (up to the first snapshot they are in its sum, too), and those that did both.
 * Less what those seen did, it is what was missed. */

#include "model/delta.h"

#include <errno.h>
#include <stdlib.h>

Delta *delta_free(Delta *d) {
        if (!d)
                return NULL;
        free(d->cgroups);
        free(d->threads);
        free(d->processes);
        free(d->cpus);
        free(d);
        return NULL;
}

/* A recording does not keep ids: there the path is all there is. */
static bool same_cgroup(const CgroupSample *a, const CgroupSample *b) {
        return a->id == b->id || a->id == 0 || b->id == 0;
}

static int compare_threads(const ThreadSample *a, const ThreadSample *b) {
        if (a->tid != b->tid)
                return a->tid < b->tid ? -1 : 1;
        if (a->start_ticks != b->start_ticks)
                return a->start_ticks < b->start_ticks ? -1 : 1;
        return 0;
}

static void add_thread(Delta *d, CgroupDelta *c, const ThreadSample *before, const ThreadSample *after) {
        ThreadDelta *t = &d->threads[d->n_threads++];

        c->n_threads++;
        if (after->anew) {
                c->n_anew++;
                *t = (ThreadDelta){.thread = after};
                return;
        }
        *t = (ThreadDelta){
                .thread = after,
                .wait_max_rose =
                        before->wait_max_known && after->wait_max_known && after->wait_max_nsec > before->wait_max_nsec,
        };
        if (!counts_delta(&before->counts, &after->counts, &t->counts))
                c->reset = true;
        counts_add(&c->threads, &t->counts);
        if (after->kernel) {
                c->kernel_delay_nsec += counts_get(&t->counts, THREAD_DELAY_NSEC);
                c->kernel_slices += counts_get(&t->counts, THREAD_SLICES);
        }
}

static void join_threads(Delta *d, CgroupDelta *c, const Snapshot *before, const CgroupSample *was,
                         const CgroupSample *is) {
        const ThreadSample *a = before->threads + was->first_thread, *a_end = a + was->n_threads;
        const ThreadSample *b = d->snapshot->threads + is->first_thread, *b_end = b + is->n_threads;

        while (a < a_end && b < b_end) {
                int order = compare_threads(a, b);
                if (order == 0)
                        add_thread(d, c, a, b);
                if (order <= 0)
                        a++;
                if (order >= 0)
                        b++;
        }
}

/* Before anything is added of threads that were not seen. */
static void note_seen(Counts *threads) {
        if (counts_has(threads, THREAD_RUN_NSEC))
                counts_set(threads, THREAD_SEEN_RUN_NSEC, counts_get(threads, THREAD_RUN_NSEC));
        if (counts_has(threads, THREAD_DELAY_NSEC))
                counts_set(threads, THREAD_SEEN_DELAY_NSEC, counts_get(threads, THREAD_DELAY_NSEC));
}

/* A thread that dies is counted twice by the kernel for a moment, as living and as dead: the sums then have its whole
 * life too much, and less again in the next tick. Of run time another count is known, which has not: where the sums ran
 * ahead of that by more than the files may be apart, or went back, the process is left out. */
static bool is_sound(const ProcessSample *was, const ProcessSample *is, const Counts *rose) {
        uint64_t run = counts_get(rose, THREAD_RUN_NSEC);
        return is->told_nsec >= was->told_nsec && is->told_nsec - was->told_nsec <= run + run / 4;
}

static void join_processes(Delta *d, const Snapshot *before, const CgroupSample *was, const CgroupSample *is) {
        const ProcessSample *a = before->processes + was->first_process, *a_end = a + was->n_processes;

        for (size_t i = is->first_process; i < is->first_process + is->n_processes; i++) {
                const ProcessSample *b = &d->snapshot->processes[i];
                Counts rose;
                while (a < a_end && a->pid < b->pid)
                        a++;
                if (a < a_end && a->pid == b->pid && a->start_ticks == b->start_ticks && !b->anew &&
                    counts_delta(&a->counts, &b->counts, &rose) && is_sound(a, b, &rose))
                        d->processes[i] = rose;
        }
}

/* What the process of this thread rose by, NULL where that is not known. */
static const Counts *process_of(const Delta *d, const CgroupSample *is, const ThreadSample *thread) {
        size_t from = is->first_process, to = from + is->n_processes;

        assert(thread);
        while (from < to) {
                size_t middle = from + (to - from) / 2;
                if (d->snapshot->processes[middle].pid == thread->pid)
                        return d->processes[middle].have ? &d->processes[middle] : NULL;
                if (d->snapshot->processes[middle].pid < thread->pid)
                        from = middle + 1;
                else
                        to = middle;
        }
        return NULL;
}

/* What the processes rose by beyond what their seen threads did. The files are read one after the other, not at one
 * moment: a little less than nothing is nothing. */
static void add_unseen(const Delta *d, CgroupDelta *c, const CgroupSample *is) {
        Counts all = {}, seen = {};

        for (size_t i = is->first_process; i < is->first_process + is->n_processes; i++)
                counts_add(&all, &d->processes[i]);
        for (size_t i = c->first_thread; i < c->first_thread + c->n_threads; i++)
                if (process_of(d, is, d->threads[i].thread))
                        counts_add(&seen, &d->threads[i].counts);
        for (unsigned i = 0; i < COUNTS_MAX; i++)
                if (counts_has(&all, i) && counts_has(&seen, i) && all.value[i] > seen.value[i])
                        counts_set(&c->threads, i, counts_get(&c->threads, i) + all.value[i] - seen.value[i]);
}

/* Time for which an ancestor was throttled counts too, as nothing below it ran then; the root can't be. A group without
 * cpu.max has no such counter, and adds nothing. */
static void sum_throttled(const Delta *d, size_t i) {
        const Snapshot *s = d->snapshot;
        CgroupDelta *c = &d->cgroups[i];
        usec_t own = counts_get(&c->counts, CGROUP_THROTTLED_USEC);
        size_t parent = s->cgroups[i].parent;

        if (parent == CGROUP_NONE)
                return;
        c->throttled_known = c->known && (counts_has(&c->counts, CGROUP_THROTTLED_USEC) ||
                                          !counts_has(&s->cgroups[i].counts, CGROUP_THROTTLED_USEC));
        c->throttled_usec = own;
        if (s->cgroups[parent].parent == CGROUP_NONE)
                return;
        /* A parent stands before its children, so its own sum is ready. */
        c->throttled_known = c->throttled_known && d->cgroups[parent].throttled_known;
        c->throttled_usec = c->throttled_known ? own + d->cgroups[parent].throttled_usec : 0;
}

/* A group that was taken to sleep has run, by cpu.stat or by its threads, which may stand for it: what was counted may
 * be of more than this tick, and starts a new baseline. */
static void drop_what_is_older(Delta *d, CgroupDelta *c) {
        static const CgroupCount of_cpu_stat[] = {CGROUP_USAGE_USEC, CGROUP_NR_PERIODS, CGROUP_NR_THROTTLED,
                                                  CGROUP_THROTTLED_USEC, CGROUP_LOCAL_THROTTLED_USEC};

        if (counts_get(&c->counts, CGROUP_USAGE_USEC) == 0 && counts_get(&c->threads, THREAD_RUN_NSEC) == 0)
                return;
        for (size_t i = 0; i < ELEMENTSOF(of_cpu_stat); i++)
                c->counts.have &= ~(UINT32_C(1) << of_cpu_stat[i]);
        c->threads = (Counts){};
        c->kernel_delay_nsec = c->kernel_slices = 0;
        for (size_t i = 0; i < c->n_threads; i++)
                d->threads[c->first_thread + i].counts = (Counts){};
}

static void compare_cgroup(Delta *d, size_t i, const Snapshot *before, const CgroupSample *was) {
        const CgroupSample *is = &d->snapshot->cgroups[i];
        CgroupDelta *c = &d->cgroups[i];

        c->known = true;
        if (!counts_delta(&was->counts, &is->counts, &c->counts))
                c->reset = true;
        if ((was->have & CGROUP_HAVE_THREADS) && (is->have & CGROUP_HAVE_THREADS))
                join_threads(d, c, before, was, is);
        /* One program in the place of another, and none that stayed: nothing of its past tells what it will do. */
        if (c->n_anew > 0 && c->n_anew == c->n_threads)
                c->reset = true;
        note_seen(&c->threads);
        join_processes(d, before, was, is);
        add_unseen(d, c, is);
        if (was->carried && !is->carried)
                drop_what_is_older(d, c);
}

static void join_cgroups(Delta *d, const Snapshot *before) {
        const Snapshot *after = d->snapshot;
        size_t a = 0;

        for (size_t b = 0; b < after->n_cgroups; b++) {
                int order = -1;

                d->cgroups[b].first_thread = d->n_threads;
                while (a < before->n_cgroups &&
                       (order = path_compare(before->cgroups[a].path, after->cgroups[b].path)) < 0)
                        a++;
                if (a < before->n_cgroups && order == 0 && same_cgroup(&before->cgroups[a], &after->cgroups[b]))
                        compare_cgroup(d, b, before, &before->cgroups[a]);
                sum_throttled(d, b);
        }
}

static void join_cpus(Delta *d, const Snapshot *before) {
        const Snapshot *after = d->snapshot;

        for (size_t a = 0, b = 0; a < before->n_cpus && b < after->n_cpus;) {
                const CpuSample *was = &before->cpus[a], *is = &after->cpus[b];
                if (was->cpu == is->cpu) {
                        CpuDelta *c = &d->cpus[d->n_cpus++];
                        c->cpu = is->cpu;
                        (void) counts_delta(&was->counts, &is->counts, &c->counts);
                }
                if (was->cpu <= is->cpu)
                        a++;
                if (was->cpu >= is->cpu)
                        b++;
        }
}

int delta_new(const Snapshot *before, const Snapshot *after, Delta **ret) {
        if (after->monotonic_usec <= before->monotonic_usec)
                return -ERANGE;

        Delta *d = calloc(1, sizeof(*d));
        if (!d)
                return -ENOMEM;
        /* Room for the most there can be; calloc(0) may be NULL without being a failure. */
        d->cgroups = calloc(after->n_cgroups + 1, sizeof(*d->cgroups));
        d->threads = calloc(after->n_threads + 1, sizeof(*d->threads));
        d->processes = calloc(after->n_processes + 1, sizeof(*d->processes));
        d->cpus = calloc(after->n_cpus + 1, sizeof(*d->cpus));
        if (!d->cgroups || !d->threads || !d->processes || !d->cpus) {
                delta_free(d);
                return -ENOMEM;
        }

        d->snapshot = after;
        d->dt_usec = after->monotonic_usec - before->monotonic_usec;
        join_cgroups(d, before);
        join_cpus(d, before);
        *ret = d;
        return 0;
}
