/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* What happened between two snapshots. A cgroup or thread that is not in both under the same identity, a counter that
 * went back, and a thread that runs another program since, has no difference: it starts a new baseline. */

#include "model/snapshot.h"

typedef struct ThreadDelta {
        const ThreadSample *thread; /* in the newer snapshot */
        Counts counts;              /* ThreadCount */
        bool wait_max_rose;         /* its longest wait ever fell into this tick: thread->wait_max_nsec */
} ThreadDelta;

typedef struct CgroupDelta {
        bool known;     /* was there before, under the same identity */
        bool reset;     /* a counter went back, or all that was seen of it is another program now: its past ends here */
        Counts counts;  /* CgroupCount, of the cgroup itself */
        Counts threads; /* ThreadCount, summed over its threads; empty where they were not read in both. Run time, run
                         * delay and slices with those of threads that came or went, where that is known */
        uint64_t kernel_delay_nsec, kernel_slices; /* what the kernel's threads in it (vhost before 6.4) have of that */
        size_t first_thread, n_threads;            /* in Delta.threads */
        size_t n_anew;                             /* of them: with another program since */
        usec_t throttled_usec;                     /* its own and its ancestors', without the root */
        bool throttled_known;
} CgroupDelta;

typedef struct CpuDelta {
        unsigned cpu;
        Counts counts; /* CpuCount */
} CpuDelta;

typedef struct Delta {
        const Snapshot *snapshot; /* the newer one; must outlive the delta */
        usec_t dt_usec;
        CgroupDelta *cgroups; /* same index as snapshot->cgroups */
        ThreadDelta *threads; /* grouped by cgroup */
        size_t n_threads;
        Counts *processes; /* same index as snapshot->processes: what its sum rose by; empty: not known */
        CpuDelta *cpus;
        size_t n_cpus;
} Delta;

/* -ENOMEM; -ERANGE where the clock did not move forward. */
int delta_new(const Snapshot *before, const Snapshot *after, Delta **ret);
Delta *delta_free(Delta *d);
DEFINE_CLEANUP_FUNC(Delta *, delta_free);
#define _cleanup_delta_ _cleanup_(delta_freep)
