/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Time spans, read and written. */

#include "test.h"

#include <errno.h>

#include "base/usec.h"

static void test_parse(void **state) {
        static const struct {
                const char *text;
                int r;
                usec_t span;
        } table[] = {
                {"20ms", 0, 20000},
                {"1s", 0, USEC_PER_SEC},
                {"1", 0, USEC_PER_SEC},
                {"1.5s", 0, 1500000},
                {"1.5", 0, 1500000},
                {"0.25min", 0, 15 * USEC_PER_SEC},
                {"5min", 0, 5 * USEC_PER_MINUTE},
                {"24h", 0, 24 * USEC_PER_HOUR},
                {"1d", 0, 24 * USEC_PER_HOUR},
                {"200us", 0, 200},
                {"0", 0, 0},
                {"30 s", 0, 30 * USEC_PER_SEC},
                {"1.0000019s", 0, 1000001},
                {"213503982d", 0, UINT64_C(213503982) * 24 * USEC_PER_HOUR},
                {"213503983d", -ERANGE, 0},
                {"18446744073709551615us", -ERANGE, 0},
                {"99999999999999999999", -ERANGE, 0},
                {"1.000000000000000000001s", -ERANGE, 0},
                {"", -EINVAL, 0},
                {"s", -EINVAL, 0},
                {"1.s", -EINVAL, 0},
                {".5s", -EINVAL, 0},
                {"-1s", -EINVAL, 0},
                {"1s ", -EINVAL, 0},
                {" 1s", -EINVAL, 0},
                {"1h 30min", -EINVAL, 0},
                {"1sec", -EINVAL, 0},
                {"1S", -EINVAL, 0},
                {"infinity", -EINVAL, 0},
        };

        for (size_t i = 0; i < ELEMENTSOF(table); i++) {
                usec_t span = 77;
                assert_int_equal(usec_parse(table[i].text, &span), table[i].r);
                assert_int_equal(span, table[i].r == 0 ? table[i].span : 77);
        }
}

static void test_format(void **state) {
        static const struct {
                usec_t span;
                const char *text;
        } table[] = {
                {0, "0us"},
                {1, "1us"},
                {774, "774us"},
                {999, "999us"},
                {1000, "1ms"},
                {1234, "1.23ms"},
                {1235, "1.24ms"},
                {18500, "18.5ms"},
                {18549, "18.5ms"},
                {123456, "123ms"},
                {999499, "999ms"},
                {999500, "1s"},
                {1500000, "1.5s"},
                {59949999, "59.9s"},
                {59950000, "1min"},
                {90 * USEC_PER_SEC, "1.5min"},
                {5 * USEC_PER_MINUTE, "5min"},
                {6 * USEC_PER_HOUR, "6h"},
                {36 * USEC_PER_HOUR, "1.5d"},
                {1000 * 24 * USEC_PER_HOUR, "1000d"},
                {USEC_INFINITY - 1, "213503982d"},
                {USEC_INFINITY, "infinity"},
        };

        for (size_t i = 0; i < ELEMENTSOF(table); i++) {
                char buf[USEC_FORMAT_MAX];
                assert_string_equal(usec_format(table[i].span, buf), table[i].text);
        }
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_parse),
                cmocka_unit_test(test_format),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
