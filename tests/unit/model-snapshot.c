/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The order of paths, and what is asked of the tree. */

#include "test.h"

#include <stdlib.h>

#include "model/snapshot.h"

static void test_path_compare(void **state) {
        /* In ascending order: a subtree is contiguous. */
        static const char *const sorted[] = {
                "/", "/a", "/a/b", "/a/b/c", "/a/bb", "/a b", "/a-b", "/a.b", "/ab", "/b", "/\xff",
        };

        for (size_t i = 0; i < ELEMENTSOF(sorted); i++)
                for (size_t j = 0; j < ELEMENTSOF(sorted); j++) {
                        int c = path_compare(sorted[i], sorted[j]);
                        assert_true(i < j ? c < 0 : i > j ? c > 0 : c == 0);
                }
}

static Snapshot *make_tree(void) {
        static const struct {
                const char *path;
                size_t parent;
        } nodes[] = {{"/", CGROUP_NONE}, {"/a", 0}, {"/a/b", 1}, {"/a/b/c", 2}, {"/a-b", 0}};
        Snapshot *s = calloc(1, sizeof(*s));

        s->n_cgroups = ELEMENTSOF(nodes);
        s->cgroups = calloc(s->n_cgroups, sizeof(*s->cgroups));
        for (size_t i = 0; i < s->n_cgroups; i++) {
                s->cgroups[i].path = strdup(nodes[i].path);
                s->cgroups[i].parent = nodes[i].parent;
        }
        assert_int_equal(cpuset_parse_list("0-7", 3, &s->online), 0);
        return s;
}

static void test_find(void **state) {
        _cleanup_snapshot_ Snapshot *s = make_tree();

        for (size_t i = 0; i < s->n_cgroups; i++)
                assert_int_equal(snapshot_find(s, s->cgroups[i].path), i);
        assert_true(snapshot_find(s, "/a/c") == CGROUP_NONE);
        assert_true(snapshot_find(s, "") == CGROUP_NONE);
        assert_true(snapshot_find(s, "/z") == CGROUP_NONE);
}

static void test_below(void **state) {
        _cleanup_snapshot_ Snapshot *s = make_tree();

        assert_true(snapshot_is_below(s, 3, 1));
        assert_true(snapshot_is_below(s, 3, 3));
        assert_true(snapshot_is_below(s, 4, 0));
        assert_false(snapshot_is_below(s, 4, 1));
        assert_false(snapshot_is_below(s, 1, 3));
        assert_false(snapshot_is_below(s, CGROUP_NONE, 0));
        assert_false(snapshot_is_below(s, CGROUP_NONE, CGROUP_NONE));
}

static void test_allowed(void **state) {
        _cleanup_snapshot_ Snapshot *s = make_tree();

        /* No cpuset anywhere: all that are on line. */
        assert_ptr_equal(snapshot_allowed(s, 3), s->online);
        assert_int_equal(cpuset_parse_list("0-3", 3, &s->cgroups[1].effective), 0);
        assert_ptr_equal(snapshot_allowed(s, 3), s->cgroups[1].effective);
        assert_ptr_equal(snapshot_allowed(s, 4), s->online);
        /* Requested and effective both empty: no usable CPUs, not those of the parent. */
        s->cgroups[3].effective = cpuset_new();
        assert_ptr_equal(snapshot_allowed(s, 3), s->cgroups[3].effective);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_path_compare),
                cmocka_unit_test(test_find),
                cmocka_unit_test(test_below),
                cmocka_unit_test(test_allowed),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
