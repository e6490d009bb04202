/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "test.h"

#include <stdlib.h>

#include "decide/guards.h"

static void test_hands_off(void **state) {
        static const struct {
                const char *path, *unit;
                bool off;
        } table[] = {
                {"/system.slice/nginx.service", "nginx.service", false},
                {"/system.slice/not-docker-thing.service", "not-docker-thing.service", false},
                {"/system.slice/docker-0123.scope", "docker-0123.scope", true},
                {"/kubepods.slice/kubepods-burstable.slice/x.scope", "x.scope", true},
                {"/machine.slice/libpod-conmon-1.scope", "libpod-conmon-1.scope", true},
                {"/user.slice/user-1000.slice/user@1000.service/app.slice/a.service", "a.service", true},
                {"/user.slice/user-1000.slice/session-3.scope", "session-3.scope", false},
                {"/init.scope", "init.scope", true},
                {"/system.slice/placerd.service", "placerd.service", true},
                {"/lxc.payload.web", NULL, true},
                {"/docker/0123", NULL, true},
                {"/mine", NULL, false},
        };
        for (size_t i = 0; i < ELEMENTSOF(table); i++)
                if (!!guard_hands_off(table[i].path, table[i].unit) != table[i].off)
                        fail_msg("%s", table[i].path);
}

static Cpuset *list(const char *text) {
        Cpuset *set = NULL;
        assert_int_equal(cpuset_parse_list(text, strlen(text), &set), 0);
        return set;
}

/* A service that may be pinned: root, system.slice, system.slice/a.service. */
typedef struct World {
        CgroupSample cgroups[3];
        Snapshot snapshot;
        Topology topology;
        Settings settings;
        Policy policy;
        Facts facts;
        Refusal refusal;
} World;

static void world_init(World *w) {
        *w = (World){
                .cgroups = {{.path = (char *) "/", .parent = CGROUP_NONE},
                            {.path = (char *) "/system.slice", .parent = 0},
                            {.path = (char *) "/system.slice/a.service", .parent = 1, .leaf = true}},
                .topology = {.cpus = list("0-7"),
                             .isolated = list(""),
                             .nohz_full = list(""),
                             .kernel_release = (char *) "6.12.1"},
                .settings = {.min_age_usec = 60 * USEC_PER_SEC},
                .policy = {.name = (char *) "/system.slice/*"},
                .facts = {.owned_by_systemd = true,
                          .unit = (char *) "a.service",
                          .age_known = true,
                          .property_known = true,
                          .property_cpus = list("")},
        };
        w->snapshot = (Snapshot){.cgroups = w->cgroups, .n_cgroups = 3, .online = list("0-7")};
}

static void world_done(World *w) {
        cpuset_free(w->topology.cpus);
        cpuset_free(w->topology.isolated);
        cpuset_free(w->topology.nohz_full);
        cpuset_free(w->facts.property_cpus);
        cpuset_free(w->cgroups[2].cpus);
        cpuset_free(w->cgroups[2].effective);
        cpuset_free(w->snapshot.online);
}

static void set(Cpuset **where, const char *text) {
        cpuset_free(*where);
        *where = list(text);
}

static void change_nothing(World *w) {
}
static void change_foreign(World *w) {
        w->snapshot.foreign_scheduler = (char *) "lavd";
}
static void change_delegated(World *w) {
        w->facts.delegated_above = true;
}
static void change_no_unit(World *w) {
        w->facts.owned_by_systemd = false;
}
static void change_unmanaged(World *w) {
        w->facts.owned_by_systemd = false;
        w->facts.delegated_above = w->facts.unmanaged = true;
}
static void change_unmanaged_on(World *w) {
        change_unmanaged(w);
        set(&w->cgroups[2].cpus, "");
        set(&w->cgroups[2].effective, "0-7");
        w->cgroups[2].have |= CGROUP_HAVE_WEIGHT;
}
static void change_unmanaged_by_unit(World *w) {
        change_unmanaged_on(w);
        w->policy.name = (char *) "a.service";
}
static void change_unmanaged_by_defaults(World *w) {
        change_unmanaged_on(w);
        w->policy.name = NULL;
}
static void change_property(World *w) {
        set(&w->facts.property_cpus, "0-3");
}
static void change_file(World *w) {
        set(&w->cgroups[2].cpus, "0-3");
        set(&w->cgroups[2].effective, "0-3");
}
static void change_file_full(World *w) {
        set(&w->cgroups[2].cpus, "0-7");
        set(&w->cgroups[2].effective, "0-7");
}
static void change_partition(World *w) {
        w->cgroups[2].partition = PARTITION_ISOLATED;
}
static void change_isolated(World *w) {
        set(&w->topology.isolated, "7");
}
static void change_isolated_with_cpuset(World *w) {
        set(&w->topology.isolated, "7");
        set(&w->cgroups[2].cpus, "");
        set(&w->cgroups[2].effective, "0-7");
}
static void change_nohz(World *w) {
        set(&w->topology.nohz_full, "6-7");
}
static void change_old_kernel(World *w) {
        w->topology.kernel_release = (char *) "6.1.0-57-cloud-amd64";
}
static void change_old_kernel_with_cpuset(World *w) {
        change_old_kernel(w);
        set(&w->cgroups[2].cpus, "");
        set(&w->cgroups[2].effective, "0-7");
}
static void change_old_kernel_own_masks(World *w) {
        change_old_kernel_with_cpuset(w);
        w->facts.n_masks_own = 1;
}
static void change_unknown_kernel(World *w) {
        w->topology.kernel_release = NULL;
}
static void change_transition(World *w) {
        w->facts.system_in_transition = true;
}
static void change_young(World *w) {
        w->facts.active_since_usec = 70 * USEC_PER_SEC;
}

static void change_weight(World *w) {
        w->facts.weight_set = true;
        w->facts.weight = 50;
}
static void change_idle_weight(World *w) {
        w->facts.weight_set = w->facts.weight_idle = true;
}
static void change_bad_kernel(World *w) {
        w->topology.kernel_release = (char *) "6.18.44-amd64";
}
static void change_mended_kernel(World *w) {
        w->topology.kernel_release = (char *) "6.18.45";
}
static void change_later_kernel(World *w) {
        w->topology.kernel_release = (char *) "6.18.440";
}

typedef struct GuardCase {
        const char *name;
        void (*change)(World *w);
        const char *refused; /* a part of the text, NULL: not refused */
} GuardCase;

static const GuardCase weight_guards[] = {
        {"nothing", change_nothing, NULL},
        {"foreign scheduler", change_foreign, "lavd"},
        {"below Delegate=", change_delegated, "Delegate="},
        {"weight set", change_weight, "somebody else has set its weight (50)"},
        {"idle", change_idle_weight, "CPUWeight=idle"},
        {"known bad kernel", change_bad_kernel, "not on kernel 6.18.44"},
        {"the next one", change_mended_kernel, NULL},
        {"one that only begins like it", change_later_kernel, NULL},
        {"6.1: no affinity is at stake", change_old_kernel, NULL},
        {"systemd leaves it alone", change_unmanaged_on, NULL},
        {"policy by the unit's name", change_unmanaged_by_unit, "(match=/system.slice/a.service)"},
        {"advice without a policy", change_unmanaged_by_defaults, NULL},
        {"so does its owner", change_unmanaged, "the cpu controller is not on in /system.slice (for its owner"},
        {"CPUs set: not this one's business", change_property, NULL},
        {"booting", change_transition, "starting"},
        {"young", change_young, "min-age=1min"},
};

static const GuardCase pin_guards[] = {
        {"nothing", change_nothing, NULL},
        {"foreign scheduler", change_foreign, "lavd"},
        {"below Delegate=", change_delegated, "Delegate="},
        {"no unit", change_no_unit, "no systemd unit"},
        {"systemd leaves it alone", change_unmanaged_on, NULL},
        {"so does its owner", change_unmanaged, "the cpuset controller is not on in /system.slice (for its owner"},
        {"property set", change_property, "somebody else has set its CPUs (0-3)"},
        {"file written", change_file, "somebody else has set its CPUs (0-3)"},
        {"file says everything", change_file_full, NULL},
        {"partition", change_partition, "partition"},
        {"isolcpus", change_isolated, "isolcpus"},
        {"isolcpus, cpuset is on", change_isolated_with_cpuset, NULL},
        {"nohz_full", change_nohz, "nohz_full"},
        {"6.1", change_old_kernel, "not yet on in /system.slice"},
        {"6.1, cpuset is on", change_old_kernel_with_cpuset, NULL},
        {"6.1, cpuset is on, own affinity", change_old_kernel_own_masks, "1 of its threads"},
        {"kernel unknown", change_unknown_kernel, "before kernel 6.2"},
        {"booting", change_transition, "starting"},
        {"young", change_young, "min-age=1min"},
};

static void try_guards(void (*guard)(const GuardInput *in, Refusal *ret), const GuardCase *guards, size_t n) {
        for (size_t i = 0; i < n; i++) {
                World w;
                world_init(&w);
                guards[i].change(&w);
                const GuardInput in = {.snapshot = &w.snapshot,
                                       .cgroup = 2,
                                       .topology = &w.topology,
                                       .settings = &w.settings,
                                       .policy = &w.policy,
                                       .facts = &w.facts,
                                       .now_usec = 100 * USEC_PER_SEC};
                guard(&in, &w.refusal);
                if (w.refusal.refused != !!guards[i].refused ||
                    (guards[i].refused && !strstr(w.refusal.text, guards[i].refused)))
                        fail_msg("%s: %s", guards[i].name, w.refusal.refused ? w.refusal.text : "not refused");
                world_done(&w);
        }
}

static void test_pin(void **state) {
        try_guards(guard_pin, pin_guards, ELEMENTSOF(pin_guards));
}

static void test_weight(void **state) {
        try_guards(guard_weight, weight_guards, ELEMENTSOF(weight_guards));
}

static void test_young_says_until_when(void **state) {
        World w;
        world_init(&w);
        change_young(&w);
        const GuardInput in = {.snapshot = &w.snapshot,
                               .cgroup = 2,
                               .topology = &w.topology,
                               .settings = &w.settings,
                               .policy = &w.policy,
                               .facts = &w.facts,
                               .now_usec = 100 * USEC_PER_SEC};
        guard_pin(&in, &w.refusal);
        assert_int_equal(w.refusal.until_usec, 130 * USEC_PER_SEC);
        world_done(&w);
}

static bool fits(const char *cpus, const char *mask, const char *descendant) {
        ThreadMask masks[] = {{.pid = 1, .tid = 1, .cpus = list(mask)}};
        Cpuset *below[] = {list(descendant)};
        Facts facts = {
                .masks = masks, .n_masks = 1, .descendant_cpus = below, .n_descendant_cpus = *descendant ? 1 : 0};
        Cpuset *want = list(cpus), *effective = list("0-7");
        Refusal r;
        guard_fit(&facts, want, effective, &r);
        cpuset_free(masks[0].cpus);
        cpuset_free(below[0]);
        cpuset_free(want);
        cpuset_free(effective);
        return !r.refused;
}

static void test_fit(void **state) {
        assert_true(fits("0-3", "0-7", ""));
        assert_true(fits("0-3", "1-2", ""));
        assert_false(fits("0-3", "5", ""));
        assert_false(fits("0-3", "3-4", ""));
        assert_true(fits("0-3", "0-7", "0-1"));
        assert_false(fits("0-3", "0-7", "2-5"));
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_hands_off), cmocka_unit_test(test_pin),
                cmocka_unit_test(test_weight),    cmocka_unit_test(test_young_says_until_when),
                cmocka_unit_test(test_fit),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
