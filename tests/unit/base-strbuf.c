/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "test.h"

#include <wchar.h>

#include "base/cleanup.h"
#include "base/strbuf.h"

static void test_grows(void **state) {
        StrBuf b = {};
        for (unsigned i = 0; i < 1000; i++)
                strbuf_printf(&b, "%u,", i % 10);
        assert_int_equal(b.len, 2000);
        assert_int_equal(strlen(b.text), 2000);

        _cleanup_free_ char *text = strbuf_take(&b);
        assert_memory_equal(text, "0,1,2,3,4,5,6,7,8,9,0,", 22);
        assert_null(b.text);
        assert_int_equal(b.len, 0);
}

static void test_nothing_added(void **state) {
        StrBuf b = {};
        _cleanup_free_ char *text = strbuf_take(&b);
        assert_string_equal(text, "");
}

static void test_empty_format(void **state) {
        StrBuf b = {};
        strbuf_printf(&b, "%s", "");
        assert_string_equal(b.text, "");
        strbuf_printf(&b, "%s", "x");
        assert_string_equal(b.text, "x");
        strbuf_done(&b);
        strbuf_done(&b);
        assert_null(b.text);
}

/* A character that the C locale does not have makes vsnprintf() fail: the stand-in for a failed allocation. */
static void test_failure_is_remembered(void **state) {
        StrBuf b = {};
        strbuf_printf(&b, "a");
        strbuf_printf(&b, "%ls", L"\x100");
        assert_true(b.failed);
        strbuf_printf(&b, "b");
        assert_null(strbuf_take(&b));
        assert_false(b.failed);
}

/* Names of cgroups are up to whoever makes them. */
static void test_shown(void **state) {
        static const char *const table[][2] = {
                {"", ""},
                {"a b\nc", "a b\nc"},
                {"\033[31mred\007", "\\x1b[31mred\\x07"},
                {"tab\tcr\rdel\177", "tab\\x09cr\\x0ddel\\x7f"},
                {"\302\233m \302\237", "\\xc2\\x9bm \\xc2\\x9f"},   /* U+009B is CSI too */
                {"\303\274\302\240x\302", "\303\274\302\240x\302"}, /* letters, a hard blank, half a letter */
        };

        for (size_t i = 0; i < ELEMENTSOF(table); i++) {
                StrBuf b = {};
                strbuf_printf(&b, "%s", table[i][0]);
                _cleanup_free_ char *text = strbuf_take_shown(&b);
                assert_string_equal(text, table[i][1]);
        }

        StrBuf b = {.failed = true};
        assert_null(strbuf_take_shown(&b));
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_grows),        cmocka_unit_test(test_nothing_added),
                cmocka_unit_test(test_empty_format), cmocka_unit_test(test_failure_is_remembered),
                cmocka_unit_test(test_shown),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
