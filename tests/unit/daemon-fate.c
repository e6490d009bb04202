/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "test.h"

#include "daemon/fate.h"

static void test_every_case(void **state) {
        static const struct {
                FateQuestion question;
                Fate fate;
        } cases[] = {
                {{.asked = false}, FATE_KEEP},
                {{true, "stopping", "stop", NULL}, FATE_KEEP},
                {{true, "stopping", NULL, "success"}, FATE_KEEP},
                {{true, "running", "restart", NULL}, FATE_KEEP},
                {{true, "running", "restart", "success"}, FATE_KEEP},
                {{true, "degraded", "try-restart", NULL}, FATE_KEEP},
                {{true, "running", "start", "success"}, FATE_KEEP},
                {{true, "running", "stop", NULL}, FATE_RESTORE},
                {{true, "running", "stop", "success"}, FATE_RESTORE},
                {{true, "degraded", "stop", "watchdog"}, FATE_RESTORE},
                {{true, "running", NULL, "signal"}, FATE_KEEP},
                {{true, "running", NULL, "exit-code"}, FATE_KEEP},
                {{true, "running", NULL, "success"}, FATE_RESTORE},
                {{true, "running", NULL, NULL}, FATE_RESTORE},
        };

        for (size_t i = 0; i < ELEMENTSOF(cases); i++) {
                const char *why = NULL;
                assert_int_equal(fate_decide(&cases[i].question, &why), cases[i].fate);
                assert_non_null(why);
        }
}

int main(void) {
        const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_case)};
        return cmocka_run_group_tests(tests, NULL, NULL);
}
