/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The system manager (PID 1) as the daemon asks it, beside the changes themselves. All calls are synchronous and wait
 * at most 5 s. Source: org.freedesktop.systemd1(5). */

#include <systemd/sd-bus.h>

#include "base/macros.h"

/* A connection to the manager: the system bus, or where none runs (and we are root) the manager's own private socket.
 * -errno where there is neither. */
int systemd_bus_open(sd_bus **ret);

/* The type of the job that is pending for a unit ("restart", "stop", ...); *ret_job_type is NULL where there is none
 * (or no such unit is loaded). Newly allocated. -errno. */
int systemd_pending_job(sd_bus *bus, const char *unit, char **ret_job_type);

/* State of the system: "initializing", "starting", "running", "degraded", "maintenance", "stopping". -errno. */
int systemd_state(sd_bus *bus, char **ret);

/* The unit that the calling process belongs to. -ENXIO: none. -errno. */
int systemd_own_unit(sd_bus *bus, char **ret);

/* Tells when values that systemd holds may have changed, so that they are verified then and need not be polled: after a
 * daemon-reload (`unit` is NULL), and when properties of a watched unit changed. The callback runs in the event loop
 * that the bus is attached to. */
typedef struct SystemdWatch SystemdWatch;
typedef void (*systemd_changed_t)(void *userdata, const char *unit);

/* Asks the manager for nothing yet: it sends signals only while at least one unit is watched. `bus` is referenced. */
int systemd_watch_new(sd_bus *bus, systemd_changed_t changed, void *userdata, SystemdWatch **ret);
SystemdWatch *systemd_watch_free(SystemdWatch *w);
DEFINE_CLEANUP_FUNC(SystemdWatch *, systemd_watch_free);

/* Both are fine to call twice. -errno. */
int systemd_watch_add(SystemdWatch *w, const char *unit);
int systemd_watch_remove(SystemdWatch *w, const char *unit);
