/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "test.h"

#include "daemon/budget.h"

typedef struct Load {
        Budget budget;
        usec_t cpu_usec;
        bool on_trial;
} Load;

/* A budget that has nothing saved up. */
static void init_poor(Load *l, usec_t interval_usec, unsigned permille) {
        budget_init(&l->budget, interval_usec, permille, l->cpu_usec);
        l->budget.credit_usec = 0;
}

/* Ticks that cost `cost` each; the number of times that the interval changed. */
static unsigned run(Load *l, unsigned n, usec_t cost_usec) {
        unsigned changes = 0;

        for (unsigned i = 0; i < n; i++) {
                l->cpu_usec += cost_usec;
                changes += budget_tick(&l->budget, l->cpu_usec, l->on_trial);
        }
        return changes;
}

static void test_stretches_by_whole_numbers(void **state) {
        static const struct {
                usec_t interval_usec, cost_usec;
                unsigned permille;
                usec_t expected_usec;
        } cases[] = {
                {USEC_PER_SEC, 3000, 10, USEC_PER_SEC},                  /* 0.3 % of 1 % */
                {USEC_PER_SEC, 10000, 10, USEC_PER_SEC},                 /* just within */
                {USEC_PER_SEC, 10001, 10, 2 * USEC_PER_SEC},             /* just not */
                {USEC_PER_SEC, 25000, 10, 3 * USEC_PER_SEC},             /* 2.5 times */
                {20 * USEC_PER_MSEC, 2000, 10, 200 * USEC_PER_MSEC},     /* 10 % at 20 ms */
                {20 * USEC_PER_MSEC, 2000, 1000, 20 * USEC_PER_MSEC},    /* a whole CPU is allowed */
                {USEC_PER_SEC, 5 * USEC_PER_SEC, 10, 60 * USEC_PER_SEC}, /* never beyond a minute */
                {60 * USEC_PER_SEC, 5 * USEC_PER_SEC, 10, 60 * USEC_PER_SEC},
                {USEC_PER_SEC, 50000, 0, USEC_PER_SEC}, /* no budget */
        };

        for (size_t i = 0; i < ELEMENTSOF(cases); i++) {
                Load l = {.cpu_usec = 12345};
                init_poor(&l, cases[i].interval_usec, cases[i].permille);
                (void) run(&l, 13, cases[i].cost_usec);
                assert_int_equal(budget_interval(&l.budget), cases[i].expected_usec);
        }
}

static void test_first_ticks_are_no_measure(void **state) {
        Load l = {};
        budget_init(&l.budget, USEC_PER_SEC, 10, 0);
        (void) run(&l, 3, USEC_PER_SEC);
        assert_int_equal(run(&l, 10, 1000), 0);
        assert_int_equal(l.budget.cost_usec, 1000);
}

/* 1 % of an hour: 36 s may be spent before anything is stretched. */
static void test_credit_bridges_a_burst(void **state) {
        Load l = {};
        budget_init(&l.budget, USEC_PER_SEC, 10, 0);
        assert_int_equal(run(&l, 390, 100000), 0); /* 35.1 s above the budget */
        assert_int_equal(run(&l, 23, 100000), 1);
        assert_int_equal(budget_interval(&l.budget), 10 * USEC_PER_SEC);
}

static void test_a_trial_is_not_stretched(void **state) {
        Load l = {};
        init_poor(&l, USEC_PER_SEC, 10);
        assert_int_equal(run(&l, 13, 100000), 1);
        l.on_trial = true;
        assert_int_equal(run(&l, 52, 100000), 1);
        assert_int_equal(budget_interval(&l.budget), USEC_PER_SEC);
        l.on_trial = false;
        assert_int_equal(run(&l, 13, 100000), 1);
        assert_int_equal(budget_interval(&l.budget), 10 * USEC_PER_SEC);
}

static void test_no_flapping(void **state) {
        Load l = {};
        init_poor(&l, USEC_PER_SEC, 10);
        assert_int_equal(run(&l, 13, 12000), 1);
        /* A little below the bound is not enough to come down ... */
        assert_int_equal(run(&l, 40, 9000), 0);
        assert_int_equal(budget_interval(&l.budget), 2 * USEC_PER_SEC);
        /* ... but well below is. */
        assert_int_equal(run(&l, 20, 7000), 1);
        assert_int_equal(budget_interval(&l.budget), USEC_PER_SEC);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_stretches_by_whole_numbers),
                cmocka_unit_test(test_first_ticks_are_no_measure),
                cmocka_unit_test(test_credit_bridges_a_burst),
                cmocka_unit_test(test_a_trial_is_not_stretched),
                cmocka_unit_test(test_no_flapping),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
