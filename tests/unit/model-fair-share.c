/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "test.h"

#include <stdlib.h>

#include "base/cleanup.h"
#include "model/fair-share.h"

/* /, /a.slice (weight wa) with /a.slice/x and /a.slice/y, /b.service (weight wb). Threads that want to run, in
 * thousandths of a CPU; 8 CPUs. */
typedef struct Tree {
        uint64_t wa, wb;
        bool cpu_at_root, cpu_in_a;
        uint64_t x, y, b;
        CgroupMode mode;
        size_t raised; /* 0: none */
        uint64_t weight;
} Tree;

static uint64_t share_of(const Tree *t, size_t which) {
        CgroupSample cgroups[] = {
                {.path = (char *) "/", .parent = CGROUP_NONE, .subtree_control = t->cpu_at_root ? CONTROLLER_CPU : 0},
                {.path = (char *) "/a.slice",
                 .parent = 0,
                 .weight = t->wa,
                 .have = CGROUP_HAVE_WEIGHT,
                 .subtree_control = t->cpu_in_a ? CONTROLLER_CPU : 0},
                {.path = (char *) "/a.slice/x", .parent = 1, .leaf = true},
                {.path = (char *) "/a.slice/y", .parent = 1, .leaf = true},
                {.path = (char *) "/b.service", .parent = 0, .leaf = true, .weight = t->wb, .have = CGROUP_HAVE_WEIGHT},
        };
        CgroupDelta deltas[ELEMENTSOF(cgroups)] = {};
        const uint64_t wants[] = {0, 0, t->x, t->y, t->b};
        for (size_t i = 2; i < ELEMENTSOF(cgroups); i++) {
                deltas[i].known = true;
                counts_set(&deltas[i].threads, THREAD_RUN_NSEC, wants[i] * USEC_PER_SEC / 2);
                counts_set(&deltas[i].threads, THREAD_DELAY_NSEC, wants[i] * USEC_PER_SEC / 2);
        }
        Snapshot s = {.cgroups = cgroups, .n_cgroups = ELEMENTSOF(cgroups)};
        Delta d = {.snapshot = &s, .cgroups = deltas, .dt_usec = USEC_PER_SEC};
        _cleanup_free_ uint64_t *demands = fair_share_demands(&d);
        assert_non_null(demands);
        const Competition c = {
                .snapshot = &s,
                .demands = demands,
                .n_cpus = 8,
                .mode = t->mode,
                .raised = t->raised ? t->raised : CGROUP_NONE,
                .weight = t->weight,
        };
        return fair_share(&c, which);
}

static void test_room_for_all(void **state) {
        const Tree t = {100, 100, true, true, 1000, 2000, 3000};
        assert_int_equal(share_of(&t, 2), 1000);
        assert_int_equal(share_of(&t, 3), 2000);
        assert_int_equal(share_of(&t, 4), 3000);
}

static void test_weights_divide(void **state) {
        /* a wants 12, b wants 16, of 8 CPUs: 4 and 4; inside a x and y the half each. */
        const Tree t = {100, 100, true, true, 6000, 6000, 16000};
        assert_int_equal(share_of(&t, 4), 4000);
        assert_int_equal(share_of(&t, 2), 2000);
        const Tree heavy = {300, 100, true, true, 6000, 6000, 16000};
        assert_int_equal(share_of(&heavy, 4), 2000);
}

static void test_what_one_leaves_the_others_get(void **state) {
        const Tree t = {100, 100, true, true, 500, 500, 16000};
        assert_int_equal(share_of(&t, 4), 7000);
        assert_int_equal(share_of(&t, 2), 500);
}

static void test_single_tasks_without_the_controller(void **state) {
        /* 6 against 16 threads: 8 * 6 / 22. */
        const Tree t = {100, 100, false, false, 6000, 0, 16000};
        assert_int_equal(share_of(&t, 2), 2181);
        assert_int_equal(share_of(&t, 4), 5818);
}

static void test_single_tasks_inside_a_group(void **state) {
        const Tree t = {100, 100, true, false, 2000, 6000, 16000};
        assert_int_equal(share_of(&t, 2), 1000);
}

static void test_threads_count_in_concur(void **state) {
        /* Six active threads of weight 100 against sixteen, of which 8 CPUs can hold only eight: 8 * 6 / 14. */
        const Tree t = {100, 100, true, true, 6000, 0, 16000, .mode = CGROUP_MODE_CONCUR};
        assert_in_range(share_of(&t, 2), 3427, 3428);
        const Tree tasks = {100, 100, true, true, 6000, 0, 16000, .mode = CGROUP_MODE_TASKS};
        assert_in_range(share_of(&tasks, 2), 2180, 2181);
        const Tree max = {100, 100, true, true, 6000, 0, 16000, .mode = CGROUP_MODE_MAX};
        assert_in_range(share_of(&max, 2), 3999, 4000);
}

static void test_as_if_raised(void **state) {
        /* Weight 400 for b, on a machine where no controller is on: b against a, 4 to 1. */
        const Tree t = {100, 100, false, false, 6000, 6000, 16000, .raised = 4, .weight = 400};
        assert_int_equal(share_of(&t, 4), 6400);
        assert_int_equal(share_of(&t, 2), 800);
        /* For x in a: a as a whole still has but half of the machine, and x four fifths of that. */
        const Tree inner = {100, 100, false, false, 6000, 6000, 16000, .raised = 2, .weight = 400};
        assert_int_equal(share_of(&inner, 2), 3200);
        assert_int_equal(share_of(&inner, 4), 4000);
}

static void test_nothing_vanishes_on_large_machines(void **state) {
        const Tree t = {1, 10000, true, true, 6000, 0, 8000000, .mode = CGROUP_MODE_CONCUR};
        assert_in_range(share_of(&t, 4), 7990, 8000);
}

/* As deep as the walk through the tree goes; beside it, at the top, stands one with the same weight. */
static void test_the_deepest(void **state) {
        enum { DEPTH = 64, N = DEPTH + 2 };
        CgroupSample cgroups[N] = {{.path = (char *) "/", .parent = CGROUP_NONE, .subtree_control = CONTROLLER_CPU}};
        uint64_t demands[N] = {16000};

        for (size_t i = 1; i <= DEPTH; i++) {
                cgroups[i] = (CgroupSample){.parent = i - 1, .subtree_control = CONTROLLER_CPU};
                demands[i] = 8000;
        }
        cgroups[N - 1] = (CgroupSample){.parent = 0};
        demands[N - 1] = 8000;
        const Snapshot s = {.cgroups = cgroups, .n_cgroups = N};
        const Competition c = {.snapshot = &s, .demands = demands, .n_cpus = 8, .raised = CGROUP_NONE};
        assert_int_equal(fair_share(&c, DEPTH), 4000);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_room_for_all),
                cmocka_unit_test(test_weights_divide),
                cmocka_unit_test(test_what_one_leaves_the_others_get),
                cmocka_unit_test(test_single_tasks_without_the_controller),
                cmocka_unit_test(test_single_tasks_inside_a_group),
                cmocka_unit_test(test_threads_count_in_concur),
                cmocka_unit_test(test_as_if_raised),
                cmocka_unit_test(test_nothing_vanishes_on_large_machines),
                cmocka_unit_test(test_the_deepest),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
