/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Fields of stat behind names of every kind, and the CPUs of /proc/stat. */

#include "test.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "parse/stat.h"

/* Fields 3 to 52 as the kernel prints them: flags (9) 4194560, start (22) 1417, last CPU (39) 6. */
#define REST                                                                                                           \
        "S 1 308 308 0 -1 4194560 186 0 1 0 3 6 0 0 20 0 1 0 1417 2555904 361 18446744073709551615 1 1 1 0 0 0 0 "     \
        "4097 "                                                                                                        \
        "16386 1 0 0 17 6 0 0 0 0 0 1 1 1 1 1 1 1 0"

static void test_names(void **state) {
        static const char *const names[] = {
                "hackbench", "a) R 1 (b", ")", ") ", "x\ny", "", "sleep (2) .sh", "two  blanks", "end ", "(((", ")))",
        };

        for (size_t i = 0; i < ELEMENTSOF(names); i++) {
                char text[512];
                ThreadStat t = {};
                int n = snprintf(text, sizeof(text), "7 (%s) " REST "\n", names[i]);
                assert_int_equal(thread_stat_parse(text, (size_t) n, &t), 0);
                assert_int_equal(t.start_ticks, 1417);
                assert_int_equal(t.last_cpu, 6);
                assert_false(t.kernel);
        }
}

static void test_future_fields(void **state) {
        static const char text[] = "7 (a) " REST " 1 2 3 4 5 6 7 8\n";
        ThreadStat t = {};
        assert_int_equal(thread_stat_parse(text, strlen(text), &t), 0);
        assert_int_equal(t.last_cpu, 6);
}

static void test_kernel_thread(void **state) {
        static const char text[] = "2 (kthreadd) S 0 0 0 0 -1 2129984 0 0 0 0 0 1 0 0 20 0 1 0 104 0 0 1 0 0 0 0 0 0 0 "
                                   "2147483647 0 0 0 0 0 3 0 0 0 0 0 0 0 0 0 0 0 0 0\n";
        ThreadStat t = {};
        assert_int_equal(thread_stat_parse(text, strlen(text), &t), 0);
        assert_true(t.kernel);
        assert_int_equal(t.start_ticks, 104);
        assert_int_equal(t.last_cpu, 3);
}

static void test_truncated(void **state) {
        static const char *const texts[] = {
                "",
                "7",
                "7 (a",
                "7 (a)",
                "7 (a) S 1 308",
                "7 (a) S 1 308 308 0 -1 4194560 186 0 1 0 3 6 0 0 20 0 1 0 1417 2555904 361\n",
                "7 (a) S 1 308 308 0 -1 x 186 0 1 0 3 6 0 0 20 0 1 0 1417 2555904 361 1 1 1 1 0 0 0 0 4097 16386 1 0 0 "
                "17 6 0",
                "7 (a) S 1 308 308 0 -1 4 186 0 1 0 3 6 0 0 20 0 1 0 1417 2555904 361 1 1 1 1 0 0 0 0 4097 16386 1 0 0 "
                "17 99999 0",
        };

        for (size_t i = 0; i < ELEMENTSOF(texts); i++) {
                ThreadStat t = {.last_cpu = 77};
                assert_int_equal(thread_stat_parse(texts[i], strlen(texts[i]), &t), -EBADMSG);
                assert_int_equal(t.last_cpu, 77);
        }
}

static void test_cpus(void **state) {
        static const char text[] = "cpu  715 0 2372 7161 146 0 102 0 0 0\n"
                                   "cpu0 76 1 324 852 19 2 22 5 70 0\n"
                                   "cpu2 127 0 279 862 15 0 12 0\n" /* no guest fields, CPU 1 off line */
                                   "cpu2 1 1 1 1 1 1 1 1\n"
                                   "cpu3 1 2 3\n"
                                   "cpu9999 1 1 1 1 1 1 1 1\n"
                                   "cpux 1 1 1 1 1 1 1 1\n"
                                   "intr 0 1 2\n";
        _cleanup_snapshot_ Snapshot *s = calloc(1, sizeof(*s));

        assert_int_equal(proc_stat_parse(text, strlen(text), s), 0);
        assert_int_equal(s->n_cpus, 2);
        assert_int_equal(s->cpus[0].cpu, 0);
        assert_int_equal(s->cpus[0].counts.value[CPU_IDLE_TICKS], 852 + 19);
        assert_int_equal(s->cpus[0].counts.value[CPU_STEAL_TICKS], 5);
        assert_int_equal(s->cpus[0].counts.value[CPU_TOTAL_TICKS], 76 + 1 + 324 + 852 + 19 + 2 + 22 + 5);
        assert_int_equal(s->cpus[1].cpu, 2);
        assert_int_equal(s->cpus[1].counts.value[CPU_TOTAL_TICKS], 127 + 279 + 862 + 15 + 12);
        assert_false(counts_has(&s->cpus[1].counts, CPU_RUN_NSEC));
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_names),         cmocka_unit_test(test_future_fields),
                cmocka_unit_test(test_kernel_thread), cmocka_unit_test(test_truncated),
                cmocka_unit_test(test_cpus),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
