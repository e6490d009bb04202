/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Strict decimals: what is read, and above all what is not. */

#include "test.h"

#include <errno.h>

#include "base/numbers.h"

static void test_u64(void **state) {
        static const struct {
                const char *text;
                int r;
                uint64_t value;
        } table[] = {
                {"0", 0, 0},
                {"42", 0, 42},
                {"007", 0, 7},
                {"18446744073709551615", 0, UINT64_MAX},
                {"18446744073709551616", -ERANGE, 0},
                {"99999999999999999999999", -ERANGE, 0},
                {"", -EINVAL, 0},
                {"-1", -EINVAL, 0},
                {"+1", -EINVAL, 0},
                {" 1", -EINVAL, 0},
                {"1 ", -EINVAL, 0},
                {"1\n", -EINVAL, 0},
                {"0x10", -EINVAL, 0},
                {"99999999999999999999999x", -EINVAL, 0},
        };

        for (size_t i = 0; i < ELEMENTSOF(table); i++) {
                uint64_t value = 77;
                assert_int_equal(number_parse_u64(table[i].text, strlen(table[i].text), &value), table[i].r);
                assert_int_equal(value, table[i].r == 0 ? table[i].value : 77);
        }
}

static void test_u64_stops_at_len(void **state) {
        uint64_t value;
        assert_int_equal(number_parse_u64("12345", 2, &value), 0);
        assert_int_equal(value, 12);
        assert_int_equal(number_parse_u64("1\0002", 3, &value), -EINVAL);
}

static void test_take(void **state) {
        const char *text = "12 34", *p = text, *end = text + strlen(text);
        uint64_t value;

        assert_int_equal(number_take_u64(&p, end, &value), 0);
        assert_int_equal(value, 12);
        assert_ptr_equal(p, text + 2);
        assert_int_equal(number_take_u64(&p, end, &value), -EINVAL);
        assert_ptr_equal(p, text + 2);
        p++;
        assert_int_equal(number_take_u64(&p, end, &value), 0);
        assert_int_equal(value, 34);
        assert_ptr_equal(p, end);
        assert_int_equal(number_take_u64(&p, end, &value), -EINVAL);
}

static void test_permille(void **state) {
        static const struct {
                const char *text;
                int r;
                unsigned value;
        } table[] = {
                {"20%", 0, 200},
                {"12.5%", 0, 125},
                {"0%", 0, 0},
                {"1000%", 0, 10000},
                {"1000.1%", -ERANGE, 0},
                {"1001%", -ERANGE, 0},
                {"99999999999999999999%", -ERANGE, 0},
                {"20", -EINVAL, 0},
                {"%", -EINVAL, 0},
                {"", -EINVAL, 0},
                {"12.%", -EINVAL, 0},
                {"12.55%", -EINVAL, 0},
                {"-5%", -EINVAL, 0},
                {"20 %", -EINVAL, 0},
                {"20%%", -EINVAL, 0},
        };

        for (size_t i = 0; i < ELEMENTSOF(table); i++) {
                unsigned value = 77;
                assert_int_equal(number_parse_permille(table[i].text, &value), table[i].r);
                assert_int_equal(value, table[i].r == 0 ? table[i].value : 77);
        }
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_u64),
                cmocka_unit_test(test_u64_stops_at_len),
                cmocka_unit_test(test_take),
                cmocka_unit_test(test_permille),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
