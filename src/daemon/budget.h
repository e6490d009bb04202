/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* cpu-budget=: how far the interval must be stretched so that placerd's own CPU time stays within it. */

#include "base/usec.h"

typedef struct Budget {
        usec_t interval_usec; /* as configured */
        unsigned permille;    /* of one CPU; 0: no limit */
        unsigned factor;      /* the interval in force is interval_usec * factor */
        bool warm;            /* the first ticks are over */
        unsigned ticks;       /* in the measurement that runs */
        usec_t last_usec;     /* CPU time at the last tick */
        int64_t credit_usec;  /* what may still be spent above the budget before the interval is stretched */
        usec_t start_usec;    /* CPU time at its begin */
        usec_t cost_usec;     /* CPU time a tick of the last whole measurement, 0: none yet */
} Budget;

/* `cpu_usec`: CPU time of the process so far. Also for new settings: what was measured is dropped. */
void budget_init(Budget *b, usec_t interval_usec, unsigned permille, usec_t cpu_usec);

/* After each tick. While a trial is under way the interval is the configured one: windows of uneven ticks would prove
 * nothing, and a trial is short. True where the interval in force has changed. */
bool budget_tick(Budget *b, usec_t cpu_usec, bool on_trial);

usec_t budget_interval(const Budget *b);

/* CPUs that placerd uses, from the last whole measurement; 0 before it. */
double budget_used(const Budget *b);
