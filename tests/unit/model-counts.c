/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "test.h"

#include "model/counts.h"

static void test_delta_keeps_absent_absent(void **state) {
        Counts before = {}, after = {}, d;
        counts_set(&before, CGROUP_USAGE_USEC, 100);
        counts_set(&after, CGROUP_USAGE_USEC, 250);
        counts_set(&after, CGROUP_SOME_USEC, 7);

        assert_true(counts_delta(&before, &after, &d));
        assert_true(counts_has(&d, CGROUP_USAGE_USEC));
        assert_int_equal(counts_get(&d, CGROUP_USAGE_USEC), 150);
        assert_false(counts_has(&d, CGROUP_SOME_USEC));
}

static void test_delta_backwards_is_a_new_baseline(void **state) {
        Counts before = {}, after = {}, d;
        counts_set(&before, CGROUP_USAGE_USEC, 9000000);
        counts_set(&before, CGROUP_SOME_USEC, 1);
        counts_set(&after, CGROUP_USAGE_USEC, 120000);
        counts_set(&after, CGROUP_SOME_USEC, 3);

        assert_false(counts_delta(&before, &after, &d));
        assert_false(counts_has(&d, CGROUP_USAGE_USEC));
        assert_int_equal(counts_get(&d, CGROUP_SOME_USEC), 2);
}

static void test_add_is_a_union(void **state) {
        Counts sum = {}, part = {};
        counts_set(&sum, THREAD_RUN_NSEC, 5);
        counts_set(&part, THREAD_RUN_NSEC, 6);
        counts_set(&part, THREAD_SLICES, 2);
        counts_add(&sum, &part);
        assert_int_equal(counts_get(&sum, THREAD_RUN_NSEC), 11);
        assert_int_equal(counts_get(&sum, THREAD_SLICES), 2);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_delta_keeps_absent_absent),
                cmocka_unit_test(test_delta_backwards_is_a_new_baseline),
                cmocka_unit_test(test_add_is_a_union),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
