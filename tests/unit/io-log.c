/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Messages on standard error, where there is no journal. */

#include "test.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "io/log.h"

/* What `run` writes to standard error. */
static void capture(void (*run)(void), char *ret, size_t size) {
        _cleanup_fclose_ FILE *f = tmpfile();
        int saved = dup(STDERR_FILENO);

        assert_non_null(f);
        assert_true(dup2(fileno(f), STDERR_FILENO) >= 0);
        run();
        (void) fflush(stderr);
        assert_true(dup2(saved, STDERR_FILENO) >= 0);
        close(saved);
        rewind(f);
        ret[fread(ret, 1, size - 1, f)] = '\0';
}

static void say(void) {
        log_debug("not shown");
        log_info("shown %d", 1);
        assert_int_equal(log_error(-ENODEV, "cannot read: %m"), -ENODEV);
        log_entry(LOG_NOTICE, "entry", (const char *const[]){"PLACERD_TARGET=/a"}, 1);
}

static void test_stderr(void **state) {
        char text[512];

        /* Inherited, but not this standard error. */
        setenv("JOURNAL_STREAM", "1:1", 1);
        capture(say, text, sizeof(text));
        assert_string_equal(text, "shown 1\ncannot read: No such device\nentry\n");
}

static void say_debug(void) {
        log_set_level(LOG_DEBUG);
        errno = EINTR;
        log_debug("now shown");
        assert_int_equal(errno, EINTR);
        log_set_level(LOG_ERR);
        log_warning(0, "not shown");
        log_set_level(LOG_INFO);
}

static void test_level(void **state) {
        char text[512];

        capture(say_debug, text, sizeof(text));
        assert_string_equal(text, "now shown\n");
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_stderr),
                cmocka_unit_test(test_level),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
