/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The conditions that starvation and saturation share, and the one that tells them apart. Fitted on recordings of both:
 * waits of 16 to 95 ms a slice against at most 1.2 ms of everything else (design section 3). */

#include "detect/queued.h"

Answer queued_on_busy_cpus(Question *q) {
        int64_t two_targets = 2 * (int64_t) q->policy->wait_target_usec * SIGNAL_SCALE;
        return ALL_OF(at_least(q, SIGNAL_WAIT_SHARE, 200), at_most(q, SIGNAL_IDLE, 49),
                      at_least(q, SIGNAL_WAIT_PER_SLICE, two_targets));
}

Answer crowded_out(Question *q) {
        return ANY_OF(at_least_of(q, SIGNAL_OTHERS, 700, SIGNAL_WAITING),
                      at_most_of(q, SIGNAL_USAGE, 500, SIGNAL_FAIR_SHARE));
}
