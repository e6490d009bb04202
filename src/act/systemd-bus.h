/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The calls of org.freedesktop.systemd1(5) that placerd makes. Errors are -errno; what the manager says about them is
 * logged at debug level. Everything goes to the system manager, never to a user's. */

#include <systemd/sd-bus.h>

#include "base/usec.h"
#include "model/verdict.h"

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
        char *id;               /* its first name */
        char *load_state;       /* "loaded", "not-found", "masked", ... */
        char *cgroup;           /* ControlGroup, "" where it has none now */
        char *invocation;       /* hex, NULL where it never ran */
        char *values[_ARM_MAX]; /* the arms' properties, as texts of act/setting.h; "" is unset */
        bool delegate;
        usec_t active_since_usec; /* CLOCK_MONOTONIC; 0: not active yet */
} SystemdUnit;

void systemd_unit_done(SystemdUnit *u);
#define _cleanup_unit_ _cleanup_(systemd_unit_done)

/* Only load_state, cgroup and values, by name. Loads it where it is not loaded: a unit that does not exist has
 * load_state "not-found". -EOPNOTSUPP: a kind of unit without a cgroup. */
int systemd_unit_read(sd_bus *bus, const char *name, SystemdUnit *ret);
/* All of it, by cgroup: the unit of that cgroup or of the nearest one above (-ENOENT: none). */
int systemd_unit_read_by_cgroup(sd_bus *bus, const char *path, SystemdUnit *ret);
/* Only the property of one arm. *ret is as in SystemdUnit.values. */
int systemd_property_get(sd_bus *bus, const char *unit, Arm arm, char **ret);
/* The same of a unit's object. */
int systemd_property_read(sd_bus *bus, const char *path, const char *interface, Arm arm, char **ret);

/* SetUnitProperties(unit, runtime=true, the arm's property); "" unsets it. *ret_why: the manager's words where it
 * refuses. When a later call to the manager has returned, its cgroup files are written. */
int systemd_property_set(sd_bus *bus, const char *unit, Arm arm, const char *value, char **ret_why);

/* The interface that has the cgroup's properties. NULL: units of this kind have no cgroup. */
const char *systemd_unit_interface(const char *name);

/* What is returned where a call failed (logged): -ENOENT where there is no such unit, else r. */
int systemd_call_failed(int r, const char *what, const sd_bus_error *error);

/* Has the manager read its files anew, and waits for it, but not for long: it will finish also without us. */
int systemd_reload(sd_bus *bus);
