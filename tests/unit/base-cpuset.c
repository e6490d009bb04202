/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "test.h"

#include <errno.h>

#include "base/cleanup.h"
#include "base/cpuset.h"

#define PARSE(literal, ret) cpuset_parse_list(literal, sizeof(literal) - 1, ret)

static Cpuset *parse(const char *text) {
        Cpuset *set = NULL;
        assert_int_equal(cpuset_parse_list(text, strlen(text), &set), 0);
        return set;
}

static void test_list_round_trip(void **state) {
        static const struct {
                const char *in, *out;
                unsigned count;
        } cases[] = {
                {"", "", 0},
                {"\n", "", 0},
                {"0\n", "0", 1},
                {"0-3,8-11\n", "0-3,8-11", 8},
                {"0,1,2,3", "0-3", 4},
                {"3,1,2", "1-3", 3},
                {"1-2,2-4", "1-4", 4},
                {"5-5", "5", 1},
                {"0-63,64-95,1279", "0-95,1279", 97},
                {"0-8191", "0-8191", 8192},
                {"008", "8", 1},
        };

        for (size_t i = 0; i < ELEMENTSOF(cases); i++) {
                _cleanup_cpuset_ Cpuset *set = parse(cases[i].in);
                _cleanup_free_ char *text = cpuset_format_list(set);
                assert_string_equal(text, cases[i].out);
                assert_int_equal(cpuset_count(set), cases[i].count);
                assert_int_equal(cpuset_empty(set), cases[i].count == 0);
        }
}

static void test_list_refused(void **state) {
        static const struct {
                const char *text;
                int error;
        } cases[] = {
                {"0-4294967295", -ERANGE},
                {"8192", -ERANGE},
                {"99999999999999999999", -ERANGE},
                {"0-18446744073709551616", -ERANGE},
                {"5-3", -EINVAL},
                {"0,,2", -EINVAL},
                {"0,", -EINVAL},
                {",0", -EINVAL},
                {"0-7:2/4", -EINVAL},
                {"0-", -EINVAL},
                {"-1", -EINVAL},
                {"0--3", -EINVAL},
                {"(null)", -EINVAL},
                {"0 1", -EINVAL},
                {" 0", -EINVAL},
                {"0x3", -EINVAL},
                {"0\n\n", -EINVAL},
                {"all", -EINVAL},
        };

        for (size_t i = 0; i < ELEMENTSOF(cases); i++) {
                Cpuset *untouched = NULL;
                int r = cpuset_parse_list(cases[i].text, strlen(cases[i].text), &untouched);
                if (r != cases[i].error)
                        print_error("\"%s\": %d\n", cases[i].text, r);
                assert_int_equal(r, cases[i].error);
                assert_null(untouched);
        }

        Cpuset *untouched = NULL;
        assert_int_equal(PARSE("0-3\0junk", &untouched), -EINVAL);
        assert_int_equal(PARSE("0-3\0", &untouched), -EINVAL);
        assert_null(untouched);
}

/* Nothing behind the given length is looked at. */
static void test_list_is_bounded(void **state) {
        _cleanup_cpuset_ Cpuset *set = NULL;
        assert_int_equal(cpuset_parse_list("0-12", 3, &set), 0);
        assert_true(cpuset_has(set, 1));
        assert_false(cpuset_has(set, 2));
}

static void test_bytes(void **state) {
        static const struct {
                const char *list;
                size_t n;
                uint8_t bytes[24];
        } cases[] = {
                {"", 0, {}},
                {"0", 1, {0x01}},
                {"6-9", 2, {0xc0, 0x03}},
                {"10-23", 3, {0x00, 0xfc, 0xff}},
                {"8,184", 24, {[1] = 0x01, [23] = 0x01}},
        };

        for (size_t i = 0; i < ELEMENTSOF(cases); i++) {
                _cleanup_cpuset_ Cpuset *set = parse(cases[i].list), *back = NULL;
                _cleanup_free_ uint8_t *bytes = NULL;
                size_t n = 99;

                assert_int_equal(cpuset_to_bytes(set, &bytes, &n), 0);
                assert_int_equal(n, cases[i].n);
                if (n > 0)
                        assert_memory_equal(bytes, cases[i].bytes, n);
                assert_int_equal(cpuset_from_bytes(cases[i].bytes, n, &back), 0);
                assert_true(cpuset_equal(set, back));
        }
}

static void test_bytes_longer_than_needed(void **state) {
        uint8_t bytes[2000] = {0xf0};
        _cleanup_cpuset_ Cpuset *set = NULL, *unset = NULL, *none = NULL;

        assert_int_equal(cpuset_from_bytes(bytes, sizeof(bytes), &set), 0);
        _cleanup_free_ char *text = cpuset_format_list(set);
        assert_string_equal(text, "4-7");

        assert_int_equal(cpuset_from_bytes(NULL, 0, &unset), 0);
        assert_true(cpuset_empty(unset));

        bytes[1024] = 1;
        assert_int_equal(cpuset_from_bytes(bytes, sizeof(bytes), &none), -ERANGE);
        assert_null(none);
}

static void test_operations(void **state) {
        _cleanup_cpuset_ Cpuset *a = parse("0-7"), *b = parse("4-11"), *c = cpuset_copy(a);

        assert_int_equal(cpuset_and(c, b), 0);
        assert_true(cpuset_subset(c, a));
        assert_true(cpuset_subset(c, b));
        assert_false(cpuset_subset(a, b));
        assert_true(cpuset_intersects(a, b));
        assert_int_equal(cpuset_count(c), 4);

        assert_int_equal(cpuset_andnot(c, a), 0);
        assert_true(cpuset_empty(c));
        assert_false(cpuset_intersects(c, a));
        assert_true(cpuset_subset(c, a));

        assert_int_equal(cpuset_or(c, b), 0);
        assert_true(cpuset_equal(c, b));
        assert_int_equal(cpuset_add(c, 8191), 0);
        assert_false(cpuset_equal(c, b));

        unsigned n = 0;
        CPUSET_FOREACH (cpu, c)
                n += cpuset_has(c, (unsigned) cpu);
        assert_int_equal(n, 9);
        assert_null(cpuset_free(NULL));
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_list_round_trip),          cmocka_unit_test(test_list_refused),
                cmocka_unit_test(test_list_is_bounded),          cmocka_unit_test(test_bytes),
                cmocka_unit_test(test_bytes_longer_than_needed), cmocka_unit_test(test_operations),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
