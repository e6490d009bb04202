/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "test.h"

#include "base/format.h"

static void test_all(void **state) {
        char b[FORMAT_MAX];
        assert_string_equal(format_share(153, b), "15.3 %");
        assert_string_equal(format_share(0, b), "0.0 %");
        assert_string_equal(format_share(-20, b), "-2.0 %");
        assert_string_equal(format_decimal(3440, 2, b), "3.44");
        assert_string_equal(format_decimal(3999, 0, b), "4");
        assert_string_equal(format_decimal(1999, 2, b), "2.00");
        assert_string_equal(format_count(999, b), "999");
        assert_string_equal(format_count(56850, b), "56,850");
        assert_string_equal(format_count(1234567, b), "1,234,567");
        assert_string_equal(format_wait(774000, b), "774 us");
        assert_string_equal(format_wait(18500000, b), "18.5 ms");
        assert_string_equal(format_wait(0, b), "0 us");
}

int main(void) {
        const struct CMUnitTest tests[] = {cmocka_unit_test(test_all)};
        return cmocka_run_group_tests(tests, NULL, NULL);
}
