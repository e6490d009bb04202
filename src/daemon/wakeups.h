/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* What wakes the daemon: the tick and the signals. */

#include <systemd/sd-event.h>

#include "base/usec.h"

typedef struct WakeupCallbacks {
        void (*tick)(void *userdata);
        void (*reload)(void *userdata);           /* SIGHUP */
        void (*stop)(void *userdata, int signal); /* SIGTERM, SIGINT */
        void *userdata;
} WakeupCallbacks;

typedef struct Wakeups Wakeups;

/* Blocks the signals for the whole process, as sd_event_add_signal(3) wants it. The first tick is due at once. */
int wakeups_new(sd_event *event, usec_t interval_usec, const WakeupCallbacks *callbacks, Wakeups **ret);
Wakeups *wakeups_free(Wakeups *w);
DEFINE_CLEANUP_FUNC(Wakeups *, wakeups_free);

/* From the last tick on. */
int wakeups_set_interval(Wakeups *w, usec_t interval_usec);

/* When the tick after the one due at `due` is due, seen at `now`: on the grid of due + k * interval, so that no
 * lateness adds up, and in the future, so that ticks that were missed are not made up for in a burst. */
usec_t wakeups_next(usec_t due, usec_t interval_usec, usec_t now);
