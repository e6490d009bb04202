/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Changes through the system manager, the owner of the cgroups. A value written beside it would be lost at the next
 * reload; a property that is set at runtime stays, and is gone after a boot. What it takes to undo that is in
 * systemd-undo.c. */

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>

#include "act/affinity.h"
#include "act/backend.h"
#include "act/cgroup-files.h"
#include "act/drop-ins.h"
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

int systemd_read_back(sd_bus *bus, const char *unit, const Cpuset *cpus) {
        _cleanup_cpuset_ Cpuset *is = NULL;

        int r = systemd_get_allowed_cpus(bus, unit, &is);
        if (r < 0)
                return r;
        return cpuset_equal(is, cpus) ? 0 : -EIO;
}

int ledger_cpus_parse(const char *list, Cpuset **ret) {
        return cpuset_parse_list(list ?: "", list ? strlen(list) : 0, ret);
}

/* ---- before a change */

static int inspect_unit(sd_bus *bus, const char *path, Facts *facts) {
        _cleanup_unit_ SystemdUnit u = {};

        int r = systemd_unit_read_by_cgroup(bus, path, &u);
        if (r == -ENOENT || r == -EOPNOTSUPP)
                return 0;
        if (r < 0)
                return r;
        facts->owned_by_systemd = streq(u.cgroup, path);
        /* A unit's cgroup above ours: what is below it belongs to whoever it is delegated to (a user's manager is such
         * a unit); without Delegate=, to the unit itself. */
        facts->delegated_above = !facts->owned_by_systemd && u.delegate;
        facts->age_known = u.active_since_usec > 0;
        facts->active_since_usec = u.active_since_usec;
        facts->unit = TAKE_PTR(u.id);
        facts->invocation = TAKE_PTR(u.invocation);
        facts->property_known = facts->owned_by_systemd;
        if (facts->property_known)
                facts->property_cpus = TAKE_PTR(u.cpus);
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
        if (r == 0)
                r = inspect_state(bus, &facts);
        if (r == 0)
                r = affinity_inspect(&s->reader, path, &facts);
        if (r < 0)
                return r;
        *ret = facts;
        facts = (Facts){};
        return 0;
}

/* Is the unit still what the plan was made for? */
static int check_unit(const SystemdUnit *u, const Plan *plan, const Change *change) {
        _cleanup_cpuset_ Cpuset *from = NULL;

        if (!streq(u->load_state, "loaded"))
                return -ENOENT;
        int r = ledger_cpus_parse(change->from, &from);
        if (r < 0)
                return r;
        return streq(u->cgroup, plan->target) && cpuset_equal(u->cpus, from) ? 0 : -ESTALE;
}

/* cpuset.cpus as text, NULL where there is no such file. */
static int note_file(const ActReader *reader, const char *path, char **ret) {
        _cleanup_cpuset_ Cpuset *cpus = NULL;

        int r = cgroup_file_cpus(reader, path, "cpuset.cpus", &cpus);
        if (r < 0)
                return r == -ENOENT ? 0 : r;
        *ret = cpuset_format_list(cpus);
        return *ret ? 0 : -ENOMEM;
}

static int note_effective(const ActReader *reader, const char *path, char **ret) {
        _cleanup_cpuset_ Cpuset *cpus = NULL;

        int r = cgroup_file_effective(reader, path, &cpus);
        if (r < 0)
                return r == -ENODATA ? 0 : r;
        *ret = cpuset_format_list(cpus);
        return *ret ? 0 : -ENOMEM;
}

static int note_drop_ins(const SystemdBackend *s, Change *change) {
        DropInState state;

        int r = drop_in_look(s->root_fd, change->unit, arm_property(change->arm), &state);
        if (r < 0)
                return r;
        change->drop_in_existed = state.file;
        change->drop_in_dir_existed = state.dir;
        change->drop_in_place_existed = state.place;
        return 0;
}

static int systemd_prepare(Backend *b, const Plan *plan, Change *change) {
        SystemdBackend *s = (SystemdBackend *) b;
        _cleanup_unit_ SystemdUnit u = {};
        sd_bus *bus;

        int r = systemd_backend_bus(s, &bus);
        if (r == 0)
                r = systemd_unit_read(bus, plan->unit, &u);
        if (r == 0)
                r = check_unit(&u, plan, change);
        if (r == 0)
                r = cgroup_file_id(&s->reader, plan->target, &change->cgroup_id);
        if (r == 0)
                r = note_file(&s->reader, plan->target, &change->file_from);
        if (r == 0)
                r = note_effective(&s->reader, plan->target, &change->effective_from);
        if (r == 0)
                r = note_drop_ins(s, change);
        return r == 0 ? affinity_note(&s->reader, change) : r;
}

/* ---- the change */

/* Accepted is not enough: below a slice with 0-3, 4-7 is accepted, and means 0-3. */
static int check_effect(const ActReader *reader, const Plan *plan, char **ret_why) {
        _cleanup_cpuset_ Cpuset *effective = NULL;

        int r = cgroup_file_cpus(reader, plan->target, "cpuset.cpus.effective", &effective);
        if (r == -ENOENT)
                return asprintf(ret_why, "cpuset is not enforced at %s", plan->target) < 0 ? -ENOMEM : -ENODATA;
        if (r < 0 || cpuset_equal(effective, plan->cpus))
                return r;
        _cleanup_free_ char *is = cpuset_format_list(effective);
        return !is || asprintf(ret_why, "cpuset.cpus.effective reads %s", is) < 0 ? -ENOMEM : -ENODATA;
}

static int systemd_apply(Backend *b, const Plan *plan, const Change *change, char **ret_why) {
        SystemdBackend *s = (SystemdBackend *) b;
        sd_bus *bus = NULL;

        int r = systemd_backend_bus(s, &bus);
        if (r == 0)
                r = systemd_set_allowed_cpus(bus, plan->unit, plan->cpus, ret_why);
        if (r == 0)
                r = systemd_read_back(bus, plan->unit, plan->cpus);
        if (r == 0)
                r = check_effect(&s->reader, plan, ret_why);
        if (r == 0)
                r = affinity_compare(&s->reader, change, plan->cpus, ret_why);
        return r;
}

static int systemd_verify(Backend *b, const Change *change, bool *ret_ours) {
        const SystemdBackend *s = (const SystemdBackend *) b;
        _cleanup_cpuset_ Cpuset *file = NULL, *to = NULL;
        uint64_t id;

        int r = cgroup_file_id(&s->reader, change->target, &id);
        if (r == 0)
                r = ledger_cpus_parse(change->to, &to);
        if (r < 0)
                return r;
        r = cgroup_file_cpus(&s->reader, change->target, "cpuset.cpus", &file);
        if (r < 0 && r != -ENOENT)
                return r;
        *ret_ours = r == 0 && cpuset_equal(file, to);
        return 0;
}

int systemd_backend_new(int root_fd, const ActReader *reader, Backend **ret) {
        static const BackendVTable vtable = {
                .name = "systemd",
                .free = systemd_free,
                .inspect = systemd_inspect,
                .prepare = systemd_prepare,
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
