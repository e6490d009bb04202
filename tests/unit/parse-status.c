/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Switches and affinity from status. */

#include "test.h"

#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "parse/status.h"

#define SWITCHES "voluntary_ctxt_switches:\t676\nnonvoluntary_ctxt_switches:\t216\n"

static void test_switches(void **state) {
        static const char text[] = "Name:\tvoluntary_ctxt_switches:\\n\nState:\tS (sleeping)\n" SWITCHES;
        Counts c = {};

        status_parse_switches(text, strlen(text), &c);
        assert_int_equal(c.value[THREAD_VOLUNTARY], 676);
        assert_int_equal(c.value[THREAD_INVOLUNTARY], 216);
        assert_int_equal(c.value[THREAD_SWITCHES], 892);
}

static void test_switches_absent(void **state) {
        static const char *const texts[] = {"", "Name:\tx\n", "voluntary_ctxt_switches:\t676\n",
                                            "voluntary_ctxt_switches:\tx\nnonvoluntary_ctxt_switches:\t1\n"};

        for (size_t i = 0; i < ELEMENTSOF(texts); i++) {
                Counts c = {};
                status_parse_switches(texts[i], strlen(texts[i]), &c);
                assert_int_equal(c.have, 0);
        }
}

static void test_allowed(void **state) {
        static const struct {
                const char *text;
                int r;
                const char *list;
        } table[] = {
                {"Cpus_allowed:\tff\nCpus_allowed_list:\t0-7\nMems_allowed_list:\t0\n", 0, "0-7"},
                {"Cpus_allowed:\t00008000,"
                 "00000000,00000000,00000000,00000000,00000000,00000000,00000000,00000000,00000000,00000000,00000000,"
                 "00000000,00000000,00000000,00000000,00000000,00000000,00000000,00000000,00000000,00000000,00000000,"
                 "00000000,00000000,00000000,00000000,00000000,00000000,00000000,00000000,00000000,00000000,00000000,"
                 "00000000,00000000,00000000,ffffffff,ffffffff,ffffffff\nCpus_allowed_list:\t0-63,64-95,1279\n",
                 0, "0-95,1279"},
                {"Cpus_allowed:\tff\n", -EBADMSG, NULL},
                {"Cpus_allowed_list:\t\n", -EBADMSG, NULL},
                {"Cpus_allowed_list:\t0-4294967295\n", -EBADMSG, NULL},
                {"", -EBADMSG, NULL},
        };

        for (size_t i = 0; i < ELEMENTSOF(table); i++) {
                _cleanup_cpuset_ Cpuset *set = NULL;
                assert_int_equal(status_parse_allowed(table[i].text, strlen(table[i].text), &set), table[i].r);
                _cleanup_free_ char *list = set ? cpuset_format_list(set) : NULL;
                assert_true(streq_ptr(list, table[i].list));
        }
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_switches),
                cmocka_unit_test(test_switches_absent),
                cmocka_unit_test(test_allowed),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
