/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The names of /proc/PID/sched over the years, and threads whose own names forge lines. */

#include "test.h"

#include <stdio.h>

#include "parse/sched.h"

#define RULER_60 "------------------------------------------------------------\n"
#define HEADING "systemd (1, #threads: 1)\n" RULER_60

typedef struct Parsed {
        Counts counts;
        bool wait_max_known;
        uint64_t wait_max_nsec;
} Parsed;

static Parsed parse(const char *text) {
        Parsed p = {};
        sched_parse(text, strlen(text), &p.counts, &p.wait_max_known, &p.wait_max_nsec);
        return p;
}

static void test_since_5_16(void **state) {
        Parsed p = parse(HEADING "se.exec_start                                :         14256.924762\n"
                                 "se.nr_migrations                             :                   69\n"
                                 "wait_max                                     :            20.343712\n"
                                 "wait_sum                                     :           257.252325\n"
                                 "nr_wakeups                                   :                  678\n"
                                 "nr_wakeups_affine                            :                   21\n"
                                 "nr_wakeups_affine_attempts                   :                  254\n"
                                 "nr_switches                                  :                  892\n"
                                 "nr_voluntary_switches                        :                  676\n"
                                 "nr_involuntary_switches                      :                  216\n"
                                 "current_node=0, numa_group_id=0\n");
        assert_int_equal(p.counts.value[THREAD_MIGRATIONS], 69);
        assert_int_equal(p.counts.value[THREAD_WAKEUPS], 678);
        assert_int_equal(p.counts.value[THREAD_WAKEUPS_AFFINE], 21);
        assert_int_equal(p.counts.value[THREAD_SWITCHES], 892);
        assert_int_equal(p.counts.value[THREAD_VOLUNTARY], 676);
        assert_int_equal(p.counts.value[THREAD_INVOLUNTARY], 216);
        assert_true(p.wait_max_known);
        assert_int_equal(p.wait_max_nsec, 20343712);
}

static void test_before_5_16(void **state) {
        Parsed p = parse(HEADING "se.nr_migrations                   :                    7\n"
                                 "se.statistics.wait_max             :           712.500001\n"
                                 "se.statistics.nr_wakeups           :                   10\n"
                                 "se.statistics.nr_wakeups_affine:                    3\n"
                                 "se.statistics.nr_failed_migrations_affine:                    7\n");
        assert_int_equal(p.counts.value[THREAD_MIGRATIONS], 7);
        assert_int_equal(p.counts.value[THREAD_WAKEUPS], 10);
        assert_int_equal(p.counts.value[THREAD_WAKEUPS_AFFINE], 3);
        assert_int_equal(p.wait_max_nsec, 712500001);
}

static void test_absent_is_unknown(void **state) {
        Parsed p = parse(HEADING "se.slice                                     :              2800000\n"
                                 "se.deadline                                  :                    5\n"
                                 "mm->numa_scan_seq                            :                    0\n"
                                 "nr_switches                                  :                   11\n");
        assert_int_equal(p.counts.have, 1U << THREAD_SWITCHES);
        assert_false(p.wait_max_known);
}

static void test_odd_values(void **state) {
        Parsed p = parse(HEADING "wait_max : -0.000001\nnr_switches : -1\nse.nr_migrations : 18446744073709551615\n"
                                 "nr_wakeups : 1.5\n");
        assert_false(p.wait_max_known);
        assert_int_equal(p.counts.have, 1U << THREAD_MIGRATIONS);
        assert_int_equal(p.counts.value[THREAD_MIGRATIONS], UINT64_MAX);

        assert_false(parse(HEADING "wait_max : 18446744073709551615.000001\n").wait_max_known);
        assert_false(parse(HEADING "wait_max : 5.1\n").wait_max_known);
        assert_false(parse(HEADING "wait_max : 5\n").wait_max_known);
        assert_int_equal(parse(HEADING "max_run_delay : 3.000009\n").wait_max_nsec, 3000009);
}

static void test_forged_by_name(void **state) {
        static const char *const names[] = {"\nnr_switches:9", "\n---\nwait_sum:1", "\n---\nwait_max:1"};

        for (size_t i = 0; i < ELEMENTSOF(names); i++) {
                char text[512];
                (void) snprintf(text, sizeof(text), "%s (7, #threads: 1)\n" RULER_60 "nr_voluntary_switches : 5\n",
                                names[i]);
                Parsed p = parse(text);
                assert_int_equal(p.counts.have, 1U << THREAD_VOLUNTARY);
                assert_false(p.wait_max_known);
        }
}

static void test_no_ruler(void **state) {
        assert_int_equal(parse("").counts.have, 0);
        assert_int_equal(parse("x (1, #threads: 1)\nnr_switches : 9\n").counts.have, 0);
        /* 59 dashes */
        assert_int_equal(
                parse("x\n-----------------------------------------------------------\nnr_switches : 9\n").counts.have,
                0);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_since_5_16),        cmocka_unit_test(test_before_5_16),
                cmocka_unit_test(test_absent_is_unknown), cmocka_unit_test(test_odd_values),
                cmocka_unit_test(test_forged_by_name),    cmocka_unit_test(test_no_ruler),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
