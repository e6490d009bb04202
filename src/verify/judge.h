/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Did it help, and whom did it harm? Pure statistics on windows of TickRecords (design section 5). */

#include "model/history.h"
#include "model/outcome.h"
#include "model/settings.h"

/* A run of ticks: oldest first, no ring. */
typedef struct Window {
        const TickRecord *records;
        size_t n;
} Window;

typedef enum NeighbourKind {
        NEIGHBOUR_GROUP,
        NEIGHBOUR_KERNEL, /* all kernel threads together: their summed wait may rise by 0.1 s/s */
} NeighbourKind;

typedef struct Neighbour {
        NeighbourKind kind;
        const char *path;
        const Policy *policy; /* NULL: no section, bounded by max-take */
        Window before, after;
} Neighbour;

typedef struct Trial {
        const VerdictKind *verdict;
        Arm arm;
        bool ramping; /* more of the change is to come: its target may be worse off in between */
        const Policy *policy;
        Window past; /* up to and with the before-window, the longest stretch without a change: for the noise */
        Window before, after;
        const Neighbour *neighbours;
        size_t n_neighbours;
} Trial;

/* Block length, in ticks: consecutive ticks are correlated (0.5 to 0.8 on a noisy host), means of 5 hardly. */
#define BLOCK_TICKS 5

/* Value of one quantity over a stretch of ticks; false where its inputs are absent. QUANTITY_PROGRESS is the metric
 * where policy->metric_file is set, else voluntary switches per second (for both more is better: a metric with
 * metric-better=lower is turned round by its reciprocal). */
bool quantity_value(Quantity q, const Policy *policy, Window w, double *ret);

/* What an arm does not change must have stayed: thread count (25 %), quota, neighbours' demand (25 %), CPUs, steal < 5
 * %, and the target's demand within the before-window. True where it did; else ret_why (256 bytes) says what changed.
 */
bool judge_regime(const Trial *t, char ret_why[static 256]);

/* The whole judgement at the end of the after-window: KEPT, NO_EFFECT, WORSE or INCONCLUSIVE, with figures and text. */
void judge_trial(const Trial *t, Outcome *ret);

/* In mid-window: three ticks in a row at 3 x the bound. Returns true (and who) where the change must be undone now. */
bool judge_early_harm(const Trial *t, char ret_who[static 256]);
