/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The sums of a cgroup's processes, which hold what threads did that came and went between two snapshots. Each costs a
 * request, for which the kernel walks along all threads of the process; so only where it is worth it.
 *
 * The rule: where the threads that are in both snapshots did less than 90 % of what cpu.stat says the cgroup used, and
 * that is not next to nothing, its processes are asked about, now and in the 59 snapshots to come. The first answer is
 * only a baseline: were it asked once, a group whose threads come and go now and then would be missed each time. And
 * the windows of a trial (52 ticks by default) are measured alike. Where cpu.stat is not read there is nothing to hold
 * the sums against.
 *
 * In a threaded cgroup a process may have threads elsewhere: its sum is not the cgroup's. */

#include "base/array.h"
#include "io/clock.h"
#include "sample/sampler-internal.h"

#define SEEN_PERCENT 90
/* Under 1 % of a CPU the files are read too far apart to tell (as in model/history.c). */
#define USAGE_PER_DT 100
#define ASK_ON 60

/* Both snapshots have a cgroup's threads by tid, so that they can be walked along side by side. */
static uint64_t run_of_seen(const Sampler *s, const Snapshot *snapshot, const CgroupSample *c,
                            const CgroupSample *before) {
        const ThreadSample *was = s->before->threads + before->first_thread, *was_end = was + before->n_threads;
        uint64_t sum = 0;

        for (size_t i = c->first_thread; i < c->first_thread + c->n_threads; i++) {
                const ThreadSample *is = &snapshot->threads[i];
                while (was < was_end && was->tid < is->tid)
                        was++;
                if (was == was_end || was->tid != is->tid || was->start_ticks != is->start_ticks)
                        continue;
                uint64_t then = counts_get(&was->counts, THREAD_RUN_NSEC),
                         now = counts_get(&is->counts, THREAD_RUN_NSEC);
                sum += now > then ? now - then : 0;
        }
        return sum;
}

static bool much_was_missed(const Sampler *s, const Snapshot *snapshot, const CgroupSample *c,
                            const CgroupSample *before) {
        if (!counts_has(&before->counts, CGROUP_USAGE_USEC) || !(before->have & CGROUP_HAVE_THREADS))
                return false;

        uint64_t then = counts_get(&before->counts, CGROUP_USAGE_USEC), now = counts_get(&c->counts, CGROUP_USAGE_USEC);
        usec_t dt = snapshot->monotonic_usec - s->before->monotonic_usec;
        if (now < then || now - then < dt / USAGE_PER_DT)
                return false;
        return run_of_seen(s, snapshot, c, before) < (now - then) * NSEC_PER_USEC / 100 * SEEN_PERCENT;
}

/* For how many snapshots from here on, this one included. */
static unsigned ask_on(const Sampler *s, const Snapshot *snapshot, const CgroupSample *c) {
        const CgroupSample *before = before_cgroup(s, c);

        if (!before || c->threaded || !(c->have & CGROUP_HAVE_THREADS) || !counts_has(&c->counts, CGROUP_USAGE_USEC))
                return 0;
        if (much_was_missed(s, snapshot, c, before))
                return ASK_ON;
        return before->ask_processes > 0 ? before->ask_processes - 1 : 0;
}

/* The kernel brings a running thread's time up to date now and then (at a timer tick, a switch, a wakeup beside it),
 * and asks for the last of it only after taskstats has taken the sum of a thread that ends: of lives of 5 ms a third is
 * not there at 250 Hz. The CPU clock of the process has all. In a folder that only looks like /proc there is no
 * process. */
static bool read_clock(const Sampler *s, ProcessSample *p) {
        uint64_t run;

        p->told_nsec = counts_get(&p->counts, THREAD_RUN_NSEC);
        if (!s->live_proc)
                return true;
        if (!clock_process(p->pid, &run))
                return false;
        counts_set(&p->counts, THREAD_RUN_NSEC, run);
        return true;
}

static int ask(Sampler *s, Snapshot *snapshot, const ThreadSample *leader) {
        ProcessSample p = {.pid = leader->pid, .start_ticks = leader->start_ticks, .anew = leader->anew};

        int r = taskstats_ask(s->taskstats, p.pid, &p.counts);
        if (r <= 0)
                return r;
        if (!read_clock(s, &p))
                return 0;
        r = ARRAY_RESERVE(snapshot->processes, snapshot->allocated_processes, snapshot->n_processes + 1);
        if (r < 0)
                return r;
        snapshot->processes[snapshot->n_processes++] = p;
        return 0;
}

/* A process has the number of its first thread, which stays listed even where it has ended before the others. */
int processes_sample(Sampler *s, Snapshot *snapshot, size_t cgroup) {
        CgroupSample *c = &snapshot->cgroups[cgroup];

        c->first_process = snapshot->n_processes;
        if (!s->taskstats || taskstats_off(s->taskstats))
                return 0;
        c->ask_processes = ask_on(s, snapshot, c);
        if (c->ask_processes == 0)
                return 0;
        for (size_t i = c->first_thread; i < c->first_thread + c->n_threads; i++) {
                const ThreadSample *t = &snapshot->threads[i];
                int r = t->tid == t->pid ? ask(s, snapshot, t) : 0;
                if (r < 0)
                        return r;
        }
        c->n_processes = snapshot->n_processes - c->first_process;
        return 0;
}
