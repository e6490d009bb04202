/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "test.h"

#include <stdio.h>

#include "base/cleanup.h"
#include "base/strbuf.h"
#include "decide/pin.h"
#include "topology-fixture.h"

/* clang-format off */
static const TopologyText two_by_four = {
        "0-7", {[DOMAIN_LLC] = "0-3 4-7", [DOMAIN_NODE] = "0-7", [DOMAIN_PACKAGE] = "0-7"},
};
static const TopologyText three_by_four = {
        "0-11", {[DOMAIN_LLC] = "0-3 4-7 8-11", [DOMAIN_NODE] = "0-11", [DOMAIN_PACKAGE] = "0-3 4-7 8-11"},
};
/* Two packages of two nodes of two caches. */
static const TopologyText eight_by_two = {
        "0-15",
        {[DOMAIN_LLC] = "0-1 2-3 4-5 6-7 8-9 10-11 12-13 14-15", [DOMAIN_NODE] = "0-3 4-7 8-11 12-15",
         [DOMAIN_PACKAGE] = "0-7 8-15"},
};
/* Sub-NUMA clustering: one L3 of 56 CPUs over two nodes, cut by the sampler. */
static const TopologyText sub_numa = {
        "0-55", {[DOMAIN_LLC] = "0-27 28-55", [DOMAIN_NODE] = "0-27 28-55", [DOMAIN_PACKAGE] = "0-55"},
};
/* P and E cores below caches of their own. */
static const TopologyText hybrid = {
        "0-15", {[DOMAIN_LLC] = "0-3 4-7 8-11 12-15", [DOMAIN_NODE] = "0-15", [DOMAIN_PACKAGE] = "0-15"}, "0-7 8-15",
};
/* P and E cores take turns, and share the one L3 (most desktops). */
static const TopologyText hybrid_mixed = {
        "0-7", {[DOMAIN_LLC] = "0-7", [DOMAIN_NODE] = "0-7", [DOMAIN_PACKAGE] = "0-7"}, "0,2,4,6 1,3,5,7",
};
static const TopologyText hybrid_all_mixed = {
        "0-7", {[DOMAIN_LLC] = "0-3 4-7", [DOMAIN_NODE] = "0-7"}, "0-1,4-5 2-3,6-7",
};
static const TopologyText offline_five = {
        "0-4,6-15", {[DOMAIN_LLC] = "0-3 4,6-7 8-11 12-15", [DOMAIN_NODE] = "0-4,6-15"},
};
static const TopologyText sparse = {
        "0,2,4,6,100-103,200,300", {[DOMAIN_LLC] = "0,2,4,6 100-103 200,300"},
};
static const TopologyText no_caches = {
        "0-7", {[DOMAIN_NODE] = "0-7", [DOMAIN_PACKAGE] = "0-3 4-7"},
};
static const TopologyText clusters = {
        "0-7", {[DOMAIN_LLC] = "0-7", [DOMAIN_CLUSTER] = "0-3 4-7", [DOMAIN_NODE] = "0-7", [DOMAIN_PACKAGE] = "0-7"},
};
static const TopologyText single = {
        "0-3", {[DOMAIN_LLC] = "0-3", [DOMAIN_NODE] = "0-3", [DOMAIN_PACKAGE] = "0-3"},
};
static const TopologyText nothing_known = {"0-3", {NULL}};
/* CPUs 4-7 are in no node. */
static const TopologyText outside_nodes = {
        "0-11", {[DOMAIN_LLC] = "0-1 2-3 4-5 6-7 8-9 10-11", [DOMAIN_NODE] = "0-3 8-11"},
};
static const TopologyText uneven = {
        "0-12", {[DOMAIN_LLC] = "0-1 2-5 6-7 8-11 12", [DOMAIN_NODE] = "0-12"},
};

typedef struct Case {
        const char *what;
        const TopologyText *topology;
        uint64_t need_milli;
        const char *cpus; /* wanted; NULL: refused */
        const char *text; /* of the refusal */
        PinMode pin;
        const char *pin_cpus, *available, *taken;
        uint64_t quota_milli; /* 0: none */
        unsigned min_cpus;
        const char *others; /* milli per CPU: "0-3=500 4=20" */
} Case;

static const Case cases[] = {
        /* The fewest domains, the lowest CPU among equals. */
        {"fits into one", &two_by_four, 3400, "0-3"},
        {"fits exactly", &two_by_four, 4000, "0-3"},
        {"nothing needed", &two_by_four, 0, "0-3"},
        {"one is left", &two_by_four, 4001, NULL,
         "needs 4.1 CPUs, the largest union of cache domains that leaves one to the rest has 4"},
        {"5.2 of 8", &two_by_four, 5200, NULL,
         "needs 5.2 CPUs, the largest union of cache domains that leaves one to the rest has 4"},
        {"two of three", &three_by_four, 4100, "0-7"},
        {"three of three", &three_by_four, 8100, NULL,
         "needs 8.1 CPUs, the largest union of cache domains that leaves one to the rest has 8"},
        {"absurd", &three_by_four, UINT64_MAX, NULL, NULL},

        /* Others rank domains. */
        {"first is busy", &three_by_four, 3400, "4-7", .others = "0-3=900"},
        {"two are busy", &three_by_four, 3400, "8-11", .others = "0-3=900 4-7=300"},
        {"noise does not count", &three_by_four, 3400, "0-3", .others = "0=60 1=40 4-7=2"},
        {"half a CPU counts", &three_by_four, 3400, "4-7", .others = "0=500"},
        {"busy, but the only one", &two_by_four, 3400, "4-7", .others = "0-3=1000 4-7=900"},
        {"more than a CPU is a CPU", &two_by_four, 3400, "4-7", .others = "0-3=1000 4=5000"},
        {"too little room is no reason for two", &three_by_four, 3400, "0-3", .others = "0-11=400"},
        {"no room at all is", &three_by_four, 3400, "0-7", .others = "0-11=550"},
        {"but not the last one", &two_by_four, 3400, "0-3", .others = "0-7=550"},
        {"and not where two have none either", &three_by_four, 3400, "0-3", .others = "0-11=900"},
        {"nor where the rest then has only taken ones", &three_by_four, 3400, "0-3", .others = "0-7=550",
         .taken = "8-11"},

        /* Close together: node, then package. */
        {"both in one node", &eight_by_two, 3000, "0-3"},
        {"the first node is half busy", &eight_by_two, 3000, "4-7", .others = "0-1=1000"},
        {"room in one node only by crossing", &eight_by_two, 3000, "2-5", .others = "0-1=1000 6-7=1000 8-15=1000"},
        {"a small load does not drive it apart", &eight_by_two, 3000, "0-3",
         .others = "0=500 4=600 8=600 12=600"},
        {"three stay in a package", &eight_by_two, 5500, "8-13", .others = "2-7=1000"},
        {"CPUs in no node are no node of their own", &outside_nodes, 3000, "8-11", .others = "0-3=500"},

        /* Other targets of placerd. */
        {"not where another one is", &two_by_four, 3000, "4-7", .taken = "0-3"},
        {"even if it is busier", &three_by_four, 3000, "4-7", .taken = "0-3", .others = "4-7=700 8-11=900"},
        {"two free ones before a taken one", &three_by_four, 4500, "4-11", .taken = "0-3"},
        {"shared where nothing is free", &two_by_four, 3000, "0-3", .taken = "0-7"},
        {"shared as little as can be", &three_by_four, 7000, "0-3,8-11", .taken = "3-7"},
        {"shared with the less busy", &two_by_four, 3000, "4-7", .taken = "0-7", .others = "0-3=500"},

        /* Quota and min-cpus. */
        {"quota's ceiling", &three_by_four, 3400, "0-7", .quota_milli = 4500},
        {"quota fits", &three_by_four, 3400, "0-3", .quota_milli = 4000},
        {"quota does not fit", &two_by_four, 1000, NULL,
         "its quota is 4.5 CPUs, the largest union of cache domains that leaves one to the rest has 4",
         .quota_milli = 4500},
        {"min-cpus", &three_by_four, 500, "0-7", .min_cpus = 5},
        {"min-cpus too large", &three_by_four, 500, NULL,
         "min-cpus is 9, the largest union of cache domains that leaves one to the rest has 8", .min_cpus = 9},

        /* What is available. */
        {"isolated CPUs are left out", &two_by_four, 2000, "0-1", .available = "0-1,4-7", .others = "4-7=700"},
        {"a cut domain may be too small", &two_by_four, 3000, "4-7", .available = "0-1,4-7"},
        {"parent has half", &two_by_four, 2000, NULL, "only one cache domain of 2 is available: nothing to pin to",
         .available = "0-3"},
        {"parent has one and a half", &two_by_four, 2000, "0-3", .available = "0-5"},
        {"nothing is available", &two_by_four, 2000, NULL, "no CPU of any cache domain is available",
         .available = ""},
        {"offline CPU", &offline_five, 3500, "0-3"},
        {"offline CPU, three are enough", &offline_five, 2500, "4,6-7", .others = "0-3=1000 8-15=1000"},
        {"sparse numbers", &sparse, 5000, "0,2,4,6,100-103"},
        {"sparse numbers, little", &sparse, 1500, "200,300", .others = "0-103=900"},

        /* Core types. */
        {"capable ones first", &hybrid, 3000, "0-3"},
        {"never both", &hybrid, 9000, NULL,
         "needs 9.0 CPUs, the largest union of cache domains that leaves one to the rest has 8"},
        {"all of one type", &hybrid, 7000, "0-7"},
        {"the others where those are taken", &hybrid, 3000, "8-11", .taken = "0-7"},
        {"a need of fast cores does not fit slow ones better", &hybrid, 3000, "4-7", .others = "0-3=1000 4-7=500"},
        {"one L3 for both types", &hybrid_mixed, 2000, NULL, "only one cache domain: nothing to pin to"},
        {"every domain mixes", &hybrid_all_mixed, 2000, NULL, "every cache domain mixes core types"},

        /* Levels. */
        {"no caches: packages", &no_caches, 3000, "0-3"},
        {"one L3: clusters", &clusters, 3000, "0-3"},
        {"one L3, asked for", &clusters, 3000, NULL, "only one cache domain: nothing to pin to", .pin = PIN_LLC},
        {"one of everything", &single, 1000, NULL, "only one cache domain: nothing to pin to"},
        {"nothing known", &nothing_known, 1000, NULL, "the machine has no domains of the level that pin= asks for"},
        {"an L3 over two nodes", &sub_numa, 20000, "28-55", .others = "0-27=100"},
        {"pin=node", &eight_by_two, 1500, "4-7", .pin = PIN_NODE, .others = "0-3=500"},
        {"pin=package", &eight_by_two, 1500, "0-7", .pin = PIN_PACKAGE},
        {"pin=package, one only", &sub_numa, 1500, NULL, "only one package: nothing to pin to", .pin = PIN_PACKAGE},
        {"pin=node, none", &sparse, 1500, NULL, "the machine has no domains of the level that pin= asks for",
         .pin = PIN_NODE},
        {"pin=never", &two_by_four, 1500, NULL, "pin=never", .pin = PIN_NEVER},

        /* Domains of several sizes: the fewest, then rank, but never too small. */
        {"a small one will do", &uneven, 1500, "2-5"},
        {"the large one is needed", &uneven, 3000, "8-11", .others = "2-5=1000"},
        {"two large ones", &uneven, 7500, "2-5,8-11"},
        {"three with room before two without", &uneven, 7500, "0-1,6-11", .others = "2-5=1000"},
        {"one large, one idle small", &uneven, 5500, "0-5", .others = "8-11=1000"},
        {"all but the smallest", &uneven, 12000, "0-11"},

        /* The administrator's own list. */
        {"list", &two_by_four, 1500, "1-3", .pin = PIN_CPUS, .pin_cpus = "1-3"},
        {"list, cut", &two_by_four, 1500, "4-5", .pin = PIN_CPUS, .pin_cpus = "4-9", .available = "0-5"},
        {"list with an isolated CPU", &two_by_four, 1000, "1", .pin = PIN_CPUS, .pin_cpus = "1-3",
         .available = "0-1,4-7"},
        {"list too small", &two_by_four, 2500, NULL, "needs 2.5 CPUs, pin=4-9 has 2 that are available",
         .pin = PIN_CPUS, .pin_cpus = "4-9", .available = "0-5"},
        {"list below quota", &two_by_four, 500, NULL, "its quota is 3.0 CPUs, pin=0-1 has 2 that are available",
         .pin = PIN_CPUS, .pin_cpus = "0-1", .quota_milli = 3000},
        {"list is gone", &two_by_four, 1500, NULL, "no CPU of pin=8-9 is available", .pin = PIN_CPUS,
         .pin_cpus = "8-9"},
        {"list is all", &two_by_four, 1500, NULL, "pin=0-7 has every CPU that is available: nothing to pin to",
         .pin = PIN_CPUS, .pin_cpus = "0-7"},
};
/* clang-format on */

#define CPUS_MAX 1024

static void fill_others(const char *text, uint64_t others[static CPUS_MAX]) {
        while (text && *text) {
                size_t len = strcspn(text, "=");
                _cleanup_cpuset_ Cpuset *cpus = cpus_of(text, len);
                char *end;
                uint64_t milli = strtoull(text + len + 1, &end, 10);
                CPUSET_FOREACH (cpu, cpus)
                        others[cpu] = milli;
                text = end + (*end == ' ');
        }
}

static unsigned check(const Case *c, const Cpuset *cpus, const Refusal *refusal) {
        _cleanup_free_ char *list = cpus ? cpuset_format_list(cpus) : NULL;
        const char *text = refusal->refused ? refusal->text : NULL;

        if (streq_ptr(list, c->cpus) && (c->cpus ? !text : text && (!c->text || streq(text, c->text))))
                return 0;
        print_error("%s: got %s (%s), wanted %s (%s)\n", c->what, list ? list : "nothing", text ? text : "-",
                    c->cpus ? c->cpus : "nothing", c->text ? c->text : "-");
        return 1;
}

/* 1 where it failed: all cases are looked at before the test fails. */
static unsigned run(const Case *c) {
        _cleanup_topology_ Topology *t = topology_of(c->topology);
        _cleanup_cpuset_ Cpuset *available =
                c->available ? cpus_of(c->available, strlen(c->available)) : cpuset_copy(t->cpus);
        _cleanup_cpuset_ Cpuset *taken = c->taken ? cpus_of(c->taken, strlen(c->taken)) : NULL;
        _cleanup_cpuset_ Cpuset *pin_cpus = c->pin_cpus ? cpus_of(c->pin_cpus, strlen(c->pin_cpus)) : NULL;
        uint64_t others[CPUS_MAX] = {};
        fill_others(c->others, others);

        const Policy policy = {.pin = c->pin, .pin_cpus = pin_cpus, .min_cpus = c->min_cpus};
        const PinRequest request = {
                .topology = t,
                .policy = &policy,
                .available = available,
                .need_milli = c->need_milli,
                .have_quota = c->quota_milli > 0,
                .quota_milli = c->quota_milli,
                .others_milli = others,
                .n_others = CPUS_MAX,
                .taken = taken,
        };
        _cleanup_cpuset_ Cpuset *cpus = NULL;
        Refusal refusal;
        assert_int_equal(pin_choose(&request, &cpus, &refusal), 0);
        return check(c, cpus, &refusal);
}

static void test_cases(void **state) {
        unsigned failed = 0;
        for (size_t i = 0; i < ELEMENTSOF(cases); i++)
                failed += run(cases + i);
        assert_int_equal(failed, 0);
}

/* 512 CPUs below 64 caches, eight to a node, four nodes to a package. */
static char *write_domains(unsigned n, unsigned size) {
        StrBuf text = {};
        for (unsigned i = 0; i < n; i++)
                strbuf_printf(&text, "%s%u-%u", i > 0 ? " " : "", i * size, (i + 1) * size - 1);
        return strbuf_take(&text);
}

static void test_many_caches(void **state) {
        _cleanup_free_ char *caches = write_domains(64, 8), *nodes = write_domains(8, 64),
                            *packages = write_domains(2, 256);
        const TopologyText big = {
                "0-511",
                {[DOMAIN_LLC] = caches, [DOMAIN_NODE] = nodes, [DOMAIN_PACKAGE] = packages},
                NULL,
        };
        const Case big_cases[] = {
                {"one of 64", &big, 8000, "0-7"},
                {"two of 64", &big, 8001, "0-15"},
                {"a node", &big, 64000, "0-63"},
                {"a node and more", &big, 65000, "0-71"},
                {"in another package", &big, 20000, "256-279", .others = "0-255=300"},
                {"all but one", &big, 504000, "0-503"},
                {"one more", &big, 504001, NULL, NULL},
                {"all in one node", &big, 20000, "64-87", .others = "8-63=200 71=100"},
        };

        unsigned failed = 0;
        for (size_t i = 0; i < ELEMENTSOF(big_cases); i++)
                failed += run(big_cases + i);
        assert_int_equal(failed, 0);
}

/* Nothing is known of others: every CPU counts as free. */
static void test_others_unknown(void **state) {
        _cleanup_topology_ Topology *t = topology_of(&two_by_four);
        const Policy policy = {.pin = PIN_AUTO};
        const PinRequest request = {.topology = t, .policy = &policy, .available = t->cpus, .need_milli = 2000};
        _cleanup_cpuset_ Cpuset *cpus = NULL;
        Refusal refusal;

        assert_int_equal(pin_choose(&request, &cpus, &refusal), 0);
        assert_false(refusal.refused);
        assert_true(cpuset_equal(cpus, t->domains[0].cpus));
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_cases),
                cmocka_unit_test(test_many_caches),
                cmocka_unit_test(test_others_unknown),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
