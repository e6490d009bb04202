/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The two clocks: one that only moves forward, for differences (it stands still while the machine sleeps, as the
 * scheduler's own counters do), and the one on the wall, for what people read. */

#include "io/clock.h"

#include <time.h>

static usec_t clock_read(clockid_t id) {
        struct timespec t;

        int r = clock_gettime(id, &t);
        assert(r == 0);
        (void) r;
        return (usec_t) t.tv_sec * USEC_PER_SEC + (usec_t) t.tv_nsec / NSEC_PER_USEC;
}

usec_t clock_monotonic(void) {
        return clock_read(CLOCK_MONOTONIC);
}

usec_t clock_realtime(void) {
        return clock_read(CLOCK_REALTIME);
}
