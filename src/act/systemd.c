/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Changes through the system manager, the owner of the cgroups. A value written beside it would be lost at the next
 * reload; a property that is set at runtime stays, and is gone after a boot. What it takes to undo that is in
 * systemd-undo.c. */

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>

#include "act/backend.h"
#include "act/cgroup-files.h"
#include "act/drop-ins.h"
#include "act/effect.h"
#include "act/setting.h"
#include "act/systemd-backend.h"
#include "act/systemd-manager.h"
#include "base/cleanup.h"
#include "io/log.h"

static void systemd_free(Backend *b) {
        SystemdBackend *s = (SystemdBackend *) b;

        systemd_leavings_clear(s);
        free(s->leavings);
        sd_bus_flush_close_unref(s->bus);
        closep(&s->root_fd);
        free(s);
}

int systemd_backend_bus(SystemdBackend *s, sd_bus **ret) {
        int r = 1;

        while (s->bus && (r = sd_bus_process(s->bus, NULL)) > 0)
                ;
        if (s->bus && (r < 0 || sd_bus_is_open(s->bus) <= 0))
                s->bus = sd_bus_close_unref(s->bus);
        if (!s->bus) {
                r = systemd_bus_open(&s->bus);
                if (r < 0)
                        return log_warning(r, "Can't reach the system manager, neither by the bus nor directly: %m");
        }
        *ret = s->bus;
        return 0;
}

int systemd_read_back(sd_bus *bus, const Change *change, const char *value) {
        _cleanup_free_ char *is = NULL;

        int r = systemd_property_get(bus, change->unit, change->arm, &is);
        if (r < 0)
                return r;
        return setting_equal(is, value) ? 0 : -EIO;
}

/* ---- before a change */

/* The slice around all others is the answer for a tree that somebody made beside systemd's. */
static bool is_in_a_unit(const SystemdUnit *u) {
        return !streq(u->id, "-.slice");
}

/* A user's manager is delegated its cgroup too, and it does not leave alone what is below. */
static bool is_user_manager(const SystemdUnit *u) {
        return strncmp(u->id, "user@", strlen("user@")) == 0;
}

static int inspect_found(const char *path, SystemdUnit *u, Facts *facts) {
        int r = 0;

        facts->owned_by_systemd = streq(u->cgroup, path);
        /* A unit's cgroup above ours: what is below it belongs to whoever it is delegated to; without Delegate=, to
         * the unit itself. */
        facts->delegated_above = !facts->owned_by_systemd && u->delegate;
        facts->unmanaged = facts->delegated_above && !is_user_manager(u);
        facts->age_known = u->active_since_usec > 0;
        facts->active_since_usec = u->active_since_usec;
        facts->unit = TAKE_PTR(u->id);
        facts->invocation = TAKE_PTR(u->invocation);
        facts->property_known = facts->owned_by_systemd;
        for (Arm arm = ARM_NONE + 1; arm < _ARM_MAX && facts->property_known && r == 0; arm++)
                r = setting_to_facts(arm, u->values[arm], facts);
        return r;
}

static int inspect_unit(sd_bus *bus, const char *path, Facts *facts) {
        _cleanup_unit_ SystemdUnit u = {};

        int r = systemd_unit_read_by_cgroup(bus, path, &u);
        if (r == -EOPNOTSUPP)
                return 0;
        if (r < 0 && r != -ENOENT)
                return r;
        if (r == 0 && (is_in_a_unit(&u) || streq(u.cgroup, path)))
                return inspect_found(path, &u, facts);
        facts->unmanaged = true;
        return 0;
}

static int inspect_state(sd_bus *bus, Facts *facts) {
        static const char *const transitions[] = {"initializing", "starting", "stopping", "maintenance"};
        _cleanup_free_ char *state = NULL;

        int r = systemd_state(bus, &state);
        for (size_t i = 0; i < ELEMENTSOF(transitions) && r == 0; i++)
                facts->system_in_transition |= streq(state, transitions[i]);
        return r;
}

static int systemd_inspect(Backend *b, const char *path, Facts *ret) {
        SystemdBackend *s = (SystemdBackend *) b;
        _cleanup_facts_ Facts facts = {};
        uint64_t id;
        sd_bus *bus;

        int r = cgroup_file_id(&s->reader, path, &id);
        if (r == 0)
                r = systemd_backend_bus(s, &bus);
        if (r == 0)
                r = inspect_unit(bus, path, &facts);
        if (r == 0 && facts.unmanaged)
                r = effect_inspect_files(&s->reader, path, &facts);
        if (r == 0)
                r = inspect_state(bus, &facts);
        if (r == 0)
                r = effect_inspect(&s->reader, path, &facts);
        if (r < 0)
                return r;
        *ret = facts;
        facts = (Facts){};
        return 0;
}

/* Is the unit still the one that has the cgroup, and is its property `value`? */
static int check_unit(SystemdBackend *s, const Change *change, const char *value) {
        _cleanup_unit_ SystemdUnit u = {};
        sd_bus *bus;

        int r = systemd_backend_bus(s, &bus);
        if (r == 0)
                r = systemd_unit_read(bus, change->unit, &u);
        if (r == 0 && !streq(u.load_state, "loaded"))
                r = -ENOENT;
        if (r == 0 && (!streq(u.cgroup, change->target) || !setting_equal(u.values[change->arm], value)))
                r = -ESTALE;
        return r;
}

static int systemd_check(Backend *b, const Change *change) {
        return check_unit((SystemdBackend *) b, change, change->to);
}

static int note_drop_ins(const SystemdBackend *s, Change *change) {
        DropInState state;

        int r = drop_in_look(s->root_fd, change->unit, change->arm, &state);
        if (r < 0)
                return r;
        change->drop_in_existed = state.file;
        change->drop_in_dir_existed = state.dir;
        change->drop_in_place_existed = state.place;
        return 0;
}

static int systemd_prepare(Backend *b, Change *change, char **ret_why) {
        SystemdBackend *s = (SystemdBackend *) b;

        int r = check_unit(s, change, change->from);
        if (r == 0)
                r = note_drop_ins(s, change);
        return r == 0 ? effect_note(&s->reader, change) : r;
}

/* ---- the change */

static int systemd_apply(Backend *b, const Change *change, char **ret_why) {
        SystemdBackend *s = (SystemdBackend *) b;
        sd_bus *bus = NULL;

        int r = systemd_backend_bus(s, &bus);
        if (r == 0)
                r = systemd_property_set(bus, change->unit, change->arm, change->to, ret_why);
        if (r == 0)
                r = systemd_read_back(bus, change, change->to);
        return r == 0 ? effect_check(&s->reader, change, ret_why) : r;
}

static int systemd_verify(Backend *b, const Change *change, bool *ret_ours) {
        return effect_verify(&((SystemdBackend *) b)->reader, change, ret_ours);
}

int systemd_backend_new(int root_fd, const ActReader *reader, Backend **ret) {
        static const BackendVTable vtable = {
                .name = "systemd",
                .free = systemd_free,
                .inspect = systemd_inspect,
                .prepare = systemd_prepare,
                .check = systemd_check,
                .apply = systemd_apply,
                .undo = systemd_undo,
                .flush = systemd_flush,
                .residue = systemd_residue,
                .verify = systemd_verify,
        };
        SystemdBackend *s = malloc(sizeof(*s));

        if (!s)
                return -ENOMEM;
        *s = (SystemdBackend){.backend.vtable = &vtable, .reader = *reader};
        s->root_fd = fcntl(root_fd, F_DUPFD_CLOEXEC, 3);
        if (s->root_fd < 0) {
                int r = -errno;
                free(s);
                return r;
        }
        *ret = &s->backend;
        return 0;
}
