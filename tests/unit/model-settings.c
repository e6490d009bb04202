/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Which section a target falls under: whole names only (a rule for redis must not hit not-redis-exporter), and what is
 * ignored stays ignored whatever else matches less exactly. */

#include "test.h"

#include <stdlib.h>

#include "model/settings.h"

static void add_policy(Settings *s, const char *name, const char *const *matches) {
        Policy *p = realloc(s->policies, (s->n_policies + 1) * sizeof(*p));
        assert_non_null(p);
        s->policies = p;
        p = &s->policies[s->n_policies++];
        *p = (Policy){.name = strdup(name), .file = strdup("/etc/placerd.conf")};
        for (size_t i = 0; matches && matches[i]; i++) {
                p->matches = realloc(p->matches, (i + 1) * sizeof(char *));
                assert_non_null(p->matches);
                p->matches[p->n_matches++] = strdup(matches[i]);
        }
}

static void test_find_policy(void **state) {
        static const struct {
                const char *sections[4];
                const char *unit, *path;
                const char *expected; /* NULL: none */
        } rows[] = {
                {{"redis"}, "not-redis-exporter.service", "/system.slice/not-redis-exporter.service", NULL},
                {{"redis"}, "redis.service", "/system.slice/redis.service", NULL},
                {{"redis*"}, "not-redis-exporter.service", "/x", NULL},
                {{"redis.service"}, "redis.service.d", "/x", NULL},
                {{"redis*"}, "redis-server.service", "/x", "redis*"},
                {{"redis*"}, "REDIS.service", "/x", NULL},
                /* an exact name before any glob, however long, in either order */
                {{"postgresql.service", "postgresql.servic*"}, "postgresql.service", "/x", "postgresql.service"},
                {{"postgresql.servic*", "postgresql.service"}, "postgresql.service", "/x", "postgresql.service"},
                {{"*", "worker@*.service", "worker@1*.service"}, "worker@12.service", "/x", "worker@1*.service"},
                {{"worker@1*.service", "worker@*.service", "*"}, "worker@12.service", "/x", "worker@1*.service"},
                /* of equals the later */
                {{"a*.service", "*a.service"}, "aba.service", "/x", "*a.service"},
                {{"*a.service", "a*.service"}, "aba.service", "/x", "a*.service"},
                /* a bracket is a glob, and one character of it is not more exact than the character itself */
                {{"a[bc].service", "ab.service"}, "ab.service", "/x", "ab.service"},
                {{"ab.servic?", "a[b]?????????????"}, "ab.service", "/x", "ab.servic?"},
                {{"a[!b].service"}, "ab.service", "/x", NULL},
                {{"a[", "b"}, "a[", "/x", "a["},
                /* escaped unit names hold backslashes */
                {{"my\\x2dapp.service"}, "my\\x2dapp.service", "/x", "my\\x2dapp.service"},
                {{"my\\x2d*"}, "my\\x2dapp.service", "/x", "my\\x2d*"},
                /* paths, level by level; a unit pattern never sees the path */
                {{"/system.slice/*"}, "a.service", "/system.slice/a.service", "/system.slice/*"},
                {{"/system.slice/*"}, "a.service", "/system.slice/a.service/sub", NULL},
                {{"/a/b"}, NULL, "/a/b", "/a/b"},
                {{"*"}, NULL, "/a/b", NULL},
                {{"/*"}, "a.service", "/a", "/*"},
                {{"b.service"}, "a.service", "/x/b.service", NULL},
        };
        for (size_t i = 0; i < ELEMENTSOF(rows); i++) {
                _cleanup_settings_ Settings *s = calloc(1, sizeof(*s));
                assert_non_null(s);
                for (size_t j = 0; j < ELEMENTSOF(rows[i].sections) && rows[i].sections[j]; j++)
                        add_policy(s, rows[i].sections[j], NULL);

                const Policy *p = settings_find_policy(s, rows[i].unit, rows[i].path);
                if (rows[i].expected) {
                        assert_non_null(p);
                        assert_string_equal(p->name, rows[i].expected);
                } else
                        assert_null(p);
        }
}

/* match= replaces the name as a pattern; the best of several counts. */
static void test_match_lines(void **state) {
        _cleanup_settings_ Settings *s = calloc(1, sizeof(*s));
        assert_non_null(s);
        add_policy(s, "databases", (const char *[]){"postgresql.service", "mysql*", "/db/*", NULL});
        add_policy(s, "everything", (const char *[]){"*", NULL});
        add_policy(s, "hands-off", (const char *[]){"mysql-test.service", NULL});

        static const char *const rows[][3] = {
                {"postgresql.service", "/x", "databases"},       {"mysql.service", "/x", "databases"},
                {"mysql-test.service", "/x", "hands-off"},       {"nginx.service", "/x", "everything"},
                {"one.service", "/db/one.service", "databases"}, {"databases", "/x", "everything"},
        };
        for (size_t i = 0; i < ELEMENTSOF(rows); i++)
                assert_string_equal(settings_find_policy(s, rows[i][0], rows[i][1])->name, rows[i][2]);
        assert_null(settings_find_policy(s, NULL, "/other"));
}

static void test_mode_names(void **state) {
        assert_string_equal(policy_mode_name(MODE_IGNORE), "ignore");
        assert_string_equal(policy_mode_name(MODE_OBSERVE), "observe");
        assert_string_equal(policy_mode_name(MODE_ADVISE), "advise");
        assert_string_equal(policy_mode_name(MODE_ACT), "act");
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_find_policy),
                cmocka_unit_test(test_match_lines),
                cmocka_unit_test(test_mode_names),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
