/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* throttled: the group waits for its own quota, or that of a cgroup above it, and not for a CPU. Throttled time counts
 * as run delay and as pressure, so it must be told apart before anything else is believed. No remedy: the quota is
 * somebody's will. */

#include <stdio.h>

#include "base/format.h"
#include "detect/detectors.h"

static Answer throttled_holds(Question *q) {
        return ALL_OF(at_least(q, SIGNAL_THROTTLED, 50),
                      ANY_OF(at_least(q, SIGNAL_THROTTLED_PERIODS, 50), at_least(q, SIGNAL_THROTTLED_OF_DELAY, 500)));
}

/* The quota at which nothing would be throttled: what it uses and what it was held back from. A group of more threads
 * than CPUs wants no more than there are CPUs. */
static int64_t quota_that_would_fit(const Signals *s) {
        int64_t want = s->value[SIGNAL_USAGE] + s->value[SIGNAL_THROTTLED];
        if (signals_has(s, SIGNAL_DEMAND))
                want = MAX(want, s->value[SIGNAL_DEMAND]);
        return signals_has(s, SIGNAL_ALLOWED_CPUS) ? MIN(want, s->value[SIGNAL_ALLOWED_CPUS]) : want;
}

static void throttled_explain(const Signals *s, char *buf, size_t size) {
        char used[FORMAT_MAX], fit[FORMAT_MAX], quota[FORMAT_MAX] = "its quota";
        if (signals_has(s, SIGNAL_QUOTA))
                format_decimal(s->value[SIGNAL_QUOTA], 2, quota);
        snprintf(buf, size, "throttled by cpu.max: uses %s CPUs of a quota of %s; a quota of %s CPUs would fit",
                 format_decimal(s->value[SIGNAL_USAGE], 2, used), quota,
                 format_decimal(quota_that_would_fit(s), 1, fit));
}

const Detector detector_throttled = {
        .kind = {.name = "throttled"},
        .holds = throttled_holds,
        .explain = throttled_explain,
};
