/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* From signals to the verdict that is shown: the first detector that holds, made steady over a few ticks. */

#include "detect/detector.h"

#define VERDICT_TICKS 4  /* looked at */
#define VERDICT_QUORUM 3 /* of them must agree */

/* Below these there is too little to judge: "healthy". */
#define JUDGE_SLICES_MIN 30
#define JUDGE_DEMAND_MIN 100 /* thousandths of a CPU */

/* What a target looked like in its last ticks. Zeroed at the start. */
typedef struct Diagnosis {
        const VerdictKind *recent[VERDICT_TICKS]; /* newest first, as each tick alone looked */
        bool missed[VERDICT_TICKS];               /* newest first: the standing verdict's bounds were missed by 40 % */
        const Detector *standing;                 /* confirmed and not yet lost */
        const VerdictKind *shown;
        uint64_t since_tick;
} Diagnosis;

/* One more tick. Fills all of *ret but `treated`. looked_closer is false where only the cgroup's own files were read,
 * since nothing in them looked suspicious: that is healthy, and what is absent is not missed. */
void diagnosis_step(Diagnosis *d, const Signals *signals, const Policy *policy, bool looked_closer, uint64_t tick,
                    Verdict *ret);
