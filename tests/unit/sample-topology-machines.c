/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Dumps of real machines (hwloc's own test data, which is not in this project): what was counted in their files by
 * hand, and what must hold for pin_choose() on each of them whatever it is asked. Skipped where the dumps are not
 * there: PLACERD_SHARED names the folder, else it is "shared" beside the source. */

#include "test.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "decide/pin.h"
#include "sample/topology.h"

typedef struct Machine {
        const char *archive;
        const char *dir; /* inside of it */
        const char *cpus;
        size_t n[_DOMAIN_LEVEL_MAX];
        const char *first, *last; /* domains of the finest level */
        size_t n_nodes, n_kinds;
        bool kinds_known;
} Machine;

/* clang-format off */
static const Machine machines[] = {
        /* No `online` file; a CPU that is offline has no topology. */
        {"16em64t-4s2c2t-offlines", "16em64t-4s2c2t-offlines", "0-1,3-4,6-12,15",
         {[DOMAIN_LLC] = 4, [DOMAIN_NODE] = 1, [DOMAIN_PACKAGE] = 4}, "0,4,8,12", "6,10", 1, 1, false},
        /* Six P cores of two threads, eight E cores, one L3. */
        {"20em64t-hybrid-1p6c2t+2ca4co1t", "20em64t-hybrid-1p6c2t+2ca4co1t", "0-19",
         {[DOMAIN_LLC] = 1, [DOMAIN_NODE] = 1, [DOMAIN_PACKAGE] = 1}, "0-19", "0-19", 1, 2, true},
        /* A mainframe says nothing of caches. */
        {"20s390-2g6s4c", "20s390-2g2g2s4co", "0-19",
         {[DOMAIN_NODE] = 1, [DOMAIN_PACKAGE] = 8}, "0-19", "0-19", 1, 1, false},
        /* An L3 for each core of four threads. */
        {"256ppc-8n8s4t", "256ppc-8n8s4t", "0-255",
         {[DOMAIN_LLC] = 64, [DOMAIN_NODE] = 8, [DOMAIN_PACKAGE] = 64}, "0-3", "252-255", 8, 1, false},
        {"2arm-2c", "2arm-2c", "0-1",
         {[DOMAIN_NODE] = 1, [DOMAIN_PACKAGE] = 1}, "0-1", "0-1", 1, 1, false},
        /* Taken inside a cgroup with a cpuset of 0-5: the other CPUs are there all the same. */
        {"32amd64-4s2n4c-cgroup2", "32amd64-4s2n4c-cgroup", "0-31",
         {[DOMAIN_LLC] = 8, [DOMAIN_NODE] = 8, [DOMAIN_PACKAGE] = 4}, "0-3", "28-31", 8, 1, true},
        {"48amd64-4pa2n6c-sparse", "48amd64-4d2n6c-sparse", "0-47",
         {[DOMAIN_LLC] = 8, [DOMAIN_NODE] = 8, [DOMAIN_PACKAGE] = 4}, "0-5", "42-47", 8, 1, true},
        {"64amd64-4s2n4ca2co", "64amd64-4s2n4ca2co", "0-63",
         {[DOMAIN_LLC] = 8, [DOMAIN_NODE] = 8, [DOMAIN_PACKAGE] = 4}, "0-7", "56-63", 8, 1, false},
        /* No L3; the firmware's eight nodes are nonsense. */
        {"8em64t-2s2ca2c-buggynuma", "8em64t-2s2ca2c-buggynuma", "0-7",
         {[DOMAIN_LLC] = 4, [DOMAIN_NODE] = 1, [DOMAIN_PACKAGE] = 2}, "0,2", "5,7", 1, 1, false},
};
/* clang-format on */

static Topology *topologies[ELEMENTSOF(machines)];

static void assert_set(const Cpuset *cpus, const char *list) {
        _cleanup_free_ char *text = cpuset_format_list(cpus);
        assert_string_equal(text, list);
}

static void test_facts(void **state) {
        for (size_t i = 0; i < ELEMENTSOF(machines); i++) {
                const Machine *m = machines + i;
                const Topology *t = topologies[i];
                const Domain *domains;
                DomainLevel finest;

                print_message("%s\n", m->archive);
                assert_set(t->cpus, m->cpus);
                for (DomainLevel level = 0; level < _DOMAIN_LEVEL_MAX; level++)
                        assert_int_equal(topology_level(t, level, &domains), m->n[level]);
                assert_true(topology_finest_level(t, &finest));
                size_t n = topology_level(t, finest, &domains);
                assert_set(domains[0].cpus, m->first);
                assert_set(domains[n - 1].cpus, m->last);
                assert_int_equal(t->n_nodes, m->n_nodes);
                assert_int_equal(t->n_kinds, m->n_kinds);
                assert_int_equal(t->kinds_known, m->kinds_known);
        }
}

static void test_more_facts(void **state) {
        assert_set(topologies[1]->kinds[0], "0-11");
        assert_set(topologies[1]->kinds[1], "12-19");
        assert_int_equal(topologies[1]->domains[0].kind, KIND_MIXED);
        assert_string_equal(topologies[1]->kernel_release, "6.1.0-13-amd64");

        static const int nodes[] = {0, 1, 2, 33, 34, 45, 72, 73};
        for (size_t i = 0; i < ELEMENTSOF(nodes); i++) {
                assert_int_equal(topologies[6]->domains[i].node, nodes[i]);
                assert_int_equal(topologies[6]->domains[i].package, i / 2);
        }
}

/* Domains of a level never overlap and are in order; kinds and nodes are online CPUs. */
static void test_shape(void **state) {
        for (size_t i = 0; i < ELEMENTSOF(machines); i++) {
                const Topology *t = topologies[i];
                for (size_t a = 0; a < t->n_domains; a++) {
                        const Domain *d = t->domains + a;
                        assert_false(cpuset_empty(d->cpus));
                        assert_true(cpuset_subset(d->cpus, t->cpus));
                        for (size_t b = a + 1; b < t->n_domains && t->domains[b].level == d->level; b++) {
                                assert_false(cpuset_intersects(d->cpus, t->domains[b].cpus));
                                assert_true(hwloc_bitmap_first(d->cpus) < hwloc_bitmap_first(t->domains[b].cpus));
                        }
                }
                _cleanup_cpuset_ Cpuset *all = cpuset_new();
                for (size_t k = 0; k < t->n_kinds; k++) {
                        assert_false(cpuset_intersects(t->kinds[k], all));
                        assert_int_equal(cpuset_or(all, t->kinds[k]), 0);
                }
                assert_true(cpuset_equal(all, t->cpus));
        }
}

/* xorshift64: the same requests in every run. */
static uint64_t random_below(uint64_t *seed, uint64_t n) {
        *seed ^= *seed << 13;
        *seed ^= *seed >> 7;
        *seed ^= *seed << 17;
        return *seed % n;
}

static Cpuset *random_subset(uint64_t *seed, const Cpuset *of, unsigned percent) {
        Cpuset *set = cpuset_new();
        CPUSET_FOREACH (cpu, of)
                if (random_below(seed, 100) < percent)
                        assert_int_equal(cpuset_add(set, (unsigned) cpu), 0);
        return set;
}

/* How the answer lies on one level. */
typedef struct Fit {
        bool whole; /* every domain is in it or outside of it, as far as it is available, and nothing else is in it */
        bool one_kind; /* of the domains that are in it */
        size_t n_outside;
} Fit;

static Fit fit_level(const PinRequest *q, DomainLevel level, const Cpuset *cpus) {
        Fit fit = {.whole = true, .one_kind = true};
        _cleanup_cpuset_ Cpuset *rest = cpuset_copy(cpus);
        const Domain *domains;
        size_t n = topology_level(q->topology, level, &domains);
        unsigned kind = KIND_MIXED;

        for (size_t i = 0; i < n; i++) {
                _cleanup_cpuset_ Cpuset *part = cpuset_copy(domains[i].cpus);
                assert_int_equal(cpuset_and(part, q->available), 0);
                if (cpuset_empty(part))
                        continue;
                if (!cpuset_intersects(part, cpus)) {
                        fit.n_outside++;
                        continue;
                }
                fit.whole &= cpuset_subset(part, cpus);
                fit.one_kind &= domains[i].kind != KIND_MIXED && (kind == KIND_MIXED || kind == domains[i].kind);
                kind = domains[i].kind;
                assert_int_equal(cpuset_andnot(rest, part), 0);
        }
        fit.whole &= cpuset_empty(rest);
        return fit;
}

static void check_answer(const PinRequest *q, const Cpuset *cpus) {
        bool fits = false;

        assert_true(cpuset_subset(cpus, q->available));
        assert_true(cpuset_count(cpus) * UINT64_C(1000) >= q->need_milli);
        assert_true(cpuset_count(cpus) >= q->policy->min_cpus);
        if (q->have_quota)
                assert_true(cpuset_count(cpus) * UINT64_C(1000) >= q->quota_milli);

        for (DomainLevel level = 0; level < _DOMAIN_LEVEL_MAX; level++) {
                Fit fit = fit_level(q, level, cpus);
                fits |= fit.whole && fit.one_kind && fit.n_outside > 0;
        }
        assert_true(fits);
}

/* Refused: then no level has a union of all its domains of a core type but one that is large enough. */
static void check_refusal(const PinRequest *q, const Refusal *refusal) {
        assert_true(refusal->refused);
        assert_true(strlen(refusal->text) > 0);
        uint64_t required = MAX((q->need_milli + 999) / 1000, (uint64_t) q->policy->min_cpus);
        required = MAX(required, q->have_quota ? (q->quota_milli + 999) / 1000 : 0);

        for (DomainLevel level = 0; level < _DOMAIN_LEVEL_MAX; level++)
                for (unsigned kind = 0; kind < q->topology->n_kinds; kind++) {
                        const Domain *domains;
                        size_t n = topology_level(q->topology, level, &domains), n_kind = 0, n_all = 0;
                        uint64_t sum = 0, smallest = UINT64_MAX;
                        for (size_t i = 0; i < n; i++) {
                                _cleanup_cpuset_ Cpuset *part = cpuset_copy(domains[i].cpus);
                                assert_int_equal(cpuset_and(part, q->available), 0);
                                uint64_t count = cpuset_count(part);
                                n_all += count > 0;
                                if (count == 0 || domains[i].kind != kind)
                                        continue;
                                n_kind++;
                                sum += count;
                                smallest = MIN(smallest, count);
                        }
                        if (n_kind > 0 && n_kind == n_all)
                                sum -= smallest;
                        assert_true(n_all < 2 || sum < required || sum == 0);
                }
}

static bool ask(const Topology *t, uint64_t *seed) {
        enum { CPUS = 256 };
        uint64_t others[CPUS], n_cpus = cpuset_count(t->cpus);
        for (size_t i = 0; i < CPUS; i++)
                others[i] = random_below(seed, 3) == 0 ? random_below(seed, 1001) : random_below(seed, 50);

        _cleanup_cpuset_ Cpuset *available =
                random_below(seed, 2) ? cpuset_copy(t->cpus) : random_subset(seed, t->cpus, 90);
        _cleanup_cpuset_ Cpuset *taken = random_below(seed, 2) ? random_subset(seed, t->cpus, 15) : NULL;
        const Policy policy = {
                .pin = PIN_AUTO,
                .min_cpus = random_below(seed, 4) ? 0 : (unsigned) random_below(seed, n_cpus),
        };
        const PinRequest request = {
                .topology = t,
                .policy = &policy,
                .available = available,
                .need_milli = random_below(seed, n_cpus * 1100),
                .have_quota = random_below(seed, 4) == 0,
                .quota_milli = random_below(seed, n_cpus * 1000),
                .others_milli = others,
                .n_others = CPUS,
                .taken = taken,
        };

        _cleanup_cpuset_ Cpuset *cpus = NULL, *again = NULL;
        Refusal refusal, refusal_again;
        assert_int_equal(pin_choose(&request, &cpus, &refusal), 0);
        assert_int_equal(pin_choose(&request, &again, &refusal_again), 0);
        assert_int_equal(!cpus, !again);
        assert_string_equal(refusal.text, refusal_again.text);
        if (!cpus) {
                check_refusal(&request, &refusal);
                return false;
        }
        assert_false(refusal.refused);
        assert_true(cpuset_equal(cpus, again));
        check_answer(&request, cpus);
        return true;
}

static void test_pins(void **state) {
        uint64_t seed = UINT64_C(0x9e3779b97f4a7c15);

        for (size_t i = 0; i < ELEMENTSOF(machines); i++) {
                unsigned n_found = 0, n = 300;
                for (unsigned k = 0; k < n; k++)
                        n_found += ask(topologies[i], &seed);
                print_message("%s: %u of %u found a place\n", machines[i].archive, n_found, n);
                /* One of everything: nothing may be found; elsewhere both must occur. */
                const Domain *domains;
                bool several = false;
                for (DomainLevel level = 0; level < _DOMAIN_LEVEL_MAX; level++)
                        several |= topology_level(topologies[i], level, &domains) > 1;
                assert_int_equal(n_found > 0, several);
                assert_true(n_found < n);
        }
}

static int remove_one(const char *path, const struct stat *st, int flag, struct FTW *ftw) {
        return remove(path);
}

static int unpack(const char *archive, const char *dir) {
        pid_t pid = fork();
        if (pid == 0) {
                execlp("tar", "tar", "-xjf", archive, "-C", dir, (char *) NULL);
                _exit(127);
        }
        int status;
        return pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : -1;
}

static char folder[4096];

static int load_one(const char *scratch, size_t i) {
        _cleanup_free_ char *archive = NULL, *dir = NULL;
        if (asprintf(&archive, "%s/%s.tar.bz2", folder, machines[i].archive) < 0 ||
            asprintf(&dir, "%s/%s", scratch, machines[i].dir) < 0)
                return -1;
        if (unpack(archive, scratch) < 0) {
                print_error("%s: can't be unpacked\n", archive);
                return -1;
        }
        return topology_load(TOPOLOGY_ROOT, dir, &topologies[i]);
}

static int group_setup(void **state) {
        /* The dumps are 30,000 small files: minutes on a slow disk, a second in memory. */
        char scratch[64];
        int r = 0;
        (void) snprintf(scratch, sizeof(scratch), "%s/placerd-test-XXXXXX",
                        access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");

        if (!mkdtemp(scratch))
                return -1;
        for (size_t i = 0; r == 0 && i < ELEMENTSOF(machines); i++)
                r = load_one(scratch, i);
        (void) nftw(scratch, remove_one, 16, FTW_DEPTH | FTW_PHYS);
        return r;
}

static int group_teardown(void **state) {
        for (size_t i = 0; i < ELEMENTSOF(machines); i++)
                topologies[i] = topology_free(topologies[i]);
        return 0;
}

int main(void) {
        const char *shared = getenv("PLACERD_SHARED"), *source = getenv("PLACERD_SOURCE_ROOT");
        (void) snprintf(folder, sizeof(folder), "%s%s/topologies",
                        shared   ? shared
                        : source ? source
                                 : "..",
                        shared ? "" : "/../shared");
        if (access(folder, R_OK) < 0) {
                print_message("%s is not there\n", folder);
                return TEST_SKIPPED;
        }

        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_facts),
                cmocka_unit_test(test_more_facts),
                cmocka_unit_test(test_shape),
                cmocka_unit_test(test_pins),
        };
        return cmocka_run_group_tests(tests, group_setup, group_teardown);
}
