/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "test.h"

#include "report/report.h"

static Cpuset *cpus(const char *list) {
        Cpuset *set = NULL;
        assert_int_equal(cpuset_parse_list(list, strlen(list), &set), 0);
        return set;
}

static void test_topology(void **state) {
        Domain domains[] = {
                {.level = DOMAIN_LLC, .cpus = cpus("0-3"), .node = 0, .package = 0},
                {.level = DOMAIN_LLC, .cpus = cpus("4-7"), .node = -1, .package = -1, .kind = KIND_MIXED},
        };
        Node nodes[] = {{.id = 0, .cpus = cpus("0-7"), .memory_bytes = UINT64_C(2048) << 20}};
        Cpuset *kinds[] = {cpus("0-7")};
        Topology t = {.cpus = cpus("0-7"),
                      .isolated = cpus(""),
                      .domains = domains,
                      .n_domains = 2,
                      .nodes = nodes,
                      .n_nodes = 1,
                      .kinds = kinds,
                      .n_kinds = 1,
                      .kernel_release = (char *) (uintptr_t) "6.12.1"};

        char *text = report_topology_text(&t);
        assert_string_equal(text, "8 CPUs: 0-7\n"
                                  "llc      0-3  (4 CPUs, node 0, package 0)\n"
                                  "llc      4-7  (4 CPUs)\n"
                                  "memory   node 0: 2,048 MiB, CPUs 0-7\n");
        free(text);

        json_t *o = report_topology(&t);
        char *line = json_dumps(o, JSON_COMPACT);
        assert_string_equal(line, "{\"cpus\":\"0-7\",\"isolated\":\"\",\"kernel\":\"6.12.1\",\"domains\":["
                                  "{\"level\":\"llc\",\"cpus\":\"0-3\",\"node\":0,\"package\":0,\"kind\":0},"
                                  "{\"level\":\"llc\",\"cpus\":\"4-7\"}],"
                                  "\"nodes\":[{\"node\":0,\"cpus\":\"0-7\",\"memory_bytes\":2147483648}],"
                                  "\"kinds_known\":false}");
        free(line);
        json_decref(o);

        cpuset_free(domains[0].cpus);
        cpuset_free(domains[1].cpus);
        cpuset_free(nodes[0].cpus);
        cpuset_free(kinds[0]);
        cpuset_free(t.cpus);
        cpuset_free(t.isolated);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_topology),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
