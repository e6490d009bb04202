/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The ring, and each signal against a figure worked out by hand. */

#include "test.h"

#include <string.h>

#include "model/history.h"

#define MSEC_NSEC UINT64_C(1000000)

/* One second of a target on 4 of its CPUs: runs 2 CPUs, waits 0.5, with 1,000 switches. */
static TickRecord busy(uint64_t tick) {
        TickRecord r = {
                .tick = tick,
                .dt_usec = USEC_PER_SEC,
                .n_threads = 10,
                .have_throttled = true,
                .throttled_usec = 0,
                .n_allowed = 4,
                .have_idle = true,
                .idle_ticks = 100,
                .total_ticks = 400,
                .have_others = true,
                .others_nsec = 250 * MSEC_NSEC,
                .have_fair_share = true,
                .fair_share_milli = 2500,
                .other_groups = {.have = true, .n_groups = 5, .delay_nsec = 3 * MSEC_NSEC, .slices = 100},
                .other_cpu_time = {.have = true, .delay_nsec = 40 * MSEC_NSEC, .slices = 400},
        };
        counts_set(&r.cgroup, CGROUP_USAGE_USEC, 2 * USEC_PER_SEC);
        counts_set(&r.threads, THREAD_RUN_NSEC, 2000 * MSEC_NSEC);
        counts_set(&r.threads, THREAD_SEEN_RUN_NSEC, 2000 * MSEC_NSEC);
        counts_set(&r.threads, THREAD_DELAY_NSEC, 500 * MSEC_NSEC);
        counts_set(&r.threads, THREAD_SLICES, 1000);
        counts_set(&r.threads, THREAD_SWITCHES, 1000);
        counts_set(&r.threads, THREAD_VOLUNTARY, 900);
        counts_set(&r.threads, THREAD_MIGRATIONS, 150);
        return r;
}

static Signals signals_of(const TickRecord *records, size_t n, size_t window) {
        History h = {};
        Signals s;

        assert_int_equal(history_reserve(&h, n), 0);
        for (size_t i = 0; i < n; i++)
                history_push(&h, &records[i]);
        history_signals(&h, window, &s);
        history_done(&h);
        return s;
}

#define assert_signal(s, signal, expected)                                                                             \
        do {                                                                                                           \
                assert_true(signals_has(&(s), signal));                                                                \
                assert_int_equal((s).value[signal], expected);                                                         \
        } while (0)

static void test_ring(void **state) {
        History h = {};
        TickRecord r = {};

        assert_null(history_at(&h, 0));
        assert_int_equal(history_reserve(&h, 3), 0);
        for (r.tick = 1; r.tick <= 5; r.tick++)
                history_push(&h, &r);
        assert_int_equal(history_at(&h, 0)->tick, 5);
        assert_int_equal(history_at(&h, 2)->tick, 3);
        assert_null(history_at(&h, 3));

        /* Growing keeps the order, also where the ring had wrapped round. */
        assert_int_equal(history_reserve(&h, 5), 0);
        assert_int_equal(history_at(&h, 0)->tick, 5);
        assert_int_equal(history_at(&h, 2)->tick, 3);
        history_push(&h, &r);
        assert_int_equal(history_at(&h, 0)->tick, 6);
        assert_int_equal(history_at(&h, 3)->tick, 3);

        /* It never shrinks. */
        assert_int_equal(history_reserve(&h, 1), 0);
        assert_int_equal(history_at(&h, 3)->tick, 3);

        history_clear(&h);
        assert_null(history_at(&h, 0));
        history_push(&h, &r);
        assert_int_equal(history_at(&h, 0)->tick, 6);
        assert_null(history_at(&h, 1));
        history_done(&h);
}

static void test_each_formula(void **state) {
        TickRecord r[3] = {busy(1), busy(2), busy(3)};
        r[2].have_quota = true;
        r[2].quota_milli = 3000;
        Signals s = signals_of(r, 3, 3);

        static const struct {
                Signal signal;
                int64_t value;
        } expected[] = {
                {SIGNAL_USAGE, 2000},
                {SIGNAL_DEMAND, 2500},
                {SIGNAL_WAITING, 500},
                {SIGNAL_WAIT_PER_SLICE, 500 * 1000},
                {SIGNAL_WAIT_SHARE, 200},
                {SIGNAL_MIGRATIONS_PER_SWITCH, 150},
                {SIGNAL_MIGRATIONS_PER_CPU_SECOND, 75 * 1000},
                {SIGNAL_SWITCHES_PER_CPU_SECOND, 500 * 1000},
                {SIGNAL_VOLUNTARY_SHARE, 900},
                {SIGNAL_IDLE, 250},
                {SIGNAL_OTHERS, 250},
                {SIGNAL_FAIR_SHARE, 2500},
                {SIGNAL_OUTSIDE_WAIT, 30 * 1000},
                {SIGNAL_OUTSIDE_FACTOR, 16666},
                {SIGNAL_OUTSIDE_GROUPS, 5 * 1000},
                {SIGNAL_THROTTLED, 0},
                {SIGNAL_THROTTLED_OF_DELAY, 0},
                {SIGNAL_COVERAGE, 1000},
                {SIGNAL_ALLOWED_CPUS, 4000},
                {SIGNAL_QUOTA, 3000},
                {SIGNAL_SLICES, 3000 * 1000},
                {SIGNAL_THREADS, 10 * 1000},
        };
        for (size_t i = 0; i < ELEMENTSOF(expected); i++)
                assert_signal(s, expected[i].signal, expected[i].value);
        assert_false(signals_has(&s, SIGNAL_THROTTLED_PERIODS)); /* no nr_periods: absent, not 0 */
        assert_false(signals_has(&s, SIGNAL_USAGE_OF_PAST));
}

static void test_throttled_time_is_no_wait(void **state) {
        TickRecord r = busy(1);
        r.throttled_usec = 400 * USEC_PER_MSEC;
        counts_set(&r.cgroup, CGROUP_NR_PERIODS, 10);
        counts_set(&r.cgroup, CGROUP_NR_THROTTLED, 4);
        Signals s = signals_of(&r, 1, 3);

        assert_signal(s, SIGNAL_WAITING, 100);
        assert_signal(s, SIGNAL_WAIT_PER_SLICE, 100 * 1000);
        assert_signal(s, SIGNAL_THROTTLED, 400);
        assert_signal(s, SIGNAL_THROTTLED_PERIODS, 400);
        assert_signal(s, SIGNAL_THROTTLED_OF_DELAY, 800);
        assert_signal(s, SIGNAL_DEMAND, 2500);

        r.throttled_usec = 900 * USEC_PER_MSEC; /* written at the unthrottle: more than the delay of this tick */
        s = signals_of(&r, 1, 3);
        assert_signal(s, SIGNAL_WAITING, 0);
        assert_signal(s, SIGNAL_WAIT_SHARE, 0);
}

/* A hole in one tick of the window is a hole in what is made of it, and in nothing else. */
static void test_absent_in_one_tick_is_absent(void **state) {
        TickRecord r[3] = {busy(1), busy(2), busy(3)};
        r[1].threads.have &= ~(UINT32_C(1) << THREAD_DELAY_NSEC);
        Signals s = signals_of(r, 3, 3);
        assert_false(signals_has(&s, SIGNAL_DEMAND));
        assert_false(signals_has(&s, SIGNAL_WAITING));
        assert_false(signals_has(&s, SIGNAL_WAIT_SHARE));
        assert_false(signals_has(&s, SIGNAL_WAIT_PER_SLICE));
        assert_signal(s, SIGNAL_MIGRATIONS_PER_SWITCH, 150);

        r[1] = busy(2);
        r[0].have_throttled = false;
        s = signals_of(r, 3, 3);
        assert_false(signals_has(&s, SIGNAL_WAITING));
        assert_false(signals_has(&s, SIGNAL_THROTTLED));
        assert_signal(s, SIGNAL_DEMAND, 2500);

        /* Outside the window it does not matter. */
        s = signals_of(r, 3, 2);
        assert_signal(s, SIGNAL_WAITING, 500);

        r[2].have_idle = r[2].have_others = r[2].have_fair_share = false;
        s = signals_of(r, 3, 2);
        assert_false(signals_has(&s, SIGNAL_IDLE));
        assert_false(signals_has(&s, SIGNAL_OTHERS));
        assert_false(signals_has(&s, SIGNAL_FAIR_SHARE));
}

/* Run time that is known, and that of threads that did not come or go. */
static void set_run(TickRecord *r, uint64_t known, uint64_t seen) {
        counts_set(&r->threads, THREAD_RUN_NSEC, known);
        counts_set(&r->threads, THREAD_SEEN_RUN_NSEC, seen);
}

static void test_coverage(void **state) {
        TickRecord r = busy(1);
        set_run(&r, 1400 * MSEC_NSEC, 1400 * MSEC_NSEC);
        Signals s = signals_of(&r, 1, 1);
        assert_signal(s, SIGNAL_COVERAGE, 700);
        assert_true(signals_has(&s, SIGNAL_WAIT_SHARE));

        set_run(&r, 1398 * MSEC_NSEC, 1398 * MSEC_NSEC);
        s = signals_of(&r, 1, 1);
        assert_signal(s, SIGNAL_COVERAGE, 699);
        assert_false(signals_has(&s, SIGNAL_COVERAGE_SEEN));
        static const Signal from_threads[] = {
                SIGNAL_DEMAND,
                SIGNAL_WAITING,
                SIGNAL_WAIT_SHARE,
                SIGNAL_WAIT_PER_SLICE,
                SIGNAL_VOLUNTARY_SHARE,
                SIGNAL_MIGRATIONS_PER_SWITCH,
                SIGNAL_SLICES,
                SIGNAL_MIGRATIONS_PER_CPU_SECOND,
                SIGNAL_THROTTLED_OF_DELAY,
                SIGNAL_SWITCHES_PER_CPU_SECOND,
        };
        for (size_t i = 0; i < ELEMENTSOF(from_threads); i++)
                assert_false(signals_has(&s, from_threads[i]));
        assert_signal(s, SIGNAL_USAGE, 2000); /* cpu.stat still holds */
        assert_signal(s, SIGNAL_IDLE, 250);

        /* Under 1 % of a CPU the ratio is of noise. */
        counts_set(&r.cgroup, CGROUP_USAGE_USEC, 9999);
        set_run(&r, MSEC_NSEC, MSEC_NSEC);
        s = signals_of(&r, 1, 1);
        assert_false(signals_has(&s, SIGNAL_COVERAGE));
        assert_true(signals_has(&s, SIGNAL_WAIT_SHARE));

        counts_set(&r.cgroup, CGROUP_USAGE_USEC, 10000);
        s = signals_of(&r, 1, 1);
        assert_signal(s, SIGNAL_COVERAGE, 100);
        assert_false(signals_has(&s, SIGNAL_WAIT_SHARE));
}

/* Threads that came and went are known by run time, delay and slices alone. */
static void test_coverage_of_threads_not_seen(void **state) {
        TickRecord r = busy(1);
        set_run(&r, 2000 * MSEC_NSEC, 1500 * MSEC_NSEC);
        Signals s = signals_of(&r, 1, 1);
        assert_signal(s, SIGNAL_COVERAGE, 1000);
        assert_signal(s, SIGNAL_COVERAGE_SEEN, 750);
        assert_signal(s, SIGNAL_DEMAND, 2500);
        /* Of 1.5 CPU-seconds, not of 2: no switch of the others is known. */
        assert_signal(s, SIGNAL_MIGRATIONS_PER_CPU_SECOND, 100000);
        assert_signal(s, SIGNAL_SWITCHES_PER_CPU_SECOND, 666666);

        set_run(&r, 1990 * MSEC_NSEC, 40 * MSEC_NSEC);
        s = signals_of(&r, 1, 1);
        assert_signal(s, SIGNAL_COVERAGE_SEEN, 20);
        assert_true(signals_has(&s, SIGNAL_WAIT_SHARE));
        assert_true(signals_has(&s, SIGNAL_WAIT_PER_SLICE));
        assert_false(signals_has(&s, SIGNAL_MIGRATIONS_PER_SWITCH));
        assert_false(signals_has(&s, SIGNAL_MIGRATIONS_PER_CPU_SECOND));
        assert_false(signals_has(&s, SIGNAL_VOLUNTARY_SHARE));
}

static void test_usage_and_switches_have_a_second_source(void **state) {
        TickRecord r = busy(1);
        r.cgroup = (Counts){};
        Signals s = signals_of(&r, 1, 1);
        assert_signal(s, SIGNAL_USAGE, 2000);

        r.threads.have &= ~(UINT32_C(1) << THREAD_SWITCHES);
        s = signals_of(&r, 1, 1);
        assert_false(signals_has(&s, SIGNAL_MIGRATIONS_PER_SWITCH));
        counts_set(&r.threads, THREAD_INVOLUNTARY, 600);
        s = signals_of(&r, 1, 1);
        assert_signal(s, SIGNAL_MIGRATIONS_PER_SWITCH, 100);

        r.threads = (Counts){};
        s = signals_of(&r, 1, 1);
        assert_false(signals_has(&s, SIGNAL_USAGE));
        assert_false(signals_has(&s, SIGNAL_THREADS));
}

static void test_ratios_of_sums(void **state) {
        TickRecord r[2] = {busy(1), busy(2)};
        counts_set(&r[0].threads, THREAD_SWITCHES, 10);
        counts_set(&r[0].threads, THREAD_MIGRATIONS, 10);
        counts_set(&r[1].threads, THREAD_SWITCHES, 9990);
        counts_set(&r[1].threads, THREAD_MIGRATIONS, 0);
        Signals s = signals_of(r, 2, 3);
        assert_signal(s, SIGNAL_MIGRATIONS_PER_SWITCH, 1); /* not the mean of 1000 and 0 */

        r[1].dt_usec = 3 * USEC_PER_SEC;
        s = signals_of(r, 2, 3);
        assert_signal(s, SIGNAL_USAGE, 1000); /* 4 CPU-seconds in 4 s */
}

/* One reference for the whole window, the better one where there is a choice. */
static void test_outside_has_one_reference(void **state) {
        TickRecord r[3] = {busy(1), busy(2), busy(3)};
        r[0].other_groups.n_groups = 7;
        Signals s = signals_of(r, 3, 3);
        assert_signal(s, SIGNAL_OUTSIDE_GROUPS, 7 * 1000);

        r[1].other_groups = (Outside){};
        s = signals_of(r, 3, 3);
        assert_signal(s, SIGNAL_OUTSIDE_WAIT, 100 * 1000);
        assert_signal(s, SIGNAL_OUTSIDE_FACTOR, 5000);
        assert_false(signals_has(&s, SIGNAL_OUTSIDE_GROUPS));

        r[0].other_cpu_time = (Outside){};
        s = signals_of(r, 3, 3);
        assert_false(signals_has(&s, SIGNAL_OUTSIDE_WAIT));
        assert_false(signals_has(&s, SIGNAL_OUTSIDE_FACTOR));
}

static void test_outside_wait_wants_100_slices(void **state) {
        TickRecord r = busy(1);
        r.other_groups.slices = 99;
        Signals s = signals_of(&r, 1, 1);
        assert_false(signals_has(&s, SIGNAL_OUTSIDE_WAIT));
        assert_false(signals_has(&s, SIGNAL_OUTSIDE_GROUPS));
        assert_false(signals_has(&s, SIGNAL_OUTSIDE_FACTOR));
}

static void test_factor_wants_both(void **state) {
        TickRecord r = busy(1);
        r.other_groups.delay_nsec = 0;
        Signals s = signals_of(&r, 1, 1);
        assert_signal(s, SIGNAL_OUTSIDE_WAIT, 0);
        assert_false(signals_has(&s, SIGNAL_OUTSIDE_FACTOR)); /* of nothing there is no multiple */

        r = busy(1);
        counts_set(&r.threads, THREAD_RUN_NSEC, MSEC_NSEC); /* too little coverage to speak of its wait */
        s = signals_of(&r, 1, 1);
        assert_true(signals_has(&s, SIGNAL_OUTSIDE_WAIT));
        assert_false(signals_has(&s, SIGNAL_OUTSIDE_FACTOR));
}

static void test_usage_of_past(void **state) {
        TickRecord r[9];
        for (size_t i = 0; i < ELEMENTSOF(r); i++)
                r[i] = busy(i);
        for (size_t i = 6; i < 9; i++)
                counts_set(&r[i].cgroup, CGROUP_USAGE_USEC, 1500 * USEC_PER_MSEC);
        counts_set(&r[2].cgroup, CGROUP_USAGE_USEC, 40 * USEC_PER_SEC); /* one outlier does not move a median */

        Signals s = signals_of(r, 9, 3);
        assert_signal(s, SIGNAL_USAGE_OF_PAST, 750);

        r[0].n_threads = 11; /* 10 % apart: still as many */
        r[1].n_threads = 12; /* not */
        s = signals_of(r, 9, 3);
        assert_signal(s, SIGNAL_USAGE_OF_PAST, 750);
        r[0].n_threads = 8;
        s = signals_of(r, 9, 3);
        assert_false(signals_has(&s, SIGNAL_USAGE_OF_PAST)); /* 4 left, 5 are asked for */
}

/* Counters that make no sense: whatever comes of them, no signal is negative or too large to be reckoned with. */
static void test_absurd_counts_stay_in_bounds(void **state) {
        TickRecord r = {.dt_usec = 1, .have_quota = true, .quota_milli = UINT64_MAX, .have_fair_share = true};
        r.fair_share_milli = r.others_nsec = UINT64_MAX;
        r.other_groups = (Outside){.have = true, .n_groups = UINT32_MAX, .delay_nsec = UINT64_MAX, .slices = 100};
        r.have_others = true;
        for (unsigned i = 0; i < _THREAD_COUNT_MAX; i++)
                counts_set(&r.threads, i, UINT64_MAX / 4);
        counts_set(&r.cgroup, CGROUP_USAGE_USEC, UINT64_MAX);

        Signals s = signals_of((TickRecord[]){r, r, r}, 3, 3);
        assert_true(signals_has(&s, SIGNAL_SLICES));
        assert_true(signals_has(&s, SIGNAL_QUOTA));
        assert_true(signals_has(&s, SIGNAL_FAIR_SHARE));
        for (unsigned i = 0; i < _SIGNAL_MAX; i++)
                if (signals_has(&s, i))
                        assert_in_range((uint64_t) s.value[i], 0, SIGNAL_VALUE_MAX);
}

static void test_nothing_known_is_nothing_said(void **state) {
        TickRecord r = {.tick = 1, .dt_usec = USEC_PER_SEC};
        Signals s = signals_of(&r, 1, 3);
        assert_int_equal(s.have, 0);

        History h = {};
        history_signals(&h, 3, &s);
        assert_int_equal(s.have, 0);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_ring),
                cmocka_unit_test(test_each_formula),
                cmocka_unit_test(test_throttled_time_is_no_wait),
                cmocka_unit_test(test_absent_in_one_tick_is_absent),
                cmocka_unit_test(test_coverage),
                cmocka_unit_test(test_coverage_of_threads_not_seen),
                cmocka_unit_test(test_usage_and_switches_have_a_second_source),
                cmocka_unit_test(test_ratios_of_sums),
                cmocka_unit_test(test_outside_has_one_reference),
                cmocka_unit_test(test_outside_wait_wants_100_slices),
                cmocka_unit_test(test_factor_wants_both),
                cmocka_unit_test(test_usage_of_past),
                cmocka_unit_test(test_absurd_counts_stay_in_bounds),
                cmocka_unit_test(test_nothing_known_is_nothing_said),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
