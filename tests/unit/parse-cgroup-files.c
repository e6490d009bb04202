/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The small files of a cgroup. */

#include "test.h"

#include "parse/cgroup-files.h"

static void test_max(void **state) {
        static const struct {
                const char *text;
                bool ok;
                usec_t quota, period;
        } table[] = {
                {"max 100000\n", true, USEC_INFINITY, 100000},
                {"50000 100000\n", true, 50000, 100000},
                {"50000 100000", true, 50000, 100000},
                {"max\n", false, 0, 0},
                {"50000 0\n", false, 0, 0},
                {"-1 100000\n", false, 0, 0},
                {"maximum 100000\n", false, 0, 0},
                {"1 2 3\n", false, 0, 0},
                {"", false, 0, 0},
        };

        for (size_t i = 0; i < ELEMENTSOF(table); i++) {
                usec_t quota = 0, period = 0;
                assert_int_equal(cpu_max_parse(table[i].text, strlen(table[i].text), &quota, &period), table[i].ok);
                assert_int_equal(quota, table[i].quota);
                assert_int_equal(period, table[i].period);
        }
}

static void test_weight_idle(void **state) {
        uint64_t weight = 77;
        bool idle = false;

        assert_true(cpu_weight_parse("100\n", 4, &weight));
        assert_int_equal(weight, 100);
        assert_true(cpu_weight_parse("0\n", 2, &weight)); /* cpu.idle is on */
        assert_int_equal(weight, 0);
        assert_false(cpu_weight_parse("10001\n", 6, &weight));
        assert_false(cpu_weight_parse("", 0, &weight));
        assert_false(cpu_weight_parse("default\n", 8, &weight));
        assert_true(cpu_idle_parse("1\n", 2, &idle));
        assert_true(idle);
        assert_true(cpu_idle_parse("0\n", 2, &idle));
        assert_false(idle);
        assert_false(cpu_idle_parse("2\n", 2, &idle));
        assert_false(cpu_idle_parse("", 0, &idle));
}

static void test_partition(void **state) {
        static const struct {
                const char *text;
                CpusetPartition partition;
        } table[] = {
                {"member\n", PARTITION_MEMBER},
                {"root\n", PARTITION_ROOT},
                {"isolated\n", PARTITION_ISOLATED},
                {"root invalid (Cpu list in cpuset.cpus not exclusive)\n", PARTITION_INVALID},
                {"isolated invalid (Parent is not a partition root)\n", PARTITION_INVALID},
                {"something new\n", PARTITION_INVALID},
                {"", PARTITION_INVALID},
        };

        for (size_t i = 0; i < ELEMENTSOF(table); i++)
                assert_int_equal(partition_parse(table[i].text, strlen(table[i].text)), table[i].partition);
}

static void test_controllers(void **state) {
        static const struct {
                const char *text;
                unsigned mask;
        } table[] = {
                {"cpuset cpu io memory pids\n", CONTROLLER_CPU | CONTROLLER_CPUSET | CONTROLLER_MEMORY},
                {"memory pids\n", CONTROLLER_MEMORY},
                {"cpu\n", CONTROLLER_CPU},
                {"cpuset\n", CONTROLLER_CPUSET},
                {"cpuacct\n", 0},
                {"\n", 0},
                {"", 0},
        };

        for (size_t i = 0; i < ELEMENTSOF(table); i++)
                assert_int_equal(controllers_parse(table[i].text, strlen(table[i].text)), table[i].mask);
}

static void test_type(void **state) {
        assert_true(cgroup_type_is_threaded("threaded\n", 9));
        assert_true(cgroup_type_is_threaded("domain threaded\n", 16));
        assert_false(cgroup_type_is_threaded("domain\n", 7));
        assert_false(cgroup_type_is_threaded("domain invalid\n", 15));
        assert_false(cgroup_type_is_threaded("", 0));
}

static void test_ids(void **state) {
        const char *text = "308\n0\n\n99999999999\nx\n310\n7";
        size_t len = strlen(text);
        pid_t id = 0;

        assert_true(cgroup_next_id(&text, &len, &id));
        assert_int_equal(id, 308);
        assert_true(cgroup_next_id(&text, &len, &id));
        assert_int_equal(id, 310);
        assert_true(cgroup_next_id(&text, &len, &id));
        assert_int_equal(id, 7);
        assert_false(cgroup_next_id(&text, &len, &id));
        assert_int_equal(len, 0);
        assert_false(cgroup_next_id(&text, &len, &id));
}

static void test_sched_ext(void **state) {
        assert_false(sched_ext_is_on("disabled\n", 9));
        assert_false(sched_ext_is_on("", 0));
        assert_true(sched_ext_is_on("enabled\n", 8));
        assert_true(sched_ext_is_on("enabling\n", 9));
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_max),       cmocka_unit_test(test_weight_idle),
                cmocka_unit_test(test_partition), cmocka_unit_test(test_controllers),
                cmocka_unit_test(test_type),      cmocka_unit_test(test_ids),
                cmocka_unit_test(test_sched_ext),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
