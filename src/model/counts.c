/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Differences and sums of counters that may be missing. */

#include "model/counts.h"

bool counts_delta(const Counts *before, const Counts *after, Counts *ret) {
        Counts d = {};
        bool forward = true;

        for (unsigned i = 0; i < COUNTS_MAX; i++) {
                if (!counts_has(before, i) || !counts_has(after, i))
                        continue;
                if (after->value[i] < before->value[i])
                        forward = false;
                else
                        counts_set(&d, i, after->value[i] - before->value[i]);
        }

        *ret = d;
        return forward;
}

void counts_add(Counts *sum, const Counts *part) {
        for (unsigned i = 0; i < COUNTS_MAX; i++)
                if (counts_has(part, i))
                        counts_set(sum, i, counts_get(sum, i) + part->value[i]);
}

bool counts_set_sched_info(Counts *c, uint64_t run_nsec, uint64_t delay_nsec, uint64_t slices) {
        if (run_nsec == 0 && delay_nsec == 0 && slices == 0)
                return false;
        counts_set(c, THREAD_RUN_NSEC, run_nsec);
        counts_set(c, THREAD_DELAY_NSEC, delay_nsec);
        counts_set(c, THREAD_SLICES, slices);
        return true;
}
