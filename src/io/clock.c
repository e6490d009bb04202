/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The two clocks: one that only moves forward, for differences (it stands still while the machine sleeps, as the
 * scheduler's own counters do), and the one on the wall, for what people read. */

#include "io/clock.h"

#include <errno.h>
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

usec_t clock_process_cpu(void) {
        return clock_read(CLOCK_PROCESS_CPUTIME_ID);
}

bool clock_process(pid_t pid, uint64_t *ret_nsec) {
        struct timespec t;
        clockid_t id;

        if (clock_getcpuclockid(pid, &id) != 0 || clock_gettime(id, &t) < 0)
                return false;
        *ret_nsec = (uint64_t) t.tv_sec * NSEC_PER_SEC + (uint64_t) t.tv_nsec;
        return true;
}

void clock_sleep_until(usec_t usec) {
        struct timespec t = {
                .tv_sec = (time_t) (usec / USEC_PER_SEC),
                .tv_nsec = (long) (usec % USEC_PER_SEC * NSEC_PER_USEC),
        };

        while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) == EINTR)
                ;
}
