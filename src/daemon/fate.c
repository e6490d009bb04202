/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Stopped for good, or to be started again? Only the manager knows, and it says so by the job that is pending for the
 * unit. All cases, first that holds:
 *
 *   the manager can't be asked        keep: nothing could be undone without it either; the next start sees to it
 *   the machine is shutting down      keep: nothing of ours outlives it, and writing would only hold it up
 *   job restart, try-restart, start   keep, to be adopted without a write
 *   any other job (stop)              restore
 *   no job, ExecStopPost= after a     keep: Restart=on-failure comes next; where the manager gives up, OnFailure=
 *   failure                           starts placerd-restore.service, which is none of this and restores
 *   no job otherwise                  restore (a plain kill, an end by itself, by hand)
 */

#include "daemon/fate.h"

#include <errno.h>
#include <stdlib.h>

#include "act/systemd-manager.h"
#include "base/cleanup.h"
#include "io/log.h"

#define UNIT_NAME "placerd.service"

static bool starts_again(const char *job) {
        return streq(job, "restart") || streq(job, "try-restart") || streq(job, "start");
}

Fate fate_decide(const FateQuestion *q, const char **ret_why) {
        if (!q->asked) {
                *ret_why = "the service manager does not answer: the next start will adopt or undo";
                return FATE_KEEP;
        }
        if (streq_ptr(q->system_state, "stopping")) {
                *ret_why = "the machine is shutting down";
                return FATE_KEEP;
        }
        if (q->job && starts_again(q->job)) {
                *ret_why = "placerd is being restarted";
                return FATE_KEEP;
        }
        if (q->job) {
                *ret_why = "placerd is being stopped";
                return FATE_RESTORE;
        }
        if (q->service_result && !streq(q->service_result, "success")) {
                *ret_why = "placerd has failed and will be started again";
                return FATE_KEEP;
        }
        *ret_why = "placerd has ended";
        return FATE_RESTORE;
}

/* The unit whose job matters. ExecStopPost= and the daemon run in the very unit, whatever its name; everything else
 * (placerd-restore.service, a shell in a session) may be in a unit with jobs that say nothing about placerd. */
static int find_unit(sd_bus *bus, const char *service_result, char **ret) {
        if (service_result || getenv("NOTIFY_SOCKET"))
                return systemd_own_unit(bus, ret);

        char *unit = strdup(UNIT_NAME);
        if (!unit)
                return -ENOMEM;
        *ret = unit;
        return 0;
}

static int ask(const char *service_result, char **ret_state, char **ret_job) {
        _cleanup_(sd_bus_flush_close_unrefp) sd_bus *bus = NULL;
        _cleanup_free_ char *unit = NULL;

        /* A connection of its own: the daemon's may be what has just failed. */
        int r = systemd_bus_open(&bus);
        if (r < 0)
                return r;
        r = find_unit(bus, service_result, &unit);
        if (r < 0)
                return r;
        r = systemd_state(bus, ret_state);
        if (r < 0)
                return r;
        return systemd_pending_job(bus, unit, ret_job);
}

Fate fate_ask(const char **ret_why) {
        _cleanup_free_ char *state = NULL, *job = NULL;
        const char *service_result = getenv("SERVICE_RESULT");

        int r = ask(service_result, &state, &job);
        if (r < 0)
                log_warning(r, "Can't ask the service manager what comes next: %m");

        FateQuestion q = {
                .asked = r >= 0,
                .system_state = state,
                .job = job,
                .service_result = service_result,
        };
        return fate_decide(&q, ret_why);
}
