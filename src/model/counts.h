/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* A handful of counters of which some may be missing. A counter that could not be read is a cleared bit in `have`,
 * never 0; differences and sums keep that apart. Who counts what is named by the enums below. */

#include "base/macros.h"

#define COUNTS_MAX 12

typedef struct Counts {
        uint32_t have;
        uint64_t value[COUNTS_MAX];
} Counts;

/* cpu.stat, cpu.stat.local and cpu.pressure of a cgroup. */
typedef enum CgroupCount {
        CGROUP_USAGE_USEC,
        CGROUP_NR_PERIODS,
        CGROUP_NR_THROTTLED,
        CGROUP_THROTTLED_USEC,       /* cpu.stat */
        CGROUP_LOCAL_THROTTLED_USEC, /* cpu.stat.local */
        CGROUP_SOME_USEC,            /* cpu.pressure, some total */
        CGROUP_FULL_USEC,            /* cpu.pressure, full total */
        _CGROUP_COUNT_MAX,
} CgroupCount;

/* schedstat, sched and status of a thread. In the sum over a cgroup, the first three are also of threads that came or
 * went in the tick, where the kernel told; all others are of the threads that were seen before and after it, and only
 * with the time of those may they be compared. */
typedef enum ThreadCount {
        THREAD_RUN_NSEC,
        THREAD_DELAY_NSEC, /* run delay: runnable, but waiting for a CPU */
        THREAD_SLICES,
        THREAD_SWITCHES,
        THREAD_VOLUNTARY,
        THREAD_INVOLUNTARY,
        THREAD_MIGRATIONS,
        THREAD_WAKEUPS, /* this and the next only with kernel.sched_schedstats=1 */
        THREAD_WAKEUPS_AFFINE,
        THREAD_SEEN_RUN_NSEC, /* only in sums: run time and run delay of the threads that were seen before and after */
        THREAD_SEEN_DELAY_NSEC,
        _THREAD_COUNT_MAX,
} ThreadCount;

/* /proc/stat (USER_HZ ticks) and /proc/schedstat of a CPU. */
typedef enum CpuCount {
        CPU_IDLE_TICKS, /* idle + iowait */
        CPU_STEAL_TICKS,
        CPU_TOTAL_TICKS, /* the first eight fields; guest time is in user and nice already */
        CPU_RUN_NSEC,    /* /proc/schedstat: time that tasks ran here */
        CPU_DELAY_NSEC,  /* time that tasks waited here */
        CPU_SLICES,
        _CPU_COUNT_MAX,
} CpuCount;

static inline void counts_set(Counts *c, unsigned i, uint64_t value) {
        assert(i < COUNTS_MAX);
        c->have |= UINT32_C(1) << i;
        c->value[i] = value;
}

static inline bool counts_has(const Counts *c, unsigned i) {
        return c->have & (UINT32_C(1) << i);
}

/* The value, or 0 where it is absent: only for sums in which an absent part adds nothing. */
static inline uint64_t counts_get(const Counts *c, unsigned i) {
        return counts_has(c, i) ? c->value[i] : 0;
}

/* after - before, for each counter that both have and that did not go back; one that went back is absent in the
 * result (it is a new baseline). Returns false where any went back. */
bool counts_delta(const Counts *before, const Counts *after, Counts *ret);

/* Adds what `part` has to *sum. A counter that is in either is in the sum. */
void counts_add(Counts *sum, const Counts *part);

/* What the scheduler's accounting tells of a thread or process (ThreadCount). All three 0 is what a kernel without
 * CONFIG_SCHED_INFO says of everybody: then they are absent, and false is returned. */
bool counts_set_sched_info(Counts *c, uint64_t run_nsec, uint64_t delay_nsec, uint64_t slices);
