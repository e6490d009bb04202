/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "test.h"

#include <stdlib.h>

#include "base/cleanup.h"
#include "model/unit-name.h"

static void test_paths(void **state) {
        static const struct {
                const char *path, *unit;
                bool exact;
        } table[] = {
                {"/", NULL, false},
                {"/system.slice/nginx.service", "nginx.service", true},
                {"/system.slice/systemd-udevd.service/udev", "systemd-udevd.service", false},
                {"/system.slice/_odd.service", "odd.service", true},
                {"/user.slice/user-0.slice/session-1.scope", "session-1.scope", true},
                {"/mine/group", NULL, false},
                {"/a.slice/.service", "a.slice", false},
                {"/system.slice/dev-hugepages.mount", "dev-hugepages.mount", true},
        };
        for (size_t i = 0; i < ELEMENTSOF(table); i++) {
                _cleanup_free_ char *unit = NULL;
                bool exact;
                assert_int_equal(unit_name_from_path(table[i].path, &unit, &exact), 0);
                if (!streq_ptr(unit, table[i].unit) || exact != table[i].exact)
                        fail_msg("%s: %s", table[i].path, unit ? unit : "none");
        }
}

int main(void) {
        const struct CMUnitTest tests[] = {cmocka_unit_test(test_paths)};
        return cmocka_run_group_tests(tests, NULL, NULL);
}
