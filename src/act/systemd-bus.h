/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The calls of org.freedesktop.systemd1(5) that placerd makes. Errors are -errno; what the manager says about them is
 * logged at debug level. Everything goes to the system manager, never to a user's. */

#include <systemd/sd-bus.h>

#include "base/cpuset.h"
#include "base/usec.h"

#define SYSTEMD_NAME "org.freedesktop.systemd1"
#define SYSTEMD_PATH "/org/freedesktop/systemd1"
#define SYSTEMD_MANAGER "org.freedesktop.systemd1.Manager"
#define SYSTEMD_UNIT "org.freedesktop.systemd1.Unit"

static inline void bus_message_unref(sd_bus_message **m) {
        sd_bus_message_unref(*m);
}
#define _cleanup_message_ _cleanup_(bus_message_unref)
#define _cleanup_bus_error_ _cleanup_(sd_bus_error_free)

/* What is known of a unit. */
typedef struct SystemdUnit {
        char *id;         /* its first name */
        char *load_state; /* "loaded", "not-found", "masked", ... */
        char *cgroup;     /* ControlGroup, "" where it has none now */
        char *invocation; /* hex, NULL where it never ran */
        Cpuset *cpus;     /* AllowedCPUs, empty: unset */
        bool delegate;
        usec_t active_since_usec; /* CLOCK_MONOTONIC; 0: not active yet */
} SystemdUnit;

void systemd_unit_done(SystemdUnit *u);
#define _cleanup_unit_ _cleanup_(systemd_unit_done)

/* Only load_state, cgroup and cpus, by name. Loads it where it is not loaded: a unit that does not exist has load_state
 * "not-found". -EOPNOTSUPP: a kind of unit without a cgroup. */
int systemd_unit_read(sd_bus *bus, const char *name, SystemdUnit *ret);
/* All of it, by cgroup: the unit of that cgroup or of the nearest one above (-ENOENT: none). */
int systemd_unit_read_by_cgroup(sd_bus *bus, const char *path, SystemdUnit *ret);
/* Only AllowedCPUs. */
int systemd_get_allowed_cpus(sd_bus *bus, const char *unit, Cpuset **ret);

/* SetUnitProperties(unit, runtime=true, AllowedCPUs); the empty set unsets it. *ret_why: the manager's words where it
 * refuses. When a later call to the manager has returned, its cgroup files are written. */
int systemd_set_allowed_cpus(sd_bus *bus, const char *unit, const Cpuset *cpus, char **ret_why);

/* Has the manager read its files anew, and waits for it, but not for long: it will finish also without us. */
int systemd_reload(sd_bus *bus);
