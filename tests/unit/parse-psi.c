/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* cpu.pressure with one line, two and more, and with none: "full" is optional, and no data is not zero pressure. */

#include "test.h"

#include "parse/psi.h"

#define SOME "some avg10=3.10 avg60=2.50 avg300=2.00 total=123456789012\n"
#define FULL "full avg10=0.00 avg60=0.00 avg300=0.00 total=0\n"
#define BIT(i) (1U << (i))

static void test_shapes(void **state) {
        static const struct {
                const char *text;
                uint32_t have;
                uint64_t some;
        } table[] = {
                {SOME, BIT(CGROUP_SOME_USEC), 123456789012},
                {SOME FULL, BIT(CGROUP_SOME_USEC) | BIT(CGROUP_FULL_USEC), 123456789012},
                {SOME FULL "irq avg10=0.00 avg60=0.00 avg300=0.00 total=9\n",
                 BIT(CGROUP_SOME_USEC) | BIT(CGROUP_FULL_USEC), 123456789012},
                {"", 0, 0},
                {"some avg10=0.00 avg60=0.00 avg300=0.00 total=18446744073709551615\n", BIT(CGROUP_SOME_USEC),
                 UINT64_MAX},
                {"some avg10=0.00 avg60=0.00 avg300=0.00 total=18446744073709551616\n", 0, 0},
                {"some avg10=0.00 avg60=0.00 avg300=0.00 total=\n", 0, 0},
                {"some avg10=0.00 avg60=0.00\n", 0, 0},
                {"awesome total=5\n", 0, 0},
                {"some total=5", BIT(CGROUP_SOME_USEC), 5},
        };

        for (size_t i = 0; i < ELEMENTSOF(table); i++) {
                Counts c = {};
                psi_parse(table[i].text, strlen(table[i].text), &c);
                assert_int_equal(c.have, table[i].have);
                assert_int_equal(c.value[CGROUP_SOME_USEC], table[i].some);
        }
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_shapes),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
