/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "test.h"

#include <errno.h>

#include "parse/cgroup-mode.h"

static void test_words(void **state) {
        static const struct {
                const char *text;
                int r;
                CgroupMode mode;
        } table[] = {
                {"concur\n", 0, CGROUP_MODE_CONCUR},
                {"smp", 0, CGROUP_MODE_SMP},
                {"up smp (concur) max tasks \n", 0, CGROUP_MODE_CONCUR},
                {"(up) smp concur max tasks \n", 0, CGROUP_MODE_UP},
                {"up smp concur max (tasks)", 0, CGROUP_MODE_TASKS},
                {"up smp concur max tasks\n", -EINVAL, 0}, /* which of them? */
                {"", -EINVAL, 0},
                {"()", -EINVAL, 0},
                {"(concur", -EINVAL, 0},
                {")max(", -EINVAL, 0},
                {"concurrent", -EINVAL, 0},
        };
        for (size_t i = 0; i < ELEMENTSOF(table); i++) {
                CgroupMode mode = _CGROUP_MODE_MAX;
                assert_int_equal(cgroup_mode_parse(table[i].text, strlen(table[i].text), &mode), table[i].r);
                assert_int_equal(mode, table[i].r == 0 ? table[i].mode : _CGROUP_MODE_MAX);
        }
}

int main(void) {
        const struct CMUnitTest tests[] = {cmocka_unit_test(test_words)};
        return cmocka_run_group_tests(tests, NULL, NULL);
}
