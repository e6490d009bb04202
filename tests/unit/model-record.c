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

/* A machine of several groups for what is outside of one of them, /a/t. */
enum { ROOT, A, A_T, A_T_X, B, B_Y, C, N_GROUPS };

typedef struct Outsiders {
        CgroupSample groups[N_GROUPS];
        CgroupDelta deltas[N_GROUPS];
        CpuDelta cpus[N_CPUS];
        Snapshot snapshot;
        Delta delta;
} Outsiders;

static char *name(const char *text) {
        return (char *) (uintptr_t) text;
}

static void ran(Outsiders *o, size_t i, uint64_t delay_nsec, uint64_t slices) {
        counts_set(&o->deltas[i].threads, THREAD_DELAY_NSEC, delay_nsec);
        counts_set(&o->deltas[i].threads, THREAD_SLICES, slices);
}

/* Each has slices of its own, powers of two, so that a sum tells who is in it; each waited 10 ns a slice. The CPUs
 * count twice the slices of all. */
static void outsiders_init(Outsiders *o) {
        static const struct {
                const char *path;
                size_t parent;
                bool leaf;
        } tree[N_GROUPS] = {
                {"/", CGROUP_NONE, false}, {"/a", ROOT, false}, {"/a/t", A, false}, {"/a/t/x", A_T, true},
                {"/b", ROOT, false},       {"/b/y", B, true},   {"/c", ROOT, true},
        };

        *o = (Outsiders){};
        for (size_t i = 0; i < N_GROUPS; i++) {
                o->groups[i] = (CgroupSample){.path = name(tree[i].path), .id = i + 1, .parent = tree[i].parent};
                o->groups[i].leaf = tree[i].leaf;
                o->groups[i].have = i == ROOT ? 0 : CGROUP_HAVE_THREADS;
                o->deltas[i] = (CgroupDelta){.known = true, .throttled_known = i != ROOT};
                if (i != ROOT)
                        ran(o, i, UINT64_C(1000) << i, UINT64_C(100) << i);
        }
        for (unsigned i = 0; i < N_CPUS; i++) {
                o->cpus[i].cpu = i;
                counts_set(&o->cpus[i].counts, CPU_DELAY_NSEC, 126000 * 2 / N_CPUS);
                counts_set(&o->cpus[i].counts, CPU_SLICES, 12600 * 2 / N_CPUS);
        }
        o->snapshot = (Snapshot){.cgroups = o->groups, .n_cgroups = N_GROUPS};
        o->delta = (Delta){.snapshot = &o->snapshot,
                           .dt_usec = USEC_PER_SEC,
                           .cgroups = o->deltas,
                           .cpus = o->cpus,
                           .n_cpus = N_CPUS};
}

static TickRecord record_of_target(const Outsiders *o) {
        _cleanup_cpuset_ Cpuset *allowed = NULL;
        uint64_t demands[N_GROUPS] = {};
        TickRecord r;

        assert_int_equal(cpuset_parse_list("0-3", 3, &allowed), 0);
        record_make(&(RecordInput){.delta = &o->delta, .demands = demands, .cgroup = A_T, .allowed = allowed}, &r);
        return r;
}

static void all_as_it_was(Outsiders *o) {
}
static void throttled_other(Outsiders *o) {
        o->deltas[C].throttled_usec = 1;
}
static void throttled_descendant(Outsiders *o) {
        o->deltas[A_T_X].throttled_usec = 1;
}
static void unknown_with_quota(Outsiders *o) {
        o->deltas[B_Y].throttled_known = false;
        o->groups[B].have |= CGROUP_HAVE_MAX;
        o->groups[B].quota_usec = 1000;
}
static void unknown_without_quota(Outsiders *o) {
        o->deltas[B_Y].throttled_known = false;
        o->groups[B].have |= CGROUP_HAVE_MAX;
        o->groups[B].quota_usec = USEC_INFINITY;
}
static void kernel_threads_in_a_group(Outsiders *o) {
        o->deltas[C].kernel_delay_nsec = 60000;
        o->deltas[C].kernel_slices = 6000;
}
static void a_leaf_is_not_read(Outsiders *o) {
        o->groups[C].have = 0;
        o->deltas[C].threads = (Counts){};
}
static void an_inner_group_is_not_read(Outsiders *o) {
        o->groups[B].have = 0;
        o->deltas[B].threads = (Counts){};
}
static void a_cpu_is_not_known(Outsiders *o) {
        o->cpus[2].counts = (Counts){};
}
static void target_is_not_read(Outsiders *o) {
        o->deltas[A_T].threads = o->deltas[A_T_X].threads = (Counts){};
}
static void target_ran_most(Outsiders *o) {
        ran(o, A_T, 1000000, 1000000);
}

static void test_outside(void **state) {
        /* The target and what is below it have 1,200 of the 12,600 slices that groups have. */
        static const struct {
                void (*set)(Outsiders *o);
                bool have_groups;
                unsigned n_groups;
                uint64_t slices;
                bool have_cpus;
                uint64_t cpu_slices;
        } table[] = {
                {all_as_it_was, true, 3, 1600 + 3200 + 6400, true, 25200 - 1200},
                {throttled_other, true, 2, 1600 + 3200, false, 0},
                {throttled_descendant, true, 3, 1600 + 3200 + 6400, false, 0},
                {unknown_with_quota, true, 2, 1600 + 6400, false, 0},
                {unknown_without_quota, true, 3, 1600 + 3200 + 6400, true, 25200 - 1200},
                {kernel_threads_in_a_group, true, 3, 1600 + 3200 + 400, true, 25200 - 1200},
                {a_leaf_is_not_read, false, 0, 0, true, 25200 - 1200},
                {an_inner_group_is_not_read, false, 0, 0, true, 25200 - 1200},
                {a_cpu_is_not_known, true, 3, 1600 + 3200 + 6400, false, 0},
                {target_is_not_read, true, 3, 1600 + 3200 + 6400, false, 0},
                {target_ran_most, true, 3, 1600 + 3200 + 6400, true, 0},
        };

        for (size_t i = 0; i < ELEMENTSOF(table); i++) {
                Outsiders o;
                outsiders_init(&o);
                table[i].set(&o);
                TickRecord r = record_of_target(&o);

                assert_int_equal(r.other_groups.have, table[i].have_groups);
                assert_int_equal(r.other_groups.n_groups, table[i].n_groups);
                assert_int_equal(r.other_groups.slices, table[i].slices);
                assert_int_equal(r.other_groups.delay_nsec, table[i].slices * 10);
                assert_int_equal(r.other_cpu_time.have, table[i].have_cpus);
                assert_int_equal(r.other_cpu_time.slices, table[i].cpu_slices);
                if (table[i].cpu_slices > 0)
                        assert_int_equal(r.other_cpu_time.delay_nsec, table[i].cpu_slices * 10);
        }
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_idle_of_what_passed),
                cmocka_unit_test(test_nothing_counted_is_absent),
                cmocka_unit_test(test_outside),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
