/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What the snapshot before knew. Most cgroups and threads of a machine sleep from one tick to the next. cpu.pressure is
 * cheap, but cpu.stat is not: the kernel first sums up what each CPU has counted, for all controllers, under a lock
 * (rstat flush). So where a group that did not run lately has no new pressure either, it is taken to sleep on, and what
 * is known of it still holds. Hardly anything runs without ever waiting for a microsecond; what does, or was set on it
 * or moved into it meanwhile, is seen when it is read anew, every tenth time, one group after the other. Where the
 * kernel tells of births and ends (process-events.c), a group whose threads are known is read anew after each of
 * theirs. */

#include <errno.h>

#include "base/array.h"
#include "sample/sampler-internal.h"

#define READ_ANEW_EVERY 10

const CgroupSample *before_cgroup(const Sampler *s, const CgroupSample *cgroup) {
        size_t i = s->before ? snapshot_find(s->before, cgroup->path) : CGROUP_NONE;
        if (i == CGROUP_NONE || s->before->cgroups[i].id != cgroup->id)
                return NULL;
        return &s->before->cgroups[i];
}

const ThreadSample *before_thread(const Sampler *s, const CgroupSample *before, pid_t tid) {
        if (!before)
                return NULL;

        const ThreadSample *threads = s->before->threads + before->first_thread;
        size_t from = 0, to = before->n_threads;
        while (from < to) {
                size_t middle = from + (to - from) / 2;
                if (threads[middle].tid < tid)
                        from = middle + 1;
                else
                        to = middle;
        }
        return from < before->n_threads && threads[from].tid == tid ? &threads[from] : NULL;
}

/* Does it hold what is wanted now? Of whom all is asked, all is read: what was carried leaves a gap when it ends. */
static bool knows(const CgroupSample *before, SampleWant want) {
        switch (want) {
        case SAMPLE_CGROUP:
                return counts_has(&before->counts, CGROUP_USAGE_USEC);
        case SAMPLE_THREADS:
                return before->have & CGROUP_HAVE_THREADS;
        case SAMPLE_BOTH:
                return false;
        }
        assert(false);
        return false;
}

/* Spread over the ticks by the index; where that moves along (groups before it end), by the time that has passed. */
static bool is_due(const Sampler *s, size_t index, const CgroupSample *before) {
        return (index + s->n_taken) % READ_ANEW_EVERY == 0 || before->carried + 1 >= READ_ANEW_EVERY;
}

/* The processes of a group are known by its threads. */
static bool is_touched(const Sampler *s, const CgroupSample *before) {
        const ThreadSample *threads = s->before->threads + before->first_thread;

        if (!process_events_any(s->events))
                return false;
        for (size_t i = 0; i < before->n_threads; i++)
                if ((i == 0 || threads[i].pid != threads[i - 1].pid) &&
                    process_events_touched(s->events, threads[i].pid))
                        return true;
        return false;
}

bool before_rests(const Sampler *s, size_t index, const CgroupSample *before, const CgroupSample *cgroup,
                  SampleWant want) {
        if (!before || !before->slept || !cgroup->leaf || !knows(before, want) || is_due(s, index, before) ||
            is_touched(s, before))
                return false;
        return counts_has(&before->counts, CGROUP_SOME_USEC) && counts_has(&cgroup->counts, CGROUP_SOME_USEC) &&
               counts_get(&before->counts, CGROUP_SOME_USEC) == counts_get(&cgroup->counts, CGROUP_SOME_USEC);
}

bool before_slept(const CgroupSample *before, const CgroupSample *cgroup) {
        return before && before->leaf && cgroup->leaf && counts_has(&before->counts, CGROUP_USAGE_USEC) &&
               counts_get(&before->counts, CGROUP_USAGE_USEC) == counts_get(&cgroup->counts, CGROUP_USAGE_USEC);
}

static int copy_set(const Cpuset *from, Cpuset **ret) {
        *ret = from ? cpuset_copy(from) : NULL;
        return from && !*ret ? -ENOMEM : 0;
}

int before_take_cgroup(const CgroupSample *before, CgroupSample *cgroup) {
        CgroupSample c = *before;

        c.path = cgroup->path;
        c.parent = cgroup->parent;
        c.have &= ~(unsigned) CGROUP_HAVE_THREADS;
        c.first_thread = c.n_threads = 0;
        c.first_process = c.n_processes = 0;
        c.effective = NULL;
        int r = copy_set(before->cpus, &c.cpus);
        if (r >= 0)
                r = copy_set(before->effective, &c.effective);
        *cgroup = c;
        return r;
}

int before_take_threads(const Sampler *s, Snapshot *snapshot, size_t index, const CgroupSample *before) {
        CgroupSample *c = &snapshot->cgroups[index];

        c->first_thread = snapshot->n_threads;
        int r = ARRAY_RESERVE(snapshot->threads, snapshot->allocated_threads, snapshot->n_threads + before->n_threads);
        if (r < 0)
                return r;
        for (size_t i = 0; i < before->n_threads; i++) {
                ThreadSample t = s->before->threads[before->first_thread + i];
                t.cgroup = index;
                snapshot->threads[snapshot->n_threads++] = t;
        }
        c->n_threads = before->n_threads;
        c->have |= CGROUP_HAVE_THREADS;
        return 0;
}
