/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "test.h"

#include <errno.h>

#include "parse/metric.h"

static void test_table(void **state) {
        static const char prometheus[] =
                "# HELP tx\n# TYPE tx counter\ntx_total 5\ntx 12.5 1700000000\nlat{q=\"0.5\"} 3\nlat{q=\"0.99\"} 7e1\n";
        static const struct {
                const char *text, *name;
                int result;
                double value;
        } table[] = {
                {"42\n", NULL, 0, 42},          {"  -1.5e3", NULL, 0, -1500},
                {"", NULL, -EINVAL, 0},         {"abc", NULL, -EINVAL, 0},
                {"12abc", NULL, -EINVAL, 0},    {"nan", NULL, -EINVAL, 0},
                {"inf", NULL, -EINVAL, 0},      {prometheus, "tx", 0, 12.5},
                {prometheus, "lat", 0, 3},      {prometheus, "lat{q=\"0.99\"}", 0, 70},
                {prometheus, "t", -ENODATA, 0}, {prometheus, "missing", -ENODATA, 0},
                {"tx", "tx", -ENODATA, 0},      {"tx{a=\"b\" 4", "tx", -EINVAL, 0},
        };
        for (size_t i = 0; i < ELEMENTSOF(table); i++) {
                double value = 0;
                int r = parse_metric(table[i].text, strlen(table[i].text), table[i].name, &value);
                if (r != table[i].result || (r == 0 && value != table[i].value))
                        fail_msg("row %zu: %d %f", i, r, value);
        }
}

int main(void) {
        const struct CMUnitTest tests[] = {cmocka_unit_test(test_table)};
        return cmocka_run_group_tests(tests, NULL, NULL);
}
