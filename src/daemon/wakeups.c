/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* One timer on CLOCK_MONOTONIC with absolute times, and three signals through signalfd. A timer that is set "interval
 * from now" would drift by the cost of each tick; this one stays on the grid of its first tick. */

#include "daemon/wakeups.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>

#include "io/clock.h"

/* The kernel and sd-event may put wake-ups together within this part of the interval: dt is read from the clock, so
 * that nothing is computed from the interval. */
#define ACCURACY_PART 50

struct Wakeups {
        sd_event_source *timer, *term, *interrupt, *hangup;
        usec_t interval_usec;
        usec_t last_usec, due_usec; /* when the last tick was due, and the next */
        WakeupCallbacks callbacks;
};

usec_t wakeups_next(usec_t due, usec_t interval_usec, usec_t now) {
        usec_t next = due + interval_usec;
        if (next > now)
                return next;
        return next + (now - next) / interval_usec * interval_usec + interval_usec;
}

static int arm(Wakeups *w) {
        int r = sd_event_source_set_time(w->timer, w->due_usec);
        if (r < 0)
                return r;
        return sd_event_source_set_enabled(w->timer, SD_EVENT_ONESHOT);
}

static int on_timer(sd_event_source *s, uint64_t due, void *userdata) {
        Wakeups *w = userdata;

        w->last_usec = w->due_usec;
        w->callbacks.tick(w->callbacks.userdata);

        /* The loop's own now is from before the tick. */
        w->due_usec = wakeups_next(w->last_usec, w->interval_usec, clock_monotonic());
        return arm(w);
}

static int on_signal(sd_event_source *s, const struct signalfd_siginfo *si, void *userdata) {
        Wakeups *w = userdata;

        if (si->ssi_signo == SIGHUP)
                w->callbacks.reload(w->callbacks.userdata);
        else
                w->callbacks.stop(w->callbacks.userdata, (int) si->ssi_signo);
        return 0;
}

static int add_signals(Wakeups *w, sd_event *event) {
        sigset_t set;

        (void) sigemptyset(&set);
        (void) sigaddset(&set, SIGTERM);
        (void) sigaddset(&set, SIGINT);
        (void) sigaddset(&set, SIGHUP);
        if (sigprocmask(SIG_BLOCK, &set, NULL) < 0)
                return -errno;

        int r = sd_event_add_signal(event, &w->term, SIGTERM, on_signal, w);
        if (r < 0)
                return r;
        r = sd_event_add_signal(event, &w->interrupt, SIGINT, on_signal, w);
        if (r < 0)
                return r;
        return sd_event_add_signal(event, &w->hangup, SIGHUP, on_signal, w);
}

int wakeups_new(sd_event *event, usec_t interval_usec, const WakeupCallbacks *callbacks, Wakeups **ret) {
        _cleanup_(wakeups_freep) Wakeups *w = calloc(1, sizeof(Wakeups));
        if (!w)
                return -ENOMEM;
        w->interval_usec = interval_usec;
        w->callbacks = *callbacks;

        int r = add_signals(w, event);
        if (r < 0)
                return r;
        r = sd_event_now(event, CLOCK_MONOTONIC, &w->due_usec);
        if (r < 0)
                return r;
        r = sd_event_add_time(event, &w->timer, CLOCK_MONOTONIC, w->due_usec, interval_usec / ACCURACY_PART + 1,
                              on_timer, w);
        if (r < 0)
                return r;

        *ret = TAKE_PTR(w);
        return 0;
}

Wakeups *wakeups_free(Wakeups *w) {
        if (!w)
                return NULL;
        sd_event_source_disable_unref(w->timer);
        sd_event_source_disable_unref(w->term);
        sd_event_source_disable_unref(w->interrupt);
        sd_event_source_disable_unref(w->hangup);
        free(w);
        return NULL;
}

int wakeups_set_interval(Wakeups *w, usec_t interval_usec) {
        if (interval_usec == w->interval_usec)
                return 0;

        w->interval_usec = interval_usec;
        w->due_usec = wakeups_next(w->last_usec, interval_usec, clock_monotonic());
        int r = sd_event_source_set_time_accuracy(w->timer, interval_usec / ACCURACY_PART + 1);
        if (r < 0)
                return r;
        return arm(w);
}
