/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "test.h"

#include <math.h>

#include "report/figures.h"

static void test_digits(void **state) {
        static const struct {
                double value;
                const char *text;
        } table[] = {
                {0, "0.000"},      {0.153, "0.153"},       {3.44, "3.44"},         {81.76, "81.8"},
                {99.96, "100"},    {1843, "1,843"},        {56850.4, "56,850"},    {-3.44, "-3.44"},
                {-1843, "-1,843"}, {1234567, "1,234,567"}, {INFINITY, "infinite"}, {-INFINITY, "-infinite"},
                {NAN, "?"},
        };
        char buf[FORMAT_MAX];

        for (size_t i = 0; i < ELEMENTSOF(table); i++)
                assert_string_equal(figure_digits(table[i].value, buf), table[i].text);
}

static void test_shift_has_a_sign(void **state) {
        char buf[FORMAT_MAX];

        assert_string_equal(figure_shift(0.25, buf), "+25.0 %");
        assert_string_equal(figure_shift(-0.928, buf), "-92.8 %");
        assert_string_equal(figure_shift(0, buf), "0.0 %");
        assert_string_equal(figure_shift(INFINITY, buf), "infinite");
}

static void test_span(void **state) {
        char buf[FORMAT_MAX];

        assert_string_equal(figure_span(774, buf), "774 us");
        assert_string_equal(figure_span(18500, buf), "18.5 ms");
        assert_string_equal(figure_span(6 * USEC_PER_HOUR, buf), "6 h");
        assert_string_equal(figure_span(USEC_INFINITY, buf), "infinity");
}

static void test_signal_has_its_unit(void **state) {
        static const struct {
                Signal signal;
                int64_t value;
                const char *text;
        } table[] = {
                {SIGNAL_USAGE, 3440, "3.44 CPUs"},
                {SIGNAL_USAGE, 1000, "1 CPU"},
                {SIGNAL_ALLOWED_CPUS, 8000, "8 CPUs"},
                {SIGNAL_WAIT_PER_SLICE, 774000, "774 us"},
                {SIGNAL_WAIT_PER_SLICE, 18500000, "18.5 ms"},
                {SIGNAL_MIGRATIONS_PER_SWITCH, 153, "15.3 %"},
                {SIGNAL_MIGRATIONS_PER_CPU_SECOND, 81760, "81.8"},
                {SIGNAL_SLICES, 56850000, "56,850"},
                {SIGNAL_THREADS, 32000, "32"},
                {SIGNAL_DEMAND, 4900, "4.90"},
        };
        char buf[FORMAT_MAX];

        for (size_t i = 0; i < ELEMENTSOF(table); i++)
                assert_string_equal(figure_signal(table[i].signal, table[i].value, buf), table[i].text);
}

static void test_quantity_is_scaled(void **state) {
        char buf[FORMAT_MAX];

        assert_string_equal(figure_quantity(QUANTITY_MIGRATIONS_PER_SWITCH, 0.153, buf), "15.3 %");
        assert_string_equal(figure_quantity(QUANTITY_PROGRESS, 1843, buf), "1,843/s");
        assert_string_equal(figure_quantity(QUANTITY_WAIT_PER_SLICE, 18500, buf), "18.5 ms");
        assert_string_equal(figure_quantity(QUANTITY_USAGE, 3.44, buf), "3.44");
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_digits),
                cmocka_unit_test(test_shift_has_a_sign),
                cmocka_unit_test(test_span),
                cmocka_unit_test(test_signal_has_its_unit),
                cmocka_unit_test(test_quantity_is_scaled),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
