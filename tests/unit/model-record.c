/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What concerns one target in a tick. */

#include "test.h"

#include "model/record.h"

enum { N_CPUS = 4 };

/* One cgroup on four CPUs, a second apart; every CPU has these ticks. */
static TickRecord record_of(uint64_t idle, uint64_t total) {
        _cleanup_cpuset_ Cpuset *allowed = NULL;
        assert_int_equal(cpuset_parse_list("0-3", 3, &allowed), 0);

        char path[] = "/a";
        CgroupSample group = {.path = path, .id = 1, .parent = CGROUP_NONE};
        Snapshot snapshot = {.cgroups = &group, .n_cgroups = 1};
        CgroupDelta group_delta = {.known = true};
        CpuDelta cpus[N_CPUS] = {};
        for (unsigned i = 0; i < N_CPUS; i++) {
                cpus[i].cpu = i;
                counts_set(&cpus[i].counts, CPU_IDLE_TICKS, idle);
                counts_set(&cpus[i].counts, CPU_TOTAL_TICKS, total);
        }
        Delta delta = {.snapshot = &snapshot,
                       .dt_usec = USEC_PER_SEC,
                       .cgroups = &group_delta,
                       .cpus = cpus,
                       .n_cpus = N_CPUS};

        uint64_t demand = 0;
        TickRecord r;
        record_make(&(RecordInput){.delta = &delta, .demands = &demand, .allowed = allowed}, &r);
        return r;
}

static void test_idle_of_what_passed(void **state) {
        static const struct {
                uint64_t idle, counted, share_permille;
        } table[] = {
                {40, 100, 400}, /* every tick was counted */
                {3, 28, 30},    /* an emulated machine lost those of busy CPUs */
                {40, 102, 392}, /* more than passed, by rounding */
                {0, 25, 0},
        };
        for (size_t i = 0; i < ELEMENTSOF(table); i++) {
                TickRecord r = record_of(table[i].idle, table[i].counted);
                assert_true(r.have_idle);
                assert_int_equal(r.idle_ticks * 1000 / r.total_ticks, table[i].share_permille);
        }
}

static void test_nothing_counted_is_absent(void **state) {
        assert_false(record_of(0, 0).have_idle);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_idle_of_what_passed),
                cmocka_unit_test(test_nothing_counted_is_absent),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
