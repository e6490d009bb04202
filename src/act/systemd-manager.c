/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What the daemon asks PID 1 beside the changes: is our own stop a restart, is the machine going down, and to be told
 * when values may have changed.
 *
 * A watch subscribes to the manager only while a unit of ours is watched, since signals cost PID 1 something: one match
 * on Reloading (its argument is false when it is over), and one a unit on PropertiesChanged. systemd does not announce
 * AllowedCPUs itself as changed (the property has no EmitsChanged); a unit that is restarted does. What slips through
 * is seen at the next tick, in cpuset.cpus. */

#include "act/systemd-manager.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "act/systemd-bus.h"
#include "base/array.h"
#include "base/cleanup.h"
#include "io/log.h"

#define CALL_TIMEOUT_USEC (5 * USEC_PER_SEC)
#define PRIVATE_SOCKET "unix:path=/run/systemd/private"

/* The manager listens there for root also where no bus runs; systemctl uses it. */
static int open_private(sd_bus **ret) {
        sd_bus *bus = NULL;

        int r = sd_bus_new(&bus);
        if (r >= 0)
                r = sd_bus_set_address(bus, PRIVATE_SOCKET);
        if (r >= 0)
                r = sd_bus_start(bus);
        if (r < 0) {
                sd_bus_unref(bus);
                return r;
        }
        *ret = bus;
        return 0;
}

int systemd_bus_open(sd_bus **ret) {
        sd_bus *bus = NULL;

        int r = sd_bus_open_system(&bus);
        if (r < 0 && geteuid() == 0 && open_private(&bus) >= 0)
                r = 0;
        if (r < 0)
                return r;
        r = sd_bus_set_method_call_timeout(bus, CALL_TIMEOUT_USEC);
        if (r < 0) {
                sd_bus_unref(bus);
                return r;
        }
        *ret = bus;
        return 0;
}

static int no_such_unit(int r, const sd_bus_error *error) {
        return r == -ENOENT || sd_bus_error_has_name(error, "org.freedesktop.systemd1.NoSuchUnit") ? 0 : r;
}

/* *ret is NULL where the unit is not loaded. */
static int unit_path(sd_bus *bus, const char *unit, char **ret) {
        _cleanup_bus_error_ sd_bus_error error = SD_BUS_ERROR_NULL;
        _cleanup_message_ sd_bus_message *reply = NULL;
        const char *path;

        *ret = NULL;
        int r = sd_bus_call_method(bus, SYSTEMD_NAME, SYSTEMD_PATH, SYSTEMD_MANAGER, "GetUnit", &error, &reply, "s",
                                   unit);
        if (r < 0)
                return no_such_unit(r, &error);
        r = sd_bus_message_read(reply, "o", &path);
        if (r < 0)
                return r;
        *ret = strdup(path);
        return *ret ? 0 : -ENOMEM;
}

int systemd_pending_job(sd_bus *bus, const char *unit, char **ret_job_type) {
        _cleanup_message_ sd_bus_message *reply = NULL;
        _cleanup_free_ char *path = NULL;
        const char *job;
        uint32_t id;

        int r = unit_path(bus, unit, &path);
        if (r < 0)
                return r;
        if (!path) {
                *ret_job_type = NULL;
                return 0;
        }
        r = sd_bus_get_property(bus, SYSTEMD_NAME, path, SYSTEMD_UNIT, "Job", NULL, &reply, "(uo)");
        if (r >= 0)
                r = sd_bus_message_read(reply, "(uo)", &id, &job);
        if (r < 0)
                return r;
        if (id == 0) {
                *ret_job_type = NULL;
                return 0;
        }
        r = sd_bus_get_property_string(bus, SYSTEMD_NAME, job, SYSTEMD_NAME ".Job", "JobType", NULL, ret_job_type);
        return r < 0 ? r : 0;
}

int systemd_state(sd_bus *bus, char **ret) {
        int r = sd_bus_get_property_string(bus, SYSTEMD_NAME, SYSTEMD_PATH, SYSTEMD_MANAGER, "SystemState", NULL, ret);
        return r < 0 ? r : 0;
}

int systemd_own_unit(sd_bus *bus, char **ret) {
        _cleanup_bus_error_ sd_bus_error error = SD_BUS_ERROR_NULL;
        _cleanup_message_ sd_bus_message *reply = NULL;
        const char *path;

        int r = sd_bus_call_method(bus, SYSTEMD_NAME, SYSTEMD_PATH, SYSTEMD_MANAGER, "GetUnitByPID", &error, &reply,
                                   "u", (uint32_t) getpid());
        if (r < 0)
                return sd_bus_error_has_name(&error, "org.freedesktop.systemd1.NoUnitForPID") ? -ENXIO : r;
        r = sd_bus_message_read(reply, "o", &path);
        if (r >= 0)
                r = sd_bus_get_property_string(bus, SYSTEMD_NAME, path, SYSTEMD_UNIT, "Id", NULL, ret);
        return r < 0 ? r : 0;
}

/* ---- watch */

typedef struct WatchedUnit {
        SystemdWatch *watch;
        char *unit;
        sd_bus_slot *slot;
} WatchedUnit;

struct SystemdWatch {
        sd_bus *bus;
        systemd_changed_t changed;
        void *userdata;
        sd_bus_slot *reloading;
        WatchedUnit **units; /* one allocation each: the slots point to them */
        size_t n_units, allocated;
};

static int on_reloading(sd_bus_message *m, void *userdata, sd_bus_error *ret_error) {
        SystemdWatch *w = userdata;
        int active;

        if (sd_bus_message_read(m, "b", &active) >= 0 && !active)
                w->changed(w->userdata, NULL);
        return 0;
}

static int on_properties(sd_bus_message *m, void *userdata, sd_bus_error *ret_error) {
        WatchedUnit *u = userdata;

        u->watch->changed(u->watch->userdata, u->unit);
        return 0;
}

static WatchedUnit *watched_unit_free(WatchedUnit *u) {
        if (u) {
                sd_bus_slot_unref(u->slot);
                free(u->unit);
                free(u);
        }
        return NULL;
}
DEFINE_CLEANUP_FUNC(WatchedUnit *, watched_unit_free);

int systemd_watch_new(sd_bus *bus, systemd_changed_t changed, void *userdata, SystemdWatch **ret) {
        SystemdWatch *w = malloc(sizeof(*w));

        if (!w)
                return -ENOMEM;
        *w = (SystemdWatch){.bus = sd_bus_ref(bus), .changed = changed, .userdata = userdata};
        *ret = w;
        return 0;
}

/* Without waiting for an answer: one that comes late or not at all changes nothing for us. */
static int call_manager(SystemdWatch *w, const char *method) {
        return sd_bus_call_method_async(w->bus, NULL, SYSTEMD_NAME, SYSTEMD_PATH, SYSTEMD_MANAGER, method, NULL, NULL,
                                        "");
}

static void unsubscribe(SystemdWatch *w) {
        if (!w->reloading)
                return;
        w->reloading = sd_bus_slot_unref(w->reloading);
        if (call_manager(w, "Unsubscribe") < 0)
                log_debug("Can't unsubscribe from the manager's signals, ignoring");
}

static int subscribe(SystemdWatch *w) {
        if (w->reloading)
                return 0;
        int r = sd_bus_match_signal(w->bus, &w->reloading, SYSTEMD_NAME, SYSTEMD_PATH, SYSTEMD_MANAGER, "Reloading",
                                    on_reloading, w);
        if (r < 0)
                return r;
        r = call_manager(w, "Subscribe");
        if (r < 0)
                w->reloading = sd_bus_slot_unref(w->reloading);
        return r < 0 ? r : 0;
}

SystemdWatch *systemd_watch_free(SystemdWatch *w) {
        if (!w)
                return NULL;
        for (size_t i = 0; i < w->n_units; i++)
                watched_unit_free(w->units[i]);
        free(w->units);
        unsubscribe(w);
        sd_bus_unref(w->bus);
        free(w);
        return NULL;
}

static size_t watch_find(const SystemdWatch *w, const char *unit) {
        size_t i = 0;

        while (i < w->n_units && !streq(w->units[i]->unit, unit))
                i++;
        return i;
}

static int watched_unit_new(SystemdWatch *w, const char *unit, WatchedUnit **ret) {
        _cleanup_(watched_unit_freep) WatchedUnit *u = calloc(1, sizeof(*u));
        _cleanup_free_ char *path = NULL;

        if (!u)
                return -ENOMEM;
        u->watch = w;
        u->unit = strdup(unit);
        if (!u->unit)
                return -ENOMEM;
        int r = sd_bus_path_encode(SYSTEMD_PATH "/unit", unit, &path);
        if (r < 0)
                return r;
        r = sd_bus_match_signal(w->bus, &u->slot, SYSTEMD_NAME, path, "org.freedesktop.DBus.Properties",
                                "PropertiesChanged", on_properties, u);
        if (r < 0)
                return r;
        *ret = TAKE_PTR(u);
        return 0;
}

int systemd_watch_add(SystemdWatch *w, const char *unit) {
        if (watch_find(w, unit) < w->n_units)
                return 0;
        int r = ARRAY_RESERVE(w->units, w->allocated, w->n_units + 1);
        if (r == 0)
                r = watched_unit_new(w, unit, &w->units[w->n_units]);
        if (r < 0)
                return r;
        w->n_units++;
        return subscribe(w);
}

int systemd_watch_remove(SystemdWatch *w, const char *unit) {
        size_t i = watch_find(w, unit);

        if (i == w->n_units)
                return 0;
        watched_unit_free(w->units[i]);
        w->units[i] = w->units[--w->n_units];
        if (w->n_units == 0)
                unsubscribe(w);
        return 0;
}
