/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* What one target did in each of its last ticks: the basis of signals (sums of the last 3) and of trials (windows). */

#include "base/usec.h"
#include "model/delta.h"
#include "model/signals.h"

#define SIGNAL_WINDOW_TICKS 3

/* What threads outside of a target did in a tick. */
typedef struct Outside {
        bool have;
        unsigned n_groups; /* groups that ran, where their threads were told apart */
        uint64_t delay_nsec, slices;
} Outside;

/* One tick of one target: differences only. */
typedef struct TickRecord {
        uint64_t tick;
        usec_t dt_usec;
        Counts cgroup;  /* CgroupCount */
        Counts threads; /* ThreadCount, summed */
        unsigned n_threads;
        bool have_throttled;
        usec_t throttled_usec;
        unsigned n_allowed; /* CPUs it may use, without a pin of ours */
        bool have_idle, have_others;
        uint64_t idle_ticks, total_ticks, steal_ticks; /* summed over those CPUs */
        uint64_t others_nsec;                          /* run time of everybody else on those CPUs */
        bool have_fair_share;
        uint64_t fair_share_milli; /* CPUs * 1000 */
        Outside other_groups;      /* their threads; absent where not all threads were read */
        Outside other_cpu_time;    /* all that ran on the CPUs less the target; absent while anybody is throttled */
        bool have_quota;
        uint64_t quota_milli; /* CPUs * 1000 */
        bool have_metric;
        double metric;                  /* the user's own figure */
        uint64_t busiest_wait_max_nsec; /* longest single wait that fell into this tick, 0 where none is known */
} TickRecord;

/* Adds one tick's counts, times and sums to *sum, which holds those of another: what either lacks is lacking. Of what
 * is a state and no count (threads, CPUs, quota, metric), *sum keeps its own. */
void tick_record_add(TickRecord *sum, const TickRecord *part);

typedef struct History {
        TickRecord *records; /* ring */
        size_t capacity, n, next;
} History;

void history_done(History *h);
/* Grows the ring to hold at least `ticks` records, keeping what it has. -ENOMEM. */
int history_reserve(History *h, size_t ticks);
/* Needs room (history_reserve()); the oldest goes when the ring is full. */
void history_push(History *h, const TickRecord *r);
void history_clear(History *h);
/* The record `age` ticks ago (0: the newest), NULL where there is none. */
const TickRecord *history_at(const History *h, size_t age);

/* Everything derived, over the sums of the newest `window` records (fewer where there are fewer). A quantity whose
 * inputs are absent in any of the records is absent. Formulas: the comments of enum Signal.
 * Thread-based signals are absent where coverage is below 70 %, those from switches where that of the threads seen is.
 */
void history_signals(const History *h, size_t window, Signals *ret);
