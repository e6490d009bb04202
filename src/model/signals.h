/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The derived quantities on which verdicts are decided, over the sums of a few ticks. One row of the table in
 * signals.c names each for people and for JSON. Integers: thousandths of the unit that is shown. */

#include "model/counts.h"

typedef enum Signal {
        SIGNAL_USAGE,          /* run time / dt, CPUs */
        SIGNAL_DEMAND,         /* (run time + run delay) / dt: mean number of threads that want to run */
        SIGNAL_WAITING,        /* (run delay - throttled) / dt: mean number of threads that wait */
        SIGNAL_WAIT_PER_SLICE, /* usec */
        SIGNAL_WAIT_SHARE,     /* wait / (wait + run time) */
        SIGNAL_MIGRATIONS_PER_SWITCH,
        SIGNAL_MIGRATIONS_PER_CPU_SECOND, /* migrations / run time in s, of the threads seen as are all switches */
        SIGNAL_SWITCHES_PER_CPU_SECOND,
        SIGNAL_VOLUNTARY_SHARE,   /* of the switches */
        SIGNAL_IDLE,              /* mean over the allowed CPUs */
        SIGNAL_OTHERS,            /* usage of everybody else on the allowed CPUs, CPUs */
        SIGNAL_FAIR_SHARE,        /* CPUs that water-filling by cpu.weight would give */
        SIGNAL_OUTSIDE_WAIT,      /* usec per slice of the other groups' threads */
        SIGNAL_OUTSIDE_FACTOR,    /* wait per slice / that */
        SIGNAL_OUTSIDE_GROUPS,    /* whose threads it was measured on; absent where it is of the CPUs less the target */
        SIGNAL_THROTTLED,         /* throttled time / dt (CPU-queue time: may exceed 1) */
        SIGNAL_THROTTLED_PERIODS, /* nr_throttled / nr_periods */
        SIGNAL_THROTTLED_OF_DELAY, /* throttled time / run delay */
        SIGNAL_COVERAGE,           /* run time of threads, as far as it is known, / cpu.stat usage */
        SIGNAL_COVERAGE_SEEN,      /* the same without those that came or went in a tick; absent where that is all */
        SIGNAL_ALLOWED_CPUS,
        SIGNAL_QUOTA,  /* the tightest cpu.max on the path, CPUs; absent without one */
        SIGNAL_SLICES, /* in the window */
        SIGNAL_THREADS,
        SIGNAL_USAGE_OF_PAST, /* usage / the target's own median at the same thread count */
        _SIGNAL_MAX,
} Signal;

#define SIGNAL_SCALE 1000

/* A signal beyond this (from counters that make no sense) stays at it, so that ten times as much still fits: a bound
 * may be a factor in thousandths of another signal. */
#define SIGNAL_VALUE_MAX (INT64_MAX / (10 * SIGNAL_SCALE))

/* Of SIGNAL_COVERAGE and SIGNAL_COVERAGE_SEEN: below that, threads that were born and died between two ticks did too
 * much of the work for those that were seen to speak for the group. */
#define COVERAGE_MIN 700

typedef struct Signals {
        uint64_t have;
        int64_t value[_SIGNAL_MAX]; /* thousandths */
} Signals;

typedef struct SignalInfo {
        const char *name;  /* in JSON and in explanations; part of the interface */
        const char *needs; /* where it comes from, for "unknown: needs ..." */
        unsigned decimals; /* shown */
} SignalInfo;

const SignalInfo *signal_info(Signal s);

static inline bool signals_has(const Signals *s, Signal i) {
        return s->have & (UINT64_C(1) << i);
}
static inline void signals_set(Signals *s, Signal i, int64_t value) {
        s->have |= UINT64_C(1) << i;
        s->value[i] = value;
}
static inline void signals_clear(Signals *s, Signal i) {
        s->have &= ~(UINT64_C(1) << i);
}
/* Sets numerator * SIGNAL_SCALE / denominator, SIGNAL_VALUE_MAX at the most; leaves the signal absent where the
 * denominator is 0. */
void signals_set_ratio(Signals *s, Signal i, uint64_t numerator, uint64_t denominator);
