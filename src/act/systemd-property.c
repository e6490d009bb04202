/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The property of each arm as it travels on the bus, a row an arm: AllowedCPUs is an array of bytes, where none is
 * unset; CPUWeight is a number, where the largest there is is unset and 0 is "idle".
 *
 * SetUnitProperties answers before the cgroup is realised: the manager queues that, and works its queues off before it
 * looks at the next message. So any call that returns after it finds the files written; reading the property back is
 * such a call. */

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "act/setting.h"
#include "act/systemd-bus.h"
#include "base/cleanup.h"
#include "base/numbers.h"

#define WEIGHT_UNSET UINT64_MAX

typedef struct Property {
        const char *signature;
        int (*read)(sd_bus_message *reply, char **ret);
        int (*append)(sd_bus_message *m, const char *value);
} Property;

static int cpus_read(sd_bus_message *reply, char **ret) {
        _cleanup_cpuset_ Cpuset *cpus = NULL;
        const void *bytes = NULL;
        size_t n = 0;

        int r = sd_bus_message_read_array(reply, 'y', &bytes, &n);
        if (r >= 0)
                r = cpuset_from_bytes(bytes, n, &cpus);
        if (r < 0)
                return r;
        *ret = cpuset_format_list(cpus);
        return *ret ? 0 : -ENOMEM;
}

static int cpus_append(sd_bus_message *m, const char *value) {
        _cleanup_cpuset_ Cpuset *cpus = NULL;
        _cleanup_free_ uint8_t *bytes = NULL;
        size_t n = 0;

        int r = cpuset_parse_list(value, strlen(value), &cpus);
        if (r == 0)
                r = cpuset_to_bytes(cpus, &bytes, &n);
        return r < 0 ? r : sd_bus_message_append_array(m, 'y', bytes, n);
}

static int weight_read(sd_bus_message *reply, char **ret) {
        char text[32] = "";
        uint64_t weight;

        int r = sd_bus_message_read(reply, "t", &weight);
        if (r < 0)
                return r;
        if (weight != WEIGHT_UNSET)
                (void) snprintf(text, sizeof(text), "%" PRIu64, weight);
        return setting_parse(ARM_WEIGHT, text, strlen(text), ret);
}

static int weight_append(sd_bus_message *m, const char *value) {
        uint64_t weight = WEIGHT_UNSET;

        int r = value[0] ? number_parse_u64(value, strlen(value), &weight) : 0;
        return r < 0 ? r : sd_bus_message_append(m, "t", weight);
}

static const Property properties[_ARM_MAX] = {
        [ARM_WEIGHT] = {"t", weight_read, weight_append},
        [ARM_PIN] = {"ay", cpus_read, cpus_append},
};

static const Property *property_of(Arm arm) {
        assert(arm > ARM_NONE && arm < _ARM_MAX);
        return &properties[arm];
}

int systemd_property_read(sd_bus *bus, const char *path, const char *interface, Arm arm, char **ret) {
        _cleanup_bus_error_ sd_bus_error error = SD_BUS_ERROR_NULL;
        _cleanup_message_ sd_bus_message *reply = NULL;
        const Property *p = property_of(arm);

        int r = sd_bus_get_property(bus, SYSTEMD_NAME, path, interface, arm_property(arm), &error, &reply,
                                    p->signature);
        return r < 0 ? systemd_call_failed(r, arm_property(arm), &error) : p->read(reply, ret);
}

int systemd_property_get(sd_bus *bus, const char *unit, Arm arm, char **ret) {
        _cleanup_free_ char *path = NULL;
        const char *interface = systemd_unit_interface(unit);

        if (!interface)
                return -EOPNOTSUPP;
        int r = sd_bus_path_encode(SYSTEMD_PATH "/unit", unit, &path);
        return r < 0 ? r : systemd_property_read(bus, path, interface, arm, ret);
}

/* (sb a(sv)) with one property. */
static int append_property(sd_bus_message *m, const char *unit, Arm arm, const char *value) {
        const Property *p = property_of(arm);

        int r = sd_bus_message_append(m, "sb", unit, true);
        if (r >= 0)
                r = sd_bus_message_open_container(m, 'a', "(sv)");
        if (r >= 0)
                r = sd_bus_message_open_container(m, 'r', "sv");
        if (r >= 0)
                r = sd_bus_message_append(m, "s", arm_property(arm));
        if (r >= 0)
                r = sd_bus_message_open_container(m, 'v', p->signature);
        if (r >= 0)
                r = p->append(m, value);
        for (unsigned depth = 0; depth < 3 && r >= 0; depth++)
                r = sd_bus_message_close_container(m);
        return r;
}

int systemd_property_set(sd_bus *bus, const char *unit, Arm arm, const char *value, char **ret_why) {
        _cleanup_bus_error_ sd_bus_error error = SD_BUS_ERROR_NULL;
        _cleanup_message_ sd_bus_message *m = NULL;

        int r = sd_bus_message_new_method_call(bus, &m, SYSTEMD_NAME, SYSTEMD_PATH, SYSTEMD_MANAGER,
                                               "SetUnitProperties");
        if (r >= 0)
                r = append_property(m, unit, arm, value);
        if (r < 0)
                return r;
        r = sd_bus_call(bus, m, 0, &error, NULL);
        if (r >= 0)
                return 0;
        if (error.message && !*ret_why)
                *ret_why = strdup(error.message);
        return systemd_call_failed(r, "SetUnitProperties", &error);
}
