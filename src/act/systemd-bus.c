/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A unit's properties, read one by one: GetAll would have PID 1 compute some hundred that nobody looks at. */

#include "act/systemd-bus.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "io/log.h"

/* Reading all unit files anew takes PID 1 a second or two on a large machine, more where the CPUs are taken. */
#define RELOAD_TIMEOUT_USEC (20 * USEC_PER_SEC)

void systemd_unit_done(SystemdUnit *u) {
        free(u->id);
        free(u->load_state);
        free(u->cgroup);
        free(u->invocation);
        for (Arm arm = ARM_NONE + 1; arm < _ARM_MAX; arm++)
                free(u->values[arm]);
        *u = (SystemdUnit){};
}

int systemd_call_failed(int r, const char *what, const sd_bus_error *error) {
        log_debug("%s: %s", what, error->message ?: "no message");
        /* Libraries differ in whether they know these names. */
        if (sd_bus_error_has_name(error, "org.freedesktop.systemd1.NoSuchUnit"))
                return -ENOENT;
        return r;
}

/* A path that a manager's method returns for one string. */
static int get_path(sd_bus *bus, const char *method, const char *argument, char **ret) {
        _cleanup_bus_error_ sd_bus_error error = SD_BUS_ERROR_NULL;
        _cleanup_message_ sd_bus_message *reply = NULL;
        const char *path;

        int r = sd_bus_call_method(bus, SYSTEMD_NAME, SYSTEMD_PATH, SYSTEMD_MANAGER, method, &error, &reply, "s",
                                   argument);
        if (r < 0)
                return systemd_call_failed(r, method, &error);
        r = sd_bus_message_read(reply, "o", &path);
        if (r < 0)
                return r;
        *ret = strdup(path);
        return *ret ? 0 : -ENOMEM;
}

static int get_string(sd_bus *bus, const char *path, const char *interface, const char *name, char **ret) {
        _cleanup_bus_error_ sd_bus_error error = SD_BUS_ERROR_NULL;

        int r = sd_bus_get_property_string(bus, SYSTEMD_NAME, path, interface, name, &error, ret);
        return r < 0 ? systemd_call_failed(r, name, &error) : 0;
}

static int get_trivial(sd_bus *bus, const char *path, const char *interface, const char *name, char type, void *ret) {
        _cleanup_bus_error_ sd_bus_error error = SD_BUS_ERROR_NULL;

        int r = sd_bus_get_property_trivial(bus, SYSTEMD_NAME, path, interface, name, &error, type, ret);
        return r < 0 ? systemd_call_failed(r, name, &error) : 0;
}

/* Bytes stay in the reply. */
static int get_bytes(sd_bus *bus, const char *path, const char *interface, const char *name, sd_bus_message **ret_reply,
                     const uint8_t **ret, size_t *ret_n) {
        _cleanup_bus_error_ sd_bus_error error = SD_BUS_ERROR_NULL;
        const void *bytes = NULL;

        int r = sd_bus_get_property(bus, SYSTEMD_NAME, path, interface, name, &error, ret_reply, "ay");
        if (r < 0)
                return systemd_call_failed(r, name, &error);
        *ret_n = 0;
        r = sd_bus_message_read_array(*ret_reply, 'y', &bytes, ret_n);
        *ret = bytes;
        return r < 0 ? r : 0;
}

static int get_invocation(sd_bus *bus, const char *path, char **ret) {
        _cleanup_message_ sd_bus_message *reply = NULL;
        const uint8_t *bytes = NULL;
        size_t n = 0;

        int r = get_bytes(bus, path, SYSTEMD_UNIT, "InvocationID", &reply, &bytes, &n);
        if (r < 0 || n == 0)
                return r;
        char *hex = malloc(2 * n + 1);
        if (!hex)
                return -ENOMEM;
        for (size_t i = 0; i < n; i++)
                (void) snprintf(hex + 2 * i, 3, "%02x", bytes[i]);
        *ret = hex;
        return 0;
}

const char *systemd_unit_interface(const char *name) {
        static const struct {
                const char *suffix, *interface;
        } kinds[] = {
                {".service", "org.freedesktop.systemd1.Service"}, {".scope", "org.freedesktop.systemd1.Scope"},
                {".slice", "org.freedesktop.systemd1.Slice"},     {".socket", "org.freedesktop.systemd1.Socket"},
                {".mount", "org.freedesktop.systemd1.Mount"},     {".swap", "org.freedesktop.systemd1.Swap"},
        };
        const char *suffix = strrchr(name, '.');

        for (size_t i = 0; suffix && i < ELEMENTSOF(kinds); i++)
                if (streq(suffix, kinds[i].suffix))
                        return kinds[i].interface;
        return NULL;
}

static int read_brief(sd_bus *bus, const char *path, const char *interface, SystemdUnit *u) {
        if (!interface)
                return -EOPNOTSUPP;
        int r = get_string(bus, path, SYSTEMD_UNIT, "LoadState", &u->load_state);
        if (r == 0)
                r = get_string(bus, path, interface, "ControlGroup", &u->cgroup);
        for (Arm arm = ARM_NONE + 1; arm < _ARM_MAX && r == 0; arm++)
                r = systemd_property_read(bus, path, interface, arm, &u->values[arm]);
        return r;
}

static int read_rest(sd_bus *bus, const char *path, const char *interface, SystemdUnit *u) {
        int delegate;

        int r = get_trivial(bus, path, SYSTEMD_UNIT, "ActiveEnterTimestampMonotonic", 't', &u->active_since_usec);
        if (r == 0)
                r = get_invocation(bus, path, &u->invocation);
        if (r == 0)
                r = get_trivial(bus, path, interface, "Delegate", 'b', &delegate);
        if (r == 0)
                u->delegate = delegate;
        return r;
}

static int unit_taken(int r, SystemdUnit *u, SystemdUnit *ret) {
        if (r < 0)
                return r;
        *ret = *u;
        *u = (SystemdUnit){};
        return 0;
}

int systemd_unit_read(sd_bus *bus, const char *name, SystemdUnit *ret) {
        _cleanup_unit_ SystemdUnit u = {};
        _cleanup_free_ char *path = NULL;

        int r = get_path(bus, "LoadUnit", name, &path);
        if (r == 0)
                r = read_brief(bus, path, systemd_unit_interface(name), &u);
        return unit_taken(r, &u, ret);
}

int systemd_unit_read_by_cgroup(sd_bus *bus, const char *cgroup, SystemdUnit *ret) {
        _cleanup_unit_ SystemdUnit u = {};
        _cleanup_free_ char *path = NULL;

        int r = get_path(bus, "GetUnitByControlGroup", cgroup, &path);
        if (r == 0)
                r = get_string(bus, path, SYSTEMD_UNIT, "Id", &u.id);
        if (r == 0)
                r = read_brief(bus, path, systemd_unit_interface(u.id), &u);
        if (r == 0)
                r = read_rest(bus, path, systemd_unit_interface(u.id), &u);
        return unit_taken(r, &u, ret);
}

int systemd_reload(sd_bus *bus) {
        _cleanup_bus_error_ sd_bus_error error = SD_BUS_ERROR_NULL;
        _cleanup_message_ sd_bus_message *m = NULL;

        int r = sd_bus_message_new_method_call(bus, &m, SYSTEMD_NAME, SYSTEMD_PATH, SYSTEMD_MANAGER, "Reload");
        if (r < 0)
                return r;
        r = sd_bus_call(bus, m, RELOAD_TIMEOUT_USEC, &error, NULL);
        if (r == -ETIMEDOUT) {
                log_info("The system manager is still reloading; not waiting for it");
                return 0;
        }
        return r < 0 ? systemd_call_failed(r, "Reload", &error) : 0;
}
