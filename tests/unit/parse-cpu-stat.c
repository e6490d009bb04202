/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* cpu.stat: what is there, and what stays absent. */

#include "test.h"

#include "parse/cpu-stat.h"

static Counts parse(const char *text) {
        Counts c = {};
        cpu_stat_parse(text, strlen(text), &c);
        return c;
}

static void test_with_controller(void **state) {
        Counts c = parse("usage_usec 25587513\nuser_usec 782151\nsystem_usec 24805362\nnice_usec 0\n"
                         "core_sched.force_idle_usec 0\nnr_periods 3076\nnr_throttled 34\nthrottled_usec 8600000\n"
                         "nr_bursts 0\nburst_usec 0\n");
        assert_int_equal(c.value[CGROUP_USAGE_USEC], 25587513);
        assert_int_equal(c.value[CGROUP_NR_PERIODS], 3076);
        assert_int_equal(c.value[CGROUP_NR_THROTTLED], 34);
        assert_int_equal(c.value[CGROUP_THROTTLED_USEC], 8600000);
        assert_int_equal(c.have, 1U << CGROUP_USAGE_USEC | 1U << CGROUP_NR_PERIODS | 1U << CGROUP_NR_THROTTLED |
                                         1U << CGROUP_THROTTLED_USEC);
}

static void test_without_controller(void **state) {
        Counts c = parse("usage_usec 5\nuser_usec 1\nsystem_usec 4\n");
        assert_int_equal(c.have, 1U << CGROUP_USAGE_USEC);
}

static void test_damaged(void **state) {
        assert_int_equal(parse("").have, 0);
        assert_int_equal(parse("usage_usec").have, 0);
        assert_int_equal(parse("usage_usec x\n").have, 0);
        assert_int_equal(parse("usage_usec -1\n").have, 0);
        assert_int_equal(parse("usage_usec 18446744073709551616\n").have, 0);
        assert_int_equal(parse("usage_usec 1 2\n").have, 0);
        assert_int_equal(parse("\n\nusage_usec 7").value[CGROUP_USAGE_USEC], 7);
}

static void test_local(void **state) {
        Counts c = {};
        cpu_stat_local_parse("throttled_usec 42\n", 18, &c);
        assert_int_equal(c.have, 1U << CGROUP_LOCAL_THROTTLED_USEC);
        assert_int_equal(c.value[CGROUP_LOCAL_THROTTLED_USEC], 42);

        /* Without the cpu controller the file is there, and empty. */
        c = (Counts){};
        cpu_stat_local_parse("", 0, &c);
        assert_int_equal(c.have, 0);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_with_controller),
                cmocka_unit_test(test_without_controller),
                cmocka_unit_test(test_damaged),
                cmocka_unit_test(test_local),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
