/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "test.h"

#include <stdlib.h>

#include "base/cleanup.h"
#include "model/topology.h"

static Cpuset *parse(const char *text) {
        Cpuset *set = NULL;
        assert_int_equal(cpuset_parse_list(text, strlen(text), &set), 0);
        return set;
}

static Topology *make(const char *cpus, size_t n, const DomainLevel *levels, const char *const *lists) {
        Topology *t = calloc(1, sizeof(Topology));
        t->cpus = parse(cpus);
        t->domains = calloc(n + 1, sizeof(Domain));
        t->n_domains = n;
        for (size_t i = 0; i < n; i++)
                t->domains[i] = (Domain){.level = levels[i], .cpus = parse(lists[i])};
        return t;
}

static void test_levels(void **state) {
        const DomainLevel levels[] = {DOMAIN_CLUSTER, DOMAIN_CLUSTER, DOMAIN_PACKAGE};
        const char *const lists[] = {"0-3", "4-7", "0-7"};
        _cleanup_topology_ Topology *t = make("0-7", 3, levels, lists);
        const Domain *domains;
        DomainLevel level = _DOMAIN_LEVEL_MAX;

        assert_true(topology_finest_level(t, &level));
        assert_int_equal(level, DOMAIN_CLUSTER);
        assert_int_equal(topology_level(t, DOMAIN_LLC, &domains), 0);
        assert_null(domains);
        assert_int_equal(topology_level(t, DOMAIN_CLUSTER, &domains), 2);
        assert_ptr_equal(domains, t->domains);
        assert_int_equal(topology_level(t, DOMAIN_NODE, &domains), 0);
        assert_int_equal(topology_level(t, DOMAIN_PACKAGE, &domains), 1);
        assert_ptr_equal(domains, t->domains + 2);
}

static void test_no_levels(void **state) {
        _cleanup_topology_ Topology *t = make("0", 0, NULL, NULL);
        DomainLevel level = _DOMAIN_LEVEL_MAX;

        assert_false(topology_finest_level(t, &level));
        assert_int_equal(level, _DOMAIN_LEVEL_MAX);
        assert_null(topology_free(NULL));
}

static void test_fingerprint(void **state) {
        const DomainLevel levels[] = {DOMAIN_LLC, DOMAIN_LLC, DOMAIN_NODE};
        static const struct {
                const char *cpus, *lists[3], *text;
        } cases[] = {
                {"0-7", {"0-3", "4-7", "0-7"}, "8 CPUs 0-7; llc 0-3 4-7; node 0-7"},
                {"0-4,6-7", {"0-3", "4,6-7", "0-4,6-7"}, "7 CPUs 0-4,6-7; llc 0-3 4,6-7; node 0-4,6-7"},
                {"0-7", {"0-1", "2-7", "0-7"}, "8 CPUs 0-7; llc 0-1 2-7; node 0-7"},
        };

        for (size_t i = 0; i < ELEMENTSOF(cases); i++) {
                _cleanup_topology_ Topology *t = make(cases[i].cpus, 3, levels, cases[i].lists);
                _cleanup_free_ char *text = topology_fingerprint(t);
                assert_string_equal(text, cases[i].text);
        }
}

static void test_kernel_at_least(void **state) {
        static const struct {
                const char *release;
                unsigned major, minor;
                bool answer;
        } cases[] = {
                {"6.12.117+deb13-cloud-amd64", 6, 2, true},
                {"6.12.117+deb13-cloud-amd64", 6, 12, true},
                {"6.12.117+deb13-cloud-amd64", 6, 13, false},
                {"6.1.0-57-cloud-amd64", 6, 2, false},
                {"7.3.4+deb13-cloud-amd64", 6, 12, true},
                {"5.19.0", 6, 2, false},
                {"6.2-rc1", 6, 2, true},
                {"6", 6, 0, false},
                {"6.", 6, 0, false},
                {"dummy", 0, 0, false},
                {"", 0, 0, false},
                {NULL, 0, 0, false},
                {"99999999999999999999.1", 6, 2, false},
        };

        for (size_t i = 0; i < ELEMENTSOF(cases); i++) {
                Topology t = {.kernel_release = (char *) (uintptr_t) cases[i].release};
                assert_int_equal(topology_kernel_at_least(&t, cases[i].major, cases[i].minor), cases[i].answer);
        }
}

static void test_level_names(void **state) {
        assert_string_equal(domain_level_name(DOMAIN_LLC), "llc");
        assert_string_equal(domain_level_name(DOMAIN_CLUSTER), "cluster");
        assert_string_equal(domain_level_name(DOMAIN_NODE), "node");
        assert_string_equal(domain_level_name(DOMAIN_PACKAGE), "package");
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_levels),      cmocka_unit_test(test_no_levels),
                cmocka_unit_test(test_fingerprint), cmocka_unit_test(test_kernel_at_least),
                cmocka_unit_test(test_level_names),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
