/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* schedstat of a thread and of the machine, in all versions that there are and one that there is not yet. */

#include "test.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "parse/schedstat.h"

#define DOMAIN_36 "domain0 00000003 1 1 0 0 0 0 0 0 1 1 0 0 0 0 0 0 1 1 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 40 25 5\n"
#define DOMAIN_45                                                                                                      \
        "domain0 MC 00000003 1 1 0 0 0 0 0 0 0 0 0 1 1 0 0 0 0 0 0 0 0 0 1 1 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 40 "  \
        "25 5\n"
#define DOMAIN_WIDE                                                                                                    \
        "domain0 00000000,00000000,00000000,00000000,00000000,00000000,00000000,00000011 1 1 0 0 0 0 0 0 1 1 0 0 0 0 " \
        "0 0 1 1 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 40 25 5\n"
#define CPUS(domain)                                                                                                   \
        "timestamp 4294897465\ncpu0 0 0 4725 1243 2755 1216 8732029088 4211369117 3369\n" domain                       \
        "cpu2 0 0 1 2 3 4 500 600 7\n" domain "cpu3 0 0 1 2 3 4 501 601 8\n" domain

static void test_thread(void **state) {
        static const struct {
                const char *text;
                bool known;
                uint64_t run, delay, slices;
        } table[] = {
                {"4200000000 310000000 9001\n", true, 4200000000, 310000000, 9001},
                {"0 42511 1\n", true, 0, 42511, 1},
                {"0 0 0\n", false, 0, 0, 0}, /* no CONFIG_SCHED_INFO */
                {"", false, 0, 0, 0},
                {"1 2\n", false, 0, 0, 0},
                {"1 -2 3\n", false, 0, 0, 0},
                {"1\n2\n3\n", false, 0, 0, 0},
        };

        for (size_t i = 0; i < ELEMENTSOF(table); i++) {
                Counts c = {};
                assert_int_equal(thread_schedstat_parse(table[i].text, strlen(table[i].text), &c), table[i].known);
                assert_int_equal(c.have != 0, table[i].known);
                assert_int_equal(c.value[THREAD_RUN_NSEC], table[i].run);
                assert_int_equal(c.value[THREAD_DELAY_NSEC], table[i].delay);
                assert_int_equal(c.value[THREAD_SLICES], table[i].slices);
        }
}

/* Whatever the domain lines look like, the cpu lines are read; CPU 1 is off line, CPU 5 is not in the file. */
static void check_cpus(const char *text, unsigned version, bool used) {
        CpuSample cpus[] = {{.cpu = 0}, {.cpu = 2}, {.cpu = 3}, {.cpu = 5}};
        unsigned v;

        schedstat_parse(text, strlen(text), cpus, ELEMENTSOF(cpus), &v);
        assert_int_equal(v, version);
        for (size_t i = 0; i < 3; i++)
                assert_int_equal(counts_has(&cpus[i].counts, CPU_RUN_NSEC), used);
        assert_int_equal(cpus[3].counts.have, 0);
        if (!used)
                return;
        assert_int_equal(cpus[0].counts.value[CPU_RUN_NSEC], 8732029088);
        assert_int_equal(cpus[0].counts.value[CPU_DELAY_NSEC], 4211369117);
        assert_int_equal(cpus[0].counts.value[CPU_SLICES], 3369);
        assert_int_equal(cpus[1].counts.value[CPU_RUN_NSEC], 500);
        assert_int_equal(cpus[2].counts.value[CPU_SLICES], 8);
}

static void test_versions(void **state) {
        check_cpus("version 15\n" CPUS(DOMAIN_36), 15, true);
        check_cpus("version 16\n" CPUS(DOMAIN_36), 16, true);
        check_cpus("version 17\n" CPUS(DOMAIN_45), 17, true);
        check_cpus("version 16\n" CPUS(DOMAIN_45), 16, true); /* between two releases */
        check_cpus("version 17\n" CPUS(DOMAIN_WIDE), 17, true);
        check_cpus("version 18\n" CPUS("domain0 MC 00000003 1 1 0 40 25 5 7 7 7\n"), 18, true);
        check_cpus("version 14\n" CPUS(DOMAIN_36), 14, false);
        check_cpus(CPUS(DOMAIN_36), 0, false);
        check_cpus("", 0, false);
        check_cpus("version x\n", 0, false);
}

static void test_long_line(void **state) {
        _cleanup_free_ char *text = malloc(4096);
        CpuSample cpu = {.cpu = 1279};
        unsigned version;

        int n = snprintf(text, 4096, "version 16\ndomain0 %01500d 1\ncpu1279 0 0 1 2 3 4 5 6 7\ncpu1279 1 2\n", 0);
        schedstat_parse(text, (size_t) n, &cpu, 1, &version);
        assert_int_equal(cpu.counts.value[CPU_RUN_NSEC], 5);
        assert_int_equal(cpu.counts.value[CPU_SLICES], 7);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_thread),
                cmocka_unit_test(test_versions),
                cmocka_unit_test(test_long_line),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
