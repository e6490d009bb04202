/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Trials on loads that are made up: how often does the judge call a gain or a harm where nothing was changed, and how
 * often does it see one that is there? */

#include "verify/judge.h"

typedef struct SimLoad {
        const char *name;
        double noise;       /* standard deviation of a tick, relative to its mean */
        double correlation; /* of a tick with the next */
        size_t past;        /* ticks known before the change, at least SIM_BEFORE */
        size_t n_neighbours;
        bool churn;       /* migrations must halve too; else progress alone decides, which is easier to mistake */
        double progress;  /* what the change does to voluntary switches: 1 nothing, 2 doubles */
        double migration; /* the same for migrations */
} SimLoad;

typedef struct SimTally {
        unsigned trials;
        unsigned kept, no_effect, worse, inconclusive; /* judged at the end, as if early harm were not looked for */
        unsigned early;                                /* early harm in any tick of the after-window */
        unsigned regime;                               /* of the inconclusive: the regime is said to have changed */
} SimTally;

#define SIM_BEFORE 20
#define SIM_SETTLE 2
#define SIM_AFTER 30

/* Same seed, same result. */
void sim_run(const SimLoad *load, unsigned trials, uint64_t seed, SimTally *ret);
