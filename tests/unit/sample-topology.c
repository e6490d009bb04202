/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Machines made by hand, as folders with just the files of /sys that tell about them. */

#include "test.h"

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "sample/topology.h"

static char *dir_new(void) {
        char *dir = strdup("/tmp/placerd-test-XXXXXX");
        assert_non_null(mkdtemp(dir));
        return dir;
}

static int remove_one(const char *path, const struct stat *st, int flag, struct FTW *ftw) {
        return remove(path);
}

static void dir_free(char **dir) {
        if (*dir)
                (void) nftw(*dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
        free(*dir);
}

#define _cleanup_dir_ _cleanup_(dir_free)

/* Writes one file and the folders that lead to it. */
static void put(const char *dir, const char *name, const char *text) {
        _cleanup_free_ char *path = NULL;
        assert_true(asprintf(&path, "%s/%s", dir, name) > 0);
        for (char *slash = path + strlen(dir); (slash = strchr(slash + 1, '/'));) {
                *slash = '\0';
                (void) mkdir(path, 0755);
                *slash = '/';
        }
        _cleanup_fclose_ FILE *f = fopen(path, "we");
        assert_non_null(f);
        assert_true(fputs(text, f) >= 0);
}

static void put_cpu(const char *dir, unsigned cpu, const char *name, const char *text) {
        _cleanup_free_ char *path = NULL;
        assert_true(asprintf(&path, "sys/devices/system/cpu/cpu%u/%s", cpu, name) > 0);
        put(dir, path, text);
}

/* A set as /sys writes masks: 32 bits a word. */
static void put_mask(const char *dir, const char *name, const Cpuset *cpus) {
        char text[32];
        (void) snprintf(text, sizeof(text), "%08lx,%08lx\n", hwloc_bitmap_to_ith_ulong(cpus, 0) >> 32,
                        hwloc_bitmap_to_ith_ulong(cpus, 0) & UINT32_MAX);
        put(dir, name, text);
}

static Cpuset *cpus_of(const char *text) {
        Cpuset *set = NULL;
        assert_int_equal(cpuset_parse_list(text, strlen(text), &set), 0);
        return set;
}

/* Writes `name` ("topology/package_cpus") for each CPU of each set of "0-3 4-7": those that share it. */
static void put_sharers(const char *dir, const char *name, const char *sets) {
        while (*sets) {
                char word[64] = "";
                size_t len = strcspn(sets, " ");
                memcpy(word, sets, len);
                sets += len + (sets[len] == ' ');

                _cleanup_cpuset_ Cpuset *cpus = cpus_of(word);
                CPUSET_FOREACH (cpu, cpus) {
                        _cleanup_free_ char *path = NULL;
                        assert_true(asprintf(&path, "sys/devices/system/cpu/cpu%d/%s", cpu, name) > 0);
                        put_mask(dir, path, cpus);
                }
        }
}

static void put_each(const char *dir, const char *list, const char *name, const char *text) {
        _cleanup_cpuset_ Cpuset *cpus = cpus_of(list);
        CPUSET_FOREACH (cpu, cpus)
                put_cpu(dir, (unsigned) cpu, name, text);
}

static void put_cache(const char *dir, unsigned level, const char *sets) {
        static const char *const files[] = {"shared_cpu_map", "level", "type", "size"};
        char name[64], digit[8];
        _cleanup_free_ char *all = strdup(sets);

        (void) snprintf(name, sizeof(name), "cache/index%u/%s", level, files[0]);
        put_sharers(dir, name, sets);
        (void) snprintf(digit, sizeof(digit), "%u\n", level);
        for (char *p = all; (p = strchr(p, ' '));)
                *p = ',';
        const char *const texts[] = {NULL, digit, "Unified\n", "1024K\n"};
        for (size_t i = 1; i < ELEMENTSOF(files); i++) {
                (void) snprintf(name, sizeof(name), "cache/index%u/%s", level, files[i]);
                put_each(dir, all, name, texts[i]);
        }
}

static void put_node(const char *dir, unsigned node, const char *list, unsigned long kib) {
        char name[64], text[64];
        _cleanup_cpuset_ Cpuset *cpus = cpus_of(list);

        (void) snprintf(name, sizeof(name), "sys/devices/system/node/node%u/cpumap", node);
        put_mask(dir, name, cpus);
        (void) snprintf(name, sizeof(name), "sys/devices/system/node/node%u/meminfo", node);
        (void) snprintf(text, sizeof(text), "Node %u MemTotal: %lu kB\n", node, kib);
        put(dir, name, text);
}

/* CPUs that are one package of cores without siblings. */
static void put_cpus(const char *dir, const char *online) {
        _cleanup_cpuset_ Cpuset *cpus = cpus_of(online);
        char text[64];

        (void) snprintf(text, sizeof(text), "%s\n", online);
        put(dir, "sys/devices/system/cpu/online", text);
        put_sharers(dir, "topology/package_cpus", online);
        put_each(dir, online, "topology/physical_package_id", "0\n");
        CPUSET_FOREACH (cpu, cpus) {
                (void) snprintf(text, sizeof(text), "%d", cpu);
                put_sharers(dir, "topology/core_cpus", text);
                put_cpu(dir, (unsigned) cpu, "topology/core_id", text);
        }
}

static Topology *load(const char *dir) {
        Topology *t = NULL;
        assert_int_equal(topology_load(TOPOLOGY_ROOT, dir, &t), 0);
        return t;
}

static void assert_topology(const char *dir, const char *fingerprint) {
        _cleanup_topology_ Topology *t = load(dir);
        _cleanup_free_ char *text = topology_fingerprint(t);
        assert_string_equal(text, fingerprint);
}

static void assert_set(const Cpuset *cpus, const char *list) {
        _cleanup_free_ char *text = cpus ? cpuset_format_list(cpus) : NULL;
        if (!streq_ptr(text, list))
                fail_msg("got %s, wanted %s", text ? text : "nothing", list ? list : "nothing");
}

static void test_no_cache_files(void **state) {
        _cleanup_dir_ char *dir = dir_new();
        put_cpus(dir, "0-3");
        assert_topology(dir, "4 CPUs 0-3; node 0-3; package 0-3");
}

static void test_second_level_is_the_last(void **state) {
        _cleanup_dir_ char *dir = dir_new();
        put_cpus(dir, "0-11");
        put_cache(dir, 1, "0 1 2 3 4 5 6 7 8 9 10 11");
        put_cache(dir, 2, "0-3 4-7 8-11");
        assert_topology(dir, "12 CPUs 0-11; llc 0-3 4-7 8-11; node 0-11; package 0-11");
}

static void test_cores_without_the_third_level(void **state) {
        _cleanup_dir_ char *dir = dir_new();
        put_cpus(dir, "0-7");
        put_cache(dir, 2, "0 1 2 3 4 5 6-7");
        put_cache(dir, 3, "0-5");
        assert_topology(dir, "8 CPUs 0-7; llc 0-5 6-7; node 0-7; package 0-7");
}

/* Sub-NUMA clustering. */
static void test_cache_over_two_nodes(void **state) {
        _cleanup_dir_ char *dir = dir_new();
        put_cpus(dir, "0-7");
        put_cache(dir, 3, "0-7");
        put(dir, "sys/devices/system/node/online", "0-1\n");
        put_node(dir, 0, "0-3", 1048576);
        put_node(dir, 1, "4-7", 1048576);

        _cleanup_topology_ Topology *t = load(dir);
        _cleanup_free_ char *text = topology_fingerprint(t);
        assert_string_equal(text, "8 CPUs 0-7; llc 0-3 4-7; node 0-3 4-7; package 0-7");
        assert_int_equal(t->domains[0].node, 0);
        assert_int_equal(t->domains[1].node, 1);
        assert_int_equal(t->domains[1].package, 0);
        assert_int_equal(t->domains[4].node, -1);
}

static void test_clusters(void **state) {
        _cleanup_dir_ char *dir = dir_new();
        put_cpus(dir, "0-7");
        put_cache(dir, 3, "0-7");
        put_sharers(dir, "topology/cluster_cpus", "0-3 4-7");
        put_each(dir, "0-3", "topology/cluster_id", "36\n");
        put_each(dir, "4-7", "topology/cluster_id", "4140\n");
        assert_topology(dir, "8 CPUs 0-7; llc 0-7; cluster 0-3 4-7; node 0-7; package 0-7");
}

/* 65535 is how some firmware says "none": every CPU is its own cluster then, as hwloc reads it from cluster_cpus. */
static void test_no_clusters(void **state) {
        _cleanup_dir_ char *dir = dir_new();
        put_cpus(dir, "0-3");
        put_sharers(dir, "topology/cluster_cpus", "0 1 2 3");
        put_each(dir, "0-3", "topology/cluster_id", "65535\n");
        assert_topology(dir, "4 CPUs 0-3; node 0-3; package 0-3");
}

static void test_offline_cpu(void **state) {
        _cleanup_dir_ char *dir = dir_new();
        put_cpus(dir, "0-4,6-7");
        put(dir, "sys/devices/system/cpu/present", "0-7\n");
        put(dir, "sys/devices/system/cpu/cpu5/online", "0\n");
        put_each(dir, "1-4,6-7", "online", "1\n");
        put_cache(dir, 3, "0-3 4,6-7");
        assert_topology(dir, "7 CPUs 0-4,6-7; llc 0-3 4,6-7; node 0-4,6-7; package 0-4,6-7");
}

static void test_odd_nodes(void **state) {
        _cleanup_dir_ char *dir = dir_new();
        put_cpus(dir, "0-7");
        put_cache(dir, 3, "0-3 4-7");
        put(dir, "sys/devices/system/node/online", "0,2-3\n");
        put_node(dir, 0, "", 67108864); /* memory only */
        put_node(dir, 2, "0-3", 0);     /* CPUs only; 4-7 are in no node */
        put_node(dir, 3, "", 1048576);

        _cleanup_topology_ Topology *t = load(dir);
        _cleanup_free_ char *text = topology_fingerprint(t);
        assert_string_equal(text, "8 CPUs 0-7; llc 0-3 4-7; node 0-3; package 0-7");
        assert_int_equal(t->domains[0].node, 2);
        assert_int_equal(t->domains[1].node, -1);

        assert_int_equal(t->n_nodes, 3);
        assert_int_equal(t->nodes[0].id, 0);
        assert_true(cpuset_empty(t->nodes[0].cpus));
        assert_int_equal(t->nodes[0].memory_bytes, UINT64_C(68719476736));
        assert_int_equal(t->nodes[1].id, 2);
        assert_int_equal(t->nodes[1].memory_bytes, 0);
}

static void put_frequency(const char *dir, const char *list, const char *khz) {
        put_each(dir, list, "cpufreq/cpuinfo_max_freq", khz);
}

typedef struct KindCase {
        const char *what;
        const char *core, *atom; /* cpu_core/cpus and cpu_atom/cpus */
        struct {
                const char *cpus, *text;
        } frequencies[3], capacities[3];
        bool known;
        const char *kinds[3];
} KindCase;

/* clang-format off */
static const KindCase kind_cases[] = {
        {"nothing known", NULL, NULL, {{NULL}}, {{NULL}}, false, {"0-7"}},
        {"favoured cores are no type", "0-3", "4-7",
         {{"0-1", "5500000"}, {"2-3", "5800000"}, {"4-7", "4300000"}}, {{NULL}}, true, {"0-3", "4-7"}},
        {"favoured cores, nothing else known", NULL, NULL,
         {{"0-5", "5500000"}, {"6-7", "5800000"}}, {{NULL}}, true, {"0-7"}},
        {"one half clocks much higher", NULL, NULL,
         {{"0-3", "2000000"}, {"4-7", "3000000"}}, {{NULL}}, true, {"4-7", "0-3"}},
        {"favoured cores of counters", "0-3\n", "4-7\n",
         {{"0-1", "5500000"}, {"2-3", "6500000"}, {"4-7", "5400000"}}, {{NULL}}, true, {"0-3", "4-7"}},
        {"counters of some CPUs only", "0-3", NULL, {{NULL}}, {{NULL}}, false, {"0-7"}},
        {"in turns", "0,2,4,6", "1,3,5,7", {{NULL}}, {{NULL}}, true, {"0,2,4,6", "1,3,5,7"}},
        {"capacity only", NULL, NULL, {{NULL}}, {{"0-3", "512"}, {"4-7", "1024"}}, true, {"4-7", "0-3"}},
        {"capacity of favoured cores", "0-3", "4-7", {{NULL}},
         {{"0-2", "980"}, {"3", "1024"}, {"4-7", "640"}}, true, {"0-3", "4-7"}},
        {"known of some CPUs only", NULL, NULL, {{"0", "3000000"}}, {{NULL}}, false, {"0-7"}},
};
/* clang-format on */

static void check_kinds(const KindCase *c) {
        _cleanup_dir_ char *dir = dir_new();
        put_cpus(dir, "0-7");
        if (c->core)
                put(dir, "sys/devices/cpu_core/cpus", c->core);
        if (c->atom)
                put(dir, "sys/devices/cpu_atom/cpus", c->atom);
        for (size_t i = 0; i < 3; i++) {
                if (c->frequencies[i].cpus)
                        put_frequency(dir, c->frequencies[i].cpus, c->frequencies[i].text);
                if (c->capacities[i].cpus)
                        put_each(dir, c->capacities[i].cpus, "cpu_capacity", c->capacities[i].text);
        }

        _cleanup_topology_ Topology *t = load(dir);
        print_message("%s\n", c->what);
        assert_int_equal(t->kinds_known, c->known);
        for (size_t i = 0; i < t->n_kinds; i++)
                assert_set(t->kinds[i], i < 3 ? c->kinds[i] : NULL);
        assert_true(t->n_kinds == 3 || !c->kinds[t->n_kinds]);
}

static void test_kinds(void **state) {
        for (size_t i = 0; i < ELEMENTSOF(kind_cases); i++)
                check_kinds(kind_cases + i);
}

static void test_isolated(void **state) {
        static const struct {
                const char *text, *cpus; /* NULL: no such file; unknown */
        } cases[] = {
                {"2-3\n", "2-3"}, {"\n", ""},       {"", ""},        {"(null)\n", ""},
                {" 1\n", "1"},    {"junk\n", NULL}, {"3-1\n", NULL}, {NULL, NULL},
        };

        for (size_t i = 0; i < ELEMENTSOF(cases); i++) {
                _cleanup_dir_ char *dir = dir_new();
                put_cpus(dir, "0-3");
                if (cases[i].text) {
                        put(dir, "sys/devices/system/cpu/isolated", cases[i].text);
                        put(dir, "sys/devices/system/cpu/nohz_full", cases[i].text);
                }
                _cleanup_topology_ Topology *t = load(dir);
                assert_set(t->isolated, cases[i].cpus);
                assert_set(t->nohz_full, cases[i].cpus);
                assert_set(t->cpus, "0-3");
        }
}

static void test_release(void **state) {
        _cleanup_dir_ char *dir = dir_new();
        put_cpus(dir, "0-3");
        put(dir, "proc/sys/kernel/osrelease", "6.12.117+deb13-cloud-amd64\n");
        _cleanup_topology_ Topology *t = load(dir);
        assert_string_equal(t->kernel_release, "6.12.117+deb13-cloud-amd64");
}

/* Read where it can be; else what the release does, and that it was assumed. */
static void test_cgroup_mode(void **state) {
        static const struct {
                const char *release, *file; /* NULL: no such file */
                CgroupMode mode;
                bool assumed;
        } cases[] = {
                {"6.12.117+deb13-cloud-amd64", NULL, CGROUP_MODE_SMP, false},
                {"7.2.1", "(smp) concur\n", CGROUP_MODE_SMP, false},
                {"7.3.4+deb13-cloud-amd64", "up smp (concur) max tasks \n", CGROUP_MODE_CONCUR, false},
                {"7.3.4+deb13-cloud-amd64", "up (smp) concur max tasks \n", CGROUP_MODE_SMP, false},
                {"7.3.4+deb13-cloud-amd64", NULL, CGROUP_MODE_CONCUR, true},
                {"7.4.0", "something new\n", CGROUP_MODE_CONCUR, true},
                {NULL, NULL, CGROUP_MODE_SMP, true},
        };
        for (size_t i = 0; i < ELEMENTSOF(cases); i++) {
                _cleanup_dir_ char *dir = dir_new();
                put_cpus(dir, "0-3");
                if (cases[i].release)
                        put(dir, "proc/sys/kernel/osrelease", cases[i].release);
                if (cases[i].file)
                        put(dir, "sys/kernel/debug/sched/cgroup_mode", cases[i].file);
                _cleanup_topology_ Topology *t = load(dir);
                assert_int_equal(t->cgroup_mode, cases[i].mode);
                assert_int_equal(t->cgroup_mode_assumed, cases[i].assumed);
        }
}

static void test_no_machine(void **state) {
        _cleanup_dir_ char *dir = dir_new();
        _cleanup_free_ char *file = NULL;
        Topology *untouched = NULL;

        assert_int_equal(topology_load(TOPOLOGY_ROOT, dir, &untouched), -EINVAL);
        assert_true(asprintf(&file, "%s/topology.xml", dir) > 0);
        assert_int_equal(topology_load(TOPOLOGY_ROOT, file, &untouched), -ENOENT);
        assert_int_equal(topology_load(TOPOLOGY_XML, file, &untouched), -ENOENT);
        put(dir, "topology.xml", "not XML\n");
        assert_int_equal(topology_load(TOPOLOGY_XML, file, &untouched), -EINVAL);
        assert_null(untouched);
}

/* hwloc is driven by the environment, which belongs to others, too. */
static void test_environment_is_put_back(void **state) {
        _cleanup_dir_ char *dir = dir_new();
        put_cpus(dir, "0-3");

        assert_int_equal(setenv("HWLOC_COMPONENTS", "-x86", 1), 0);
        assert_int_equal(unsetenv("HWLOC_FSROOT"), 0);
        _cleanup_topology_ Topology *t = load(dir);
        assert_set(t->cpus, "0-3");
        assert_string_equal(getenv("HWLOC_COMPONENTS"), "-x86");
        assert_null(getenv("HWLOC_FSROOT"));
        assert_null(getenv("HWLOC_THISSYSTEM"));
        assert_int_equal(unsetenv("HWLOC_COMPONENTS"), 0);
}

static void test_live_and_export(void **state) {
        _cleanup_dir_ char *dir = dir_new();
        _cleanup_free_ char *file = NULL;
        assert_true(asprintf(&file, "%s/topology.xml", dir) > 0);

        _cleanup_topology_ Topology *live = NULL, *xml = NULL, *recorded = NULL;
        assert_int_equal(topology_load(TOPOLOGY_LIVE, NULL, &live), 0);
        assert_int_equal(cpuset_count(live->cpus), sysconf(_SC_NPROCESSORS_ONLN));
        assert_non_null(live->kernel_release);

        assert_int_equal(topology_export(file), 0);
        assert_int_equal(topology_load(TOPOLOGY_XML, file, &xml), 0);
        _cleanup_free_ char *a = topology_fingerprint(live), *b = topology_fingerprint(xml);
        assert_string_equal(a, b);
        assert_null(xml->isolated);
        assert_null(xml->nohz_full);

        put(dir, "frames/0000/sys/devices/system/cpu/isolated", "1-2\n");
        put(dir, "frames/0000/sys/devices/system/cpu/nohz_full", "(null)\n");
        put(dir, "frames/0000/proc/sys/kernel/osrelease", "6.1.0-57-cloud-amd64\n");
        assert_int_equal(topology_load(TOPOLOGY_XML, file, &recorded), 0);
        assert_set(recorded->isolated, "1-2");
        assert_set(recorded->nohz_full, "");
        assert_string_equal(recorded->kernel_release, "6.1.0-57-cloud-amd64");

        assert_true(topology_export("/nonexistent/topology.xml") < 0);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_no_cache_files),
                cmocka_unit_test(test_second_level_is_the_last),
                cmocka_unit_test(test_cores_without_the_third_level),
                cmocka_unit_test(test_cache_over_two_nodes),
                cmocka_unit_test(test_clusters),
                cmocka_unit_test(test_no_clusters),
                cmocka_unit_test(test_offline_cpu),
                cmocka_unit_test(test_odd_nodes),
                cmocka_unit_test(test_kinds),
                cmocka_unit_test(test_isolated),
                cmocka_unit_test(test_release),
                cmocka_unit_test(test_cgroup_mode),
                cmocka_unit_test(test_no_machine),
                cmocka_unit_test(test_environment_is_put_back),
                cmocka_unit_test(test_live_and_export),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
