/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The kernel's own lists of CPUs: isolated, nohz_full, cpuset.cpus, on machines of more than 64 and 1024 CPUs. */

#include "test.h"

#include <errno.h>

#include "base/cleanup.h"
#include "parse/cpulist.h"

static void test_lists(void **state) {
        static const struct {
                const char *text;
                size_t len; /* 0: strlen() */
                int r;
                const char *list;
        } table[] = {
                {"2-3\n", 0, 0, "2-3"},
                {"(null)\n", 0, 0, ""}, /* nohz_full that was never set */
                {"(null)", 0, 0, ""},
                {"\n", 0, 0, ""},
                {"", 0, 0, ""},
                {" \n", 0, 0, ""}, /* nohz_full and isolated of some kernels */
                {"0-63,64-95,1279\n", 0, 0, "0-95,1279"},
                {"0-3,8-11\n", 0, 0, "0-3,8-11"},
                {"0-4294967295", 0, -ERANGE, NULL},
                {"99999999999999999999", 0, -ERANGE, NULL},
                {"5-3", 0, -EINVAL, NULL},
                {"0,,2", 0, -EINVAL, NULL},
                {"0-3\0junk", 8, -EINVAL, NULL},
                {"0-7:2/4", 0, -EINVAL, NULL},
                {"null", 0, -EINVAL, NULL},
        };

        for (size_t i = 0; i < ELEMENTSOF(table); i++) {
                _cleanup_cpuset_ Cpuset *set = NULL;
                size_t len = table[i].len ? table[i].len : strlen(table[i].text);
                assert_int_equal(cpulist_parse(table[i].text, len, &set), table[i].r);
                _cleanup_free_ char *list = set ? cpuset_format_list(set) : NULL;
                assert_true(streq_ptr(list, table[i].list));
        }
}

static void test_empty_is_inherit(void **state) {
        _cleanup_cpuset_ Cpuset *requested = NULL, *effective = NULL;

        /* cpuset.cpus = "\n" asks for nothing, which is not "no CPUs": the effective set tells. */
        assert_int_equal(cpulist_parse("\n", 1, &requested), 0);
        assert_int_equal(cpulist_parse("0-3,8-11\n", 9, &effective), 0);
        assert_true(cpuset_empty(requested));
        assert_int_equal(cpuset_count(effective), 8);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_lists),
                cmocka_unit_test(test_empty_is_inherit),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
