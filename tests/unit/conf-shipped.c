/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What is shipped in conf/ is sound as it is, and so is every line that a reader may take the # away from. */

#include "test.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io/file.h"
#include "parse/settings.h"

static char *read_source(const char *name) {
        FileBuf buf = {};
        char path[4096];
        const char *root = getenv("PLACERD_SOURCE_ROOT");
        if (!root)
                skip();
        (void) snprintf(path, sizeof(path), "%s/conf/%s", root, name);
        assert_int_equal(file_read(AT_FDCWD, path, &buf), 0);
        return buf.text;
}

/* "#key=value" and "#[section]", but not "# a sentence". */
static void uncomment(char *text) {
        char *to = text;
        for (const char *from = text; *from; from++) {
                bool line_start = from == text || from[-1] == '\n';
                if (line_start && *from == '#' && (islower((unsigned char) from[1]) || from[1] == '['))
                        continue;
                *to++ = *from;
        }
        *to = '\0';
}

static Settings *parse(const char *name, const char *text) {
        SettingsText t = {.file = name, .text = text, .len = strlen(text)};
        SettingsError error = {};
        Settings *s = NULL;
        if (settings_parse(&t, 1, &s, &error) < 0)
                fail_msg("%s", error.text);
        return s;
}

static void assert_same_as_default(const Settings *s) {
        Settings *d = NULL;
        assert_int_equal(settings_new_default(&d), 0);
        assert_memory_equal(s, d, offsetof(Settings, defaults));
        assert_memory_equal(&s->defaults, &d->defaults, sizeof(Policy)); /* all strings and sets are NULL */
        settings_free(d);
}

static void test_shipped_changes_nothing(void **state) {
        char *text = read_source("placerd.conf");
        Settings *s = parse("placerd.conf", text);
        assert_int_equal(s->n_policies, 0);
        assert_int_equal(s->defaults.mode, MODE_ADVISE);
        assert_same_as_default(s);
        settings_free(s);
        free(text);
}

static void test_shipped_comments_are_the_defaults(void **state) {
        char *text = read_source("placerd.conf");
        uncomment(text);
        Settings *s = parse("placerd.conf", text);
        assert_same_as_default(s);
        assert_int_equal(s->n_policies, 1);
        settings_free(s);
        free(text);
}

static void test_example(const char *name, const char *unit) {
        for (int commented = 0; commented < 2; commented++) {
                char *text = read_source(name);
                if (!commented)
                        uncomment(text);
                Settings *s = parse(name, text);
                const Policy *p = settings_find_policy(s, unit, "/system.slice/x.service");
                assert_non_null(p);
                assert_int_equal(p->mode, MODE_ACT);
                settings_free(s);
                free(text);
        }
}

static void test_examples(void **state) {
        test_example("examples/postgresql.conf", "postgresql@15-main.service");
        test_example("examples/nginx.conf", "nginx.service");
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_shipped_changes_nothing),
                cmocka_unit_test(test_shipped_comments_are_the_defaults),
                cmocka_unit_test(test_examples),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
