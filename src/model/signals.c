/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The names of the derived quantities. One row each: what JSON and explanations call it, where it comes from (for
 * "unknown: needs ..."), and how many decimals a person wants to see. The names are part of the interface. */

#include "model/signals.h"

#define SCHEDSTAT "the threads' schedstat (CONFIG_SCHED_INFO)"
#define SCHED "the threads' sched files (CONFIG_SCHED_DEBUG)"
#define THROTTLING "throttled_usec of cpu.stat, the cgroup's and its ancestors'"

/* clang-format off */
static const SignalInfo table[_SIGNAL_MAX] = {
        [SIGNAL_USAGE]                     = { "usage_cpus", "cpu.stat", 2 },
        [SIGNAL_DEMAND]                    = { "demand", SCHEDSTAT, 2 },
        [SIGNAL_WAITING]                   = { "waiting_cpus", SCHEDSTAT " and " THROTTLING, 2 },
        [SIGNAL_WAIT_PER_SLICE]            = { "wait_per_slice_usec", SCHEDSTAT " and " THROTTLING, 0 },
        [SIGNAL_WAIT_SHARE]                = { "wait_share", SCHEDSTAT " and " THROTTLING, 3 },
        [SIGNAL_MIGRATIONS_PER_SWITCH]     = { "migrations_per_switch", SCHED, 3 },
        [SIGNAL_MIGRATIONS_PER_CPU_SECOND] = { "migrations_per_cpu_second", SCHED, 1 },
        [SIGNAL_SWITCHES_PER_CPU_SECOND]   = { "switches_per_cpu_second", SCHED, 0 },
        [SIGNAL_VOLUNTARY_SHARE]           = { "voluntary_share", SCHED, 3 },
        [SIGNAL_IDLE]                      = { "idle", "/proc/stat", 3 },
        [SIGNAL_OTHERS]                    = { "others_cpus", "the run time of all other threads on the allowed CPUs", 2 },
        [SIGNAL_FAIR_SHARE]                = { "fair_share_cpus", "the demand and cpu.weight of the competing groups", 2 },
        [SIGNAL_OUTSIDE_WAIT]              = { "outside_wait_usec", "the run delay of other groups' threads (100 slices or more)", 0 },
        [SIGNAL_OUTSIDE_FACTOR]            = { "outside_factor", "the wait of the threads, and that of other groups' threads", 1 },
        [SIGNAL_OUTSIDE_GROUPS]            = { "outside_groups", "the threads of all groups", 0 },
        [SIGNAL_THROTTLED]                 = { "throttled", THROTTLING, 3 },
        [SIGNAL_THROTTLED_PERIODS]         = { "throttled_periods", "nr_periods of cpu.stat (cpu controller)", 3 },
        [SIGNAL_THROTTLED_OF_DELAY]        = { "throttled_of_delay", SCHEDSTAT " and " THROTTLING, 3 },
        [SIGNAL_COVERAGE]                  = { "coverage", SCHEDSTAT " and cpu.stat", 3 },
        [SIGNAL_COVERAGE_SEEN]                      = { "coverage_seen", SCHEDSTAT " and cpu.stat", 3 },
        [SIGNAL_ALLOWED_CPUS]              = { "allowed_cpus", "the CPUs that the cgroup may use", 0 },
        [SIGNAL_QUOTA]                     = { "quota_cpus", "cpu.max", 2 },
        [SIGNAL_SLICES]                    = { "slices", SCHEDSTAT, 0 },
        [SIGNAL_THREADS]                   = { "threads", "the cgroup's threads", 0 },
        [SIGNAL_USAGE_OF_PAST]             = { "usage_of_past", "5 earlier ticks with as many threads", 3 },
};
/* clang-format on */

const SignalInfo *signal_info(Signal s) {
        assert((unsigned) s < _SIGNAL_MAX);
        return &table[s];
}

void signals_set_ratio(Signals *s, Signal i, uint64_t numerator, uint64_t denominator) {
        if (denominator == 0)
                return;

        /* 1,024 CPUs' nanoseconds of a day times 1,000 leave 64 bits. */
        unsigned __int128 scaled = (unsigned __int128) numerator * SIGNAL_SCALE / denominator;
        signals_set(s, i, scaled > SIGNAL_VALUE_MAX ? SIGNAL_VALUE_MAX : (int64_t) scaled);
}
