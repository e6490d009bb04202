/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* How much weight, and when none. Six threads that want 5.6 CPUs beside sixteen that never sleep, on 8 CPUs. */

#include "test.h"

#include <stdlib.h>

#include "decide/weight.h"

enum { ROOT, SYSTEM, BATCH, SVC, USER, APP, N_CGROUPS };

typedef struct World {
        CgroupSample cgroups[N_CGROUPS];
        uint64_t demands[N_CGROUPS];
        Snapshot snapshot;
        Policy policy, rival_policy;
        WeightRival rival;
        WeightRequest request;
} World;

static void world_init(World *w) {
        *w = (World){
                .cgroups = {{.path = (char *) "/", .parent = CGROUP_NONE},
                            {.path = (char *) "/system.slice", .parent = ROOT},
                            {.path = (char *) "/system.slice/batch.service", .parent = SYSTEM, .leaf = true},
                            {.path = (char *) "/system.slice/svc.service", .parent = SYSTEM, .leaf = true},
                            {.path = (char *) "/user.slice", .parent = ROOT},
                            {.path = (char *) "/user.slice/app", .parent = USER, .leaf = true}},
                .demands = {21600, 21600, 16000, 5600, 0, 0},
                .policy = {.weight_max = 400},
                .rival_policy = {.max_harm_permille = 50},
                .rival = {.cgroup = BATCH, .name = "batch.service", .usage_known = true, .usage_milli = 5200},
        };
        w->snapshot = (Snapshot){.cgroups = w->cgroups, .n_cgroups = N_CGROUPS};
        w->request = (WeightRequest){
                .competition = {.snapshot = &w->snapshot, .demands = w->demands, .n_cpus = 8},
                .cgroup = SVC,
                .policy = &w->policy,
                .present = 100,
                .demand_milli = 5600,
                .usage_milli = 2700,
                .writes = 6,
                .rivals = &w->rival,
                .n_rivals = 1,
        };
}

static Refusal choose(const World *w, uint64_t *ret) {
        WeightChoice choice = {};
        Refusal refusal;
        assert_int_equal(weight_choose(&w->request, &choice, &refusal), 0);
        assert_true(refusal.refused == (choice.weight == 0));
        *ret = choice.weight;
        return refusal;
}

static void test_smallest_that_covers(void **state) {
        World w;
        uint64_t weight;
        world_init(&w);
        choose(&w, &weight);
        /* 1.1 * 5.6 = 6.16 of 8: w / (w + 100) = 0.77, so w = 335 */
        assert_in_range(weight, 334, 336);

        w.policy.weight_max = 250;
        choose(&w, &weight);
        assert_int_equal(weight, 250);
}

static void test_concur_needs_less(void **state) {
        World w;
        uint64_t weight;
        world_init(&w);
        w.request.competition.mode = CGROUP_MODE_CONCUR;
        w.policy.weight_max = 1000;
        choose(&w, &weight);
        /* w * 6.16 / (w * 6.16 + 100 * 8) = 0.77: w = 435; in smp 335: more threads of the batch than CPUs weigh */
        assert_in_range(weight, 433, 437);
}

/* Whoever runs on other CPUs is no rival, though he stands beside it. */
static void test_rival_on_other_cpus(void **state) {
        uint64_t weight;
        Cpuset *mine, *theirs;

        assert_int_equal(cpuset_parse_list("0-3", 3, &mine), 0);
        assert_int_equal(cpuset_parse_list("4-7", 3, &theirs), 0);
        for (unsigned i = 0; i < 4; i++) {
                World w;
                world_init(&w);
                w.cgroups[SVC].effective = mine;
                w.cgroups[BATCH].effective = i % 2 ? theirs : mine;
                w.rival_policy.goal = GOAL_LATENCY;
                w.rival.policy = i < 2 ? &w.rival_policy : NULL;
                w.rival.raised = i >= 2;
                Refusal refusal = choose(&w, &weight);
                assert_true(refusal.refused == (i % 2 == 0));
        }
        cpuset_free(mine);
        cpuset_free(theirs);
}

static void test_bounded_by_writes(void **state) {
        World w;
        uint64_t weight;
        world_init(&w);
        w.request.writes = 2; /* one step, and the undoing */
        choose(&w, &weight);
        assert_int_equal(weight, 200);
}

typedef void (*change_t)(World *w);

static void lose_to_user_slice(World *w) {
        w->demands[USER] = w->demands[APP] = 16000;
        w->demands[BATCH] = 0;
        w->demands[SYSTEM] = 5600;
        w->request.usage_milli = 3900;
}
static void have_what_it_wants(World *w) {
        w->demands[BATCH] = 1000;
}
static void have_little_to_win(World *w) {
        w->policy.weight_max = 120;
        w->request.usage_milli = 4100;
}
static void have_a_quota(World *w) {
        w->request.have_quota = true;
        w->request.quota_milli = 6000;
}
static void meet_a_raised_rival(World *w) {
        w->rival.raised = true;
}
static void meet_a_latency_rival(World *w) {
        w->rival_policy.goal = GOAL_LATENCY;
        w->rival.policy = &w->rival_policy;
}

static void allow_no_more(World *w) {
        w->policy.weight_max = 100;
}
static void allow_one_change(World *w) {
        w->request.writes = 1;
}

static void test_refusals(void **state) {
        static const struct {
                change_t change;
                const char *text;
        } table[] = {
                {allow_no_more, "weight-max=100 is no more than the weight that it has, 100"},
                {allow_one_change, "changes-per-hour=1 is too few"},
                {lose_to_user_slice, "stands beside /system.slice"},
                {have_what_it_wants, "its weight of 100 is enough"},
                {have_little_to_win, "more weight would not help: with 120 it would be due 4.3 CPUs, and it uses 4.1"},
                {have_a_quota, "it would use 5.6 CPUs, more than four fifths of its quota of 6.0"},
                {meet_a_raised_rival, "it competes with batch.service, whose weight was raised already"},
                {meet_a_latency_rival, "take CPU time from batch.service, whose goal is latency"},
        };
        for (size_t i = 0; i < ELEMENTSOF(table); i++) {
                World w;
                uint64_t weight;
                world_init(&w);
                table[i].change(&w);
                Refusal r = choose(&w, &weight);
                assert_non_null(strstr(r.text, table[i].text));
        }
}

static void test_no_refusals(void **state) {
        World w;
        uint64_t weight;

        world_init(&w);
        have_a_quota(&w);
        w.request.quota_milli = 8000;
        assert_false(choose(&w, &weight).refused);

        /* A rival that sleeps does not compete, and one that has what it wants loses nothing. */
        world_init(&w);
        meet_a_raised_rival(&w);
        w.rival.cgroup = APP;
        assert_false(choose(&w, &weight).refused);

        world_init(&w);
        meet_a_latency_rival(&w);
        w.rival.cgroup = APP;
        w.demands[USER] = w.demands[APP] = w.rival.usage_milli = 300;
        assert_false(choose(&w, &weight).refused);
}

static void test_steps(void **state) {
        static const struct {
                uint64_t present, top;
                unsigned steps;
        } table[] = {{100, 400, 2},   {100, 200, 1}, {100, 201, 2}, {100, 335, 2},
                     {100, 10000, 7}, {1, 2, 1},     {100, 120, 1}};
        for (size_t i = 0; i < ELEMENTSOF(table); i++) {
                uint64_t weight = table[i].present;
                assert_int_equal(weight_steps(table[i].present, table[i].top), table[i].steps);
                for (unsigned k = 0; k < table[i].steps; k++) {
                        uint64_t next = weight_step(weight, table[i].top);
                        assert_in_range(next, weight + 1, weight * 2);
                        weight = next;
                }
                assert_int_equal(weight, table[i].top);
        }
}

static void test_switches_on(void **state) {
        World w;
        world_init(&w);
        assert_int_equal(weight_switches_on(&w.snapshot, SVC), 4);
        w.cgroups[ROOT].subtree_control = CONTROLLER_CPU;
        assert_int_equal(weight_switches_on(&w.snapshot, SVC), 2);
        w.cgroups[SYSTEM].subtree_control = CONTROLLER_CPU;
        assert_int_equal(weight_switches_on(&w.snapshot, SVC), 0);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_smallest_that_covers), cmocka_unit_test(test_concur_needs_less),
                cmocka_unit_test(test_bounded_by_writes),    cmocka_unit_test(test_refusals),
                cmocka_unit_test(test_no_refusals),          cmocka_unit_test(test_steps),
                cmocka_unit_test(test_switches_on),          cmocka_unit_test(test_rival_on_other_cpus),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
