/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Against published tables and sums worked out by hand. */

#include "test.h"

#include <math.h>

#include "verify/stats.h"

#define assert_within(a, b, e) assert_true(fabs((a) - (b)) <= (e))
#define assert_near(a, b) assert_within(a, b, 1e-9)

static void test_exact_tables(void **state) {
        static const struct {
                double a[6], b[6];
                size_t n, m;
                double p;
        } rows[] = {
                /* no overlap: 1 / (n + m over m) */
                {{1, 2, 3, 4}, {5, 6, 7, 8, 9, 10}, 4, 6, 1.0 / 210},
                {{1, 2, 3}, {4, 5, 6}, 3, 3, 1.0 / 20},
                {{1, 2}, {3, 4}, 2, 2, 1.0 / 6},
                {{1}, {2}, 1, 1, 0.5},
                /* the other way round it is certain */
                {{5, 6, 7, 8}, {1, 2, 3, 4}, 4, 4, 1},
                /* U = 1, 2, 3 of 4 against 6: 2, 4, 7 of the 210 ways (table of U: U <= 3 for p = 0.033) */
                {{1, 2, 3, 5}, {4, 6, 7, 8, 9, 10}, 4, 6, 2.0 / 210},
                {{1, 2, 3, 6}, {4, 5, 7, 8, 9, 10}, 4, 6, 4.0 / 210},
                {{1, 2, 4, 6}, {3, 5, 7, 8, 9, 10}, 4, 6, 7.0 / 210},
                /* all alike: nothing can be told */
                {{7, 7, 7, 7}, {7, 7, 7, 7, 7, 7}, 4, 6, 1},
                /* a tie across: ranks 1, 2.5 | 2.5, 4; sums of two of them: 3.5 3.5 5 5 6.5 6.5; 6.5 or more: 2 of 6 */
                {{1, 2}, {2, 3}, 2, 2, 2.0 / 6},
                /* ranks 1, 3 | 3, 3, 5: three of them: 11 or more in 3 of 10 ways (3 + 3 + 5) */
                {{1, 2}, {2, 2, 3}, 2, 3, 3.0 / 10},
        };
        for (size_t i = 0; i < ELEMENTSOF(rows); i++)
                assert_near(stats_mann_whitney_greater(rows[i].a, rows[i].n, rows[i].b, rows[i].m), rows[i].p);

        assert_near(stats_mann_whitney_min(4, 6), 1.0 / 210);
        assert_near(stats_mann_whitney_min(3, 3), 1.0 / 20);
        assert_near(stats_mann_whitney_min(2, 2), 1.0 / 6);
}

/* The order of values within a sample is nothing. */
static void test_exact_ignores_order(void **state) {
        const double a[] = {5, 1, 3, 2}, b[] = {10, 4, 8, 9, 6, 7};
        assert_near(stats_mann_whitney_greater(a, 4, b, 6), 2.0 / 210);
}

/* Above 24 by the normal curve: near the exact value just below. */
static void test_normal_approximation(void **state) {
        double a[13], b[13];
        for (size_t i = 0; i < 13; i++) {
                a[i] = (double) (2 * i);
                b[i] = (double) (2 * i + 5);
        }
        double exact = stats_mann_whitney_greater(a, 12, b, 12), normal = stats_mann_whitney_greater(a, 13, b, 12);
        assert_true(exact > 0.05 && exact < 0.1);
        assert_true(normal > exact && normal < exact + 0.1); /* a has one large value more */

        /* Complete separation of 13 against 13: z = 4.31 (U = 0, mean 84.5, sd 19.5). */
        for (size_t i = 0; i < 13; i++)
                b[i] = 100 + (double) i;
        assert_within(stats_mann_whitney_greater(a, 13, b, 13), 8.2e-6, 0.8e-6);
        for (size_t i = 0; i < 13; i++)
                a[i] = b[i] = 1;
        assert_near(stats_mann_whitney_greater(a, 13, b, 13), 1);
}

static void test_median_and_shift(void **state) {
        const double odd[] = {9, 1, 5}, even[] = {4, 1, 3, 2}, one[] = {7};
        assert_near(stats_median(odd, 3), 5);
        assert_near(stats_median(even, 4), 2.5);
        assert_near(stats_median(one, 1), 7);
        assert_near(odd[0], 9); /* a copy was sorted */

        const double a[] = {1, 2, 3}, b[] = {11, 12, 13}, outlier[] = {11, 12, 1000};
        assert_near(stats_hodges_lehmann(a, 3, b, 3), 10);
        assert_near(stats_hodges_lehmann(b, 3, a, 3), -10);
        assert_near(stats_hodges_lehmann(a, 3, outlier, 3), 10); /* 8 9 9 10 [10] 11 997 998 999 */
}

static void test_holm(void **state) {
        static const struct {
                double p[4];
                size_t n;
                bool rejected[4];
        } rows[] = {
                {{0.01, 0.04, 0.03, 0.005}, 4, {true, false, false, true}}, /* the example of Holm's own article */
                {{0.05}, 1, {true}},
                {{0.051}, 1, {false}},
                {{0.03, 0.03}, 2, {false, false}}, /* each alone would do */
                {{0.025, 0.05}, 2, {true, true}},
                {{0.9, 0.0125, 0.9, 0.9}, 4, {false, true, false, false}},
                {{0.9, 0.0126, 0.9, 0.9}, 4, {false, false, false, false}},
        };
        for (size_t i = 0; i < ELEMENTSOF(rows); i++) {
                bool rejected[4];
                stats_holm(rows[i].p, rows[i].n, 0.05, rejected);
                for (size_t k = 0; k < rows[i].n; k++)
                        assert_int_equal(rejected[k], rows[i].rejected[k]);
        }
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_exact_tables),
                cmocka_unit_test(test_exact_ignores_order),
                cmocka_unit_test(test_normal_approximation),
                cmocka_unit_test(test_median_and_shift),
                cmocka_unit_test(test_holm),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
