/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What two snapshots have in common, and what starts anew. */

#include "test.h"

#include <errno.h>
#include <stdlib.h>

#include "base/array.h"
#include "model/delta.h"

static Snapshot *snapshot_at(usec_t now) {
        Snapshot *s = calloc(1, sizeof(*s));
        s->monotonic_usec = now;
        return s;
}

static CgroupSample *add_cgroup(Snapshot *s, const char *path, uint64_t id, size_t parent) {
        assert_int_equal(ARRAY_RESERVE(s->cgroups, s->allocated_cgroups, s->n_cgroups + 1), 0);
        CgroupSample *c = &s->cgroups[s->n_cgroups++];
        *c = (CgroupSample){.path = strdup(path), .id = id, .parent = parent, .first_thread = s->n_threads};
        return c;
}

/* Into the cgroup that was added last. */
static ThreadSample *add_thread(Snapshot *s, pid_t tid, uint64_t start, uint64_t run, uint64_t migrations) {
        CgroupSample *c = &s->cgroups[s->n_cgroups - 1];

        assert_int_equal(ARRAY_RESERVE(s->threads, s->allocated_threads, s->n_threads + 1), 0);
        ThreadSample *t = &s->threads[s->n_threads++];
        *t = (ThreadSample){.pid = tid, .tid = tid, .start_ticks = start, .cgroup = s->n_cgroups - 1};
        counts_set(&t->counts, THREAD_RUN_NSEC, run);
        counts_set(&t->counts, THREAD_MIGRATIONS, migrations);
        c->have |= CGROUP_HAVE_THREADS;
        c->n_threads++;
        return t;
}

/* The same for what its threads did, all told. */
static ProcessSample *add_process(Snapshot *s, pid_t pid, uint64_t start, uint64_t run) {
        CgroupSample *c = &s->cgroups[s->n_cgroups - 1];

        assert_int_equal(ARRAY_RESERVE(s->processes, s->allocated_processes, s->n_processes + 1), 0);
        if (c->n_processes == 0)
                c->first_process = s->n_processes;
        ProcessSample *p = &s->processes[s->n_processes++];
        *p = (ProcessSample){.pid = pid, .start_ticks = start, .told_nsec = run};
        counts_set(&p->counts, THREAD_RUN_NSEC, run);
        c->n_processes++;
        return p;
}

typedef struct Pair {
        Snapshot *before, *after;
        Delta *delta;
} Pair;

static void pair_done(Pair *p) {
        snapshot_free(p->before);
        snapshot_free(p->after);
        delta_free(p->delta);
}
#define _cleanup_pair_ _cleanup_(pair_done)

static Pair pair_new(void) {
        Pair p = {.before = snapshot_at(1000000), .after = snapshot_at(2500000)};
        add_cgroup(p.before, "/", 1, CGROUP_NONE);
        add_cgroup(p.after, "/", 1, CGROUP_NONE);
        return p;
}

static const CgroupDelta *compare(Pair *p, size_t cgroup) {
        assert_int_equal(delta_new(p->before, p->after, &p->delta), 0);
        assert_int_equal(p->delta->dt_usec, 1500000);
        return &p->delta->cgroups[cgroup];
}

static void test_clock_must_move(void **state) {
        _cleanup_pair_ Pair p = pair_new();

        p.after->monotonic_usec = p.before->monotonic_usec;
        assert_int_equal(delta_new(p.before, p.after, &p.delta), -ERANGE);
        p.after->monotonic_usec = 5;
        assert_int_equal(delta_new(p.before, p.after, &p.delta), -ERANGE);
        assert_null(p.delta);
}

static void test_sums(void **state) {
        _cleanup_pair_ Pair p = pair_new();

        counts_set(&add_cgroup(p.before, "/a", 7, 0)->counts, CGROUP_USAGE_USEC, 100);
        add_thread(p.before, 10, 1, 1000, 5);
        add_thread(p.before, 12, 1, 500, 1);
        counts_set(&add_cgroup(p.after, "/a", 7, 0)->counts, CGROUP_USAGE_USEC, 350);
        add_thread(p.after, 10, 1, 1600, 9);
        add_thread(p.after, 12, 1, 500, 1);

        const CgroupDelta *c = compare(&p, 1);
        assert_true(c->known);
        assert_false(c->reset);
        assert_int_equal(c->counts.value[CGROUP_USAGE_USEC], 250);
        assert_int_equal(c->threads.value[THREAD_RUN_NSEC], 600);
        assert_int_equal(c->threads.value[THREAD_MIGRATIONS], 4);
        assert_int_equal(c->n_threads, 2);
        assert_ptr_equal(p.delta->threads[c->first_thread].thread, &p.after->threads[0]);
}

static void test_threads_come_and_go(void **state) {
        _cleanup_pair_ Pair p = pair_new();

        add_cgroup(p.before, "/a", 7, 0);
        add_thread(p.before, 10, 1, 900000, 50); /* exits */
        add_thread(p.before, 11, 1, 100, 1);
        add_thread(p.before, 12, 1, 900000, 50); /* its tid is used again */
        add_cgroup(p.after, "/a", 7, 0);
        add_thread(p.after, 11, 1, 150, 2);
        add_thread(p.after, 12, 99, 70, 1);
        add_thread(p.after, 13, 99, 80, 1); /* is born */

        const CgroupDelta *c = compare(&p, 1);
        assert_false(c->reset);
        assert_int_equal(c->n_threads, 1);
        assert_int_equal(c->threads.value[THREAD_RUN_NSEC], 50);
        assert_int_equal(c->threads.value[THREAD_MIGRATIONS], 1);
        assert_int_equal(p.delta->threads[c->first_thread].thread->tid, 11);
}

static void test_thread_that_moves_starts_anew(void **state) {
        _cleanup_pair_ Pair p = pair_new();

        add_cgroup(p.before, "/a", 7, 0);
        add_thread(p.before, 10, 1, 1000, 5);
        add_cgroup(p.before, "/b", 8, 0);
        add_thread(p.before, 20, 1, 1000, 5);
        add_cgroup(p.after, "/a", 7, 0);
        p.after->cgroups[1].have |= CGROUP_HAVE_THREADS;
        add_cgroup(p.after, "/b", 8, 0);
        add_thread(p.after, 10, 1, 2000, 5);
        add_thread(p.after, 20, 1, 1001, 5);

        const CgroupDelta *b = compare(&p, 2);
        assert_int_equal(b->n_threads, 1);
        assert_int_equal(b->threads.value[THREAD_RUN_NSEC], 1);
        assert_int_equal(p.delta->cgroups[1].n_threads, 0);
}

static void test_counter_went_back(void **state) {
        _cleanup_pair_ Pair p = pair_new();

        CgroupSample *was = add_cgroup(p.before, "/a", 0, 0);
        counts_set(&was->counts, CGROUP_USAGE_USEC, 9000000);
        counts_set(&was->counts, CGROUP_SOME_USEC, 5);
        CgroupSample *is = add_cgroup(p.after, "/a", 0, 0);
        counts_set(&is->counts, CGROUP_USAGE_USEC, 120000);
        counts_set(&is->counts, CGROUP_SOME_USEC, 9);

        const CgroupDelta *c = compare(&p, 1);
        assert_true(c->known);
        assert_true(c->reset);
        assert_false(counts_has(&c->counts, CGROUP_USAGE_USEC));
        assert_int_equal(c->counts.value[CGROUP_SOME_USEC], 4);
}

static void test_thread_counter_went_back(void **state) {
        _cleanup_pair_ Pair p = pair_new();

        add_cgroup(p.before, "/a", 7, 0);
        add_thread(p.before, 10, 1, 1000, UINT32_MAX - 5);
        add_thread(p.before, 11, 1, 1000, 3);
        add_cgroup(p.after, "/a", 7, 0);
        add_thread(p.after, 10, 1, 1700, 5);
        add_thread(p.after, 11, 1, 1100, 4);

        const CgroupDelta *c = compare(&p, 1);
        assert_true(c->reset);
        assert_int_equal(c->threads.value[THREAD_RUN_NSEC], 800);
        assert_int_equal(c->threads.value[THREAD_MIGRATIONS], 1);
}

static void test_recreated_cgroup(void **state) {
        _cleanup_pair_ Pair p = pair_new();

        counts_set(&add_cgroup(p.before, "/a", 7, 0)->counts, CGROUP_USAGE_USEC, 100);
        add_thread(p.before, 10, 1, 1000, 5);
        counts_set(&add_cgroup(p.after, "/a", 8, 0)->counts, CGROUP_USAGE_USEC, 350);
        add_thread(p.after, 10, 1, 1600, 9);
        add_cgroup(p.after, "/new", 9, 0);

        const CgroupDelta *c = compare(&p, 1);
        assert_false(c->known);
        assert_false(c->reset);
        assert_int_equal(c->counts.have, 0);
        assert_int_equal(c->threads.have, 0);
        assert_false(c->throttled_known);
        assert_false(p.delta->cgroups[2].known);
}

static void test_threads_not_read_in_both(void **state) {
        _cleanup_pair_ Pair p = pair_new();

        add_cgroup(p.before, "/a", 7, 0);
        add_cgroup(p.after, "/a", 7, 0);
        add_thread(p.after, 10, 1, 1600, 9);

        const CgroupDelta *c = compare(&p, 1);
        assert_true(c->known);
        assert_int_equal(c->threads.have, 0);
        assert_int_equal(c->n_threads, 0);
}

static void test_throttled_with_ancestors(void **state) {
        _cleanup_pair_ Pair p = pair_new();
        Snapshot *snapshots[] = {p.before, p.after};
        const uint64_t slice[] = {1000, 1700}, unit[] = {50, 60};

        for (size_t i = 0; i < 2; i++) {
                /* The root counts otherwise, and is left out. */
                counts_set(&snapshots[i]->cgroups[0].counts, CGROUP_THROTTLED_USEC, i * 1000000);
                counts_set(&add_cgroup(snapshots[i], "/s", 2, 0)->counts, CGROUP_THROTTLED_USEC, slice[i]);
                counts_set(&add_cgroup(snapshots[i], "/s/a", 3, 1)->counts, CGROUP_THROTTLED_USEC, unit[i]);
                add_cgroup(snapshots[i], "/s/a/x", 4, 2); /* no cpu controller: only its ancestors can be throttled */
                add_cgroup(snapshots[i], "/t", 5, 0);
        }

        compare(&p, 0);
        const usec_t want[] = {0, 700, 710, 710, 0};
        for (size_t i = 1; i < ELEMENTSOF(want); i++) {
                assert_true(p.delta->cgroups[i].throttled_known);
                assert_int_equal(p.delta->cgroups[i].throttled_usec, want[i]);
        }
}

static void test_throttled_unknown(void **state) {
        _cleanup_pair_ Pair p = pair_new();
        Snapshot *snapshots[] = {p.before, p.after};

        /* The slice is a new one: nobody knows for how long it was throttled in this tick. */
        for (size_t i = 0; i < 2; i++) {
                counts_set(&add_cgroup(snapshots[i], "/s", 2 + i, 0)->counts, CGROUP_THROTTLED_USEC, 100 * i);
                counts_set(&add_cgroup(snapshots[i], "/s/a", 9, 1)->counts, CGROUP_THROTTLED_USEC, 10 * i);
        }
        assert_false(compare(&p, 2)->throttled_known);
        assert_int_equal(p.delta->cgroups[2].counts.value[CGROUP_THROTTLED_USEC], 10);
}

static void test_wait_max_rose(void **state) {
        static const struct {
                bool known_before, known_after;
                uint64_t before, after;
                bool rose;
        } table[] = {
                {true, true, 5, 9, true},   {true, true, 9, 9, false},  {true, true, 9, 5, false},
                {false, true, 0, 9, false}, {true, false, 5, 0, false},
        };

        for (size_t i = 0; i < ELEMENTSOF(table); i++) {
                _cleanup_pair_ Pair p = pair_new();
                add_cgroup(p.before, "/a", 7, 0);
                ThreadSample *was = add_thread(p.before, 10, 1, 1, 1);
                was->wait_max_known = table[i].known_before;
                was->wait_max_nsec = table[i].before;
                add_cgroup(p.after, "/a", 7, 0);
                ThreadSample *is = add_thread(p.after, 10, 1, 1, 1);
                is->wait_max_known = table[i].known_after;
                is->wait_max_nsec = table[i].after;

                const CgroupDelta *c = compare(&p, 1);
                assert_int_equal(p.delta->threads[c->first_thread].wait_max_rose, table[i].rose);
        }
}

/* Taken to sleep for some ticks, read anew, and it has run: how much of that was in this tick is not known. Threads
 * may stand for cpu.stat. */
static void test_what_is_older_is_dropped(void **state) {
        static const struct {
                unsigned carried_before, carried_after;
                bool usage; /* cpu.stat was read */
                uint64_t run;
                bool dropped;
        } table[] = {
                {3, 0, false, 900, true}, {3, 0, true, 900, true}, {0, 0, false, 900, false},
                {3, 0, false, 0, false},  {3, 4, false, 0, false}, {0, 0, true, 900, false},
        };

        for (size_t i = 0; i < ELEMENTSOF(table); i++) {
                _cleanup_pair_ Pair p = pair_new();
                CgroupSample *was = add_cgroup(p.before, "/a", 7, 0), *is = add_cgroup(p.after, "/a", 7, 0);
                was->carried = table[i].carried_before;
                is->carried = table[i].carried_after;
                if (table[i].usage) {
                        counts_set(&was->counts, CGROUP_USAGE_USEC, 1);
                        counts_set(&is->counts, CGROUP_USAGE_USEC, 1 + table[i].run / 1000 + (table[i].run > 0));
                }
                add_thread(p.before, 10, 1, 100, 1);
                add_thread(p.after, 10, 1, 100 + table[i].run, 1);

                const CgroupDelta *c = compare(&p, 1);
                assert_int_equal(counts_has(&c->threads, THREAD_RUN_NSEC), !table[i].dropped);
                assert_int_equal(counts_has(&c->counts, CGROUP_USAGE_USEC), table[i].usage && !table[i].dropped);
                assert_int_equal(counts_has(&p.delta->threads[c->first_thread].counts, THREAD_RUN_NSEC),
                                 !table[i].dropped);
        }
}

/* Process 10 has one thread for long and others that come and go; 20 has one thread. */
static Pair pair_with_processes(void) {
        Pair p = pair_new();

        counts_set(&add_cgroup(p.before, "/a", 7, 0)->counts, CGROUP_USAGE_USEC, 100);
        add_thread(p.before, 10, 1, 1000, 5);
        add_thread(p.before, 12, 3, 400, 1)->pid = 10; /* dies */
        add_thread(p.before, 20, 2, 7000, 1);
        counts_set(&add_cgroup(p.after, "/a", 7, 0)->counts, CGROUP_USAGE_USEC, 106);
        add_thread(p.after, 10, 1, 1600, 9);
        add_thread(p.after, 13, 9, 300, 1)->pid = 10; /* is born */
        add_thread(p.after, 20, 2, 7050, 1);
        return p;
}

static void test_threads_not_seen(void **state) {
        static const struct {
                uint64_t before, after; /* of process 10 */
                int64_t told;           /* by so much was it told otherwise after */
                uint64_t run;
        } table[] = {
                {9000, 14000, 0, 5050},     /* 5,000 less the 600 seen, and 650 seen in all */
                {9000, 14000, -4000, 5050}, /* the ends of lives were not told */
                {9000, 14000, 1000, 5050},  /* not read at one moment */
                {9000, 14000, 9000, 650},   /* a thread that dies was told twice */
                {9000, 14000, -5001, 650},  /* and now it is not any more */
                {9000, 9600, 0, 650},       /* nobody came or went */
                {9000, 9590, 0, 650},       /* the files are read one after the other */
                {9000, 8999, 0, 650},       /* it went back */
        };

        for (size_t i = 0; i < ELEMENTSOF(table); i++) {
                _cleanup_pair_ Pair p = pair_with_processes();
                add_process(p.before, 10, 1, table[i].before);
                add_process(p.before, 20, 2, 7001);
                ProcessSample *after = add_process(p.after, 10, 1, table[i].after);
                after->told_nsec += (uint64_t) table[i].told;
                add_process(p.after, 20, 2, 7051);

                const CgroupDelta *c = compare(&p, 1);
                assert_false(c->reset);
                assert_int_equal(c->threads.value[THREAD_RUN_NSEC], table[i].run);
                assert_int_equal(c->threads.value[THREAD_SEEN_RUN_NSEC], 650);
                assert_int_equal(c->threads.value[THREAD_MIGRATIONS], 4);
                assert_int_equal(c->n_threads, 2);
        }
}

/* Only of a process that was asked about both times, and is the same one. */
static void test_process_must_be_in_both(void **state) {
        _cleanup_pair_ Pair p = pair_with_processes();
        add_process(p.before, 10, 77, 9000);
        add_process(p.after, 10, 1, 14000);
        add_process(p.after, 20, 2, 99999);
        assert_int_equal(compare(&p, 1)->threads.value[THREAD_RUN_NSEC], 650);

        _cleanup_pair_ Pair q = pair_with_processes();
        add_process(q.before, 20, 2, 7000);
        add_process(q.after, 20, 2, 7060);
        assert_int_equal(compare(&q, 1)->threads.value[THREAD_RUN_NSEC], 660);
}

static void test_another_program(void **state) {
        _cleanup_pair_ Pair p = pair_with_processes();
        add_process(p.before, 10, 1, 9000);
        add_process(p.after, 10, 1, 14000)->anew = true;
        p.after->threads[0].anew = true;
        const CgroupDelta *c = compare(&p, 1);
        assert_int_equal(c->threads.value[THREAD_RUN_NSEC], 50);
        assert_int_equal(p.delta->threads[c->first_thread].counts.have, 0);
        assert_false(c->reset);

        /* Nobody else stayed. */
        _cleanup_pair_ Pair q = pair_with_processes();
        q.after->threads[0].anew = q.after->threads[2].anew = true;
        c = compare(&q, 1);
        assert_true(c->reset);
        assert_int_equal(c->threads.have, 0);
        assert_int_equal(c->counts.value[CGROUP_USAGE_USEC], 6);
}

static void add_cpu(Snapshot *s, unsigned cpu, uint64_t delay, uint64_t run) {
        assert_int_equal(ARRAY_RESERVE(s->cpus, s->allocated_cpus, s->n_cpus + 1), 0);
        CpuSample *c = &s->cpus[s->n_cpus++];
        *c = (CpuSample){.cpu = cpu};
        counts_set(&c->counts, CPU_DELAY_NSEC, delay);
        counts_set(&c->counts, CPU_RUN_NSEC, run);
}

static void test_cpus(void **state) {
        _cleanup_pair_ Pair p = pair_new();

        add_cpu(p.before, 0, 10, 100);
        add_cpu(p.before, 1, 500, 100); /* goes off line and on again: its counter falls while others rise */
        add_cpu(p.before, 2, 10, 100);  /* goes off line */
        add_cpu(p.after, 0, 15, 120);
        add_cpu(p.after, 1, 3, 130);
        add_cpu(p.after, 3, 10, 100); /* comes on line */

        compare(&p, 0);
        assert_int_equal(p.delta->n_cpus, 2);
        assert_int_equal(p.delta->cpus[0].cpu, 0);
        assert_int_equal(p.delta->cpus[0].counts.value[CPU_DELAY_NSEC], 5);
        assert_int_equal(p.delta->cpus[1].cpu, 1);
        assert_false(counts_has(&p.delta->cpus[1].counts, CPU_DELAY_NSEC));
        assert_int_equal(p.delta->cpus[1].counts.value[CPU_RUN_NSEC], 30);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_clock_must_move),
                cmocka_unit_test(test_sums),
                cmocka_unit_test(test_threads_come_and_go),
                cmocka_unit_test(test_thread_that_moves_starts_anew),
                cmocka_unit_test(test_counter_went_back),
                cmocka_unit_test(test_thread_counter_went_back),
                cmocka_unit_test(test_recreated_cgroup),
                cmocka_unit_test(test_threads_not_read_in_both),
                cmocka_unit_test(test_throttled_with_ancestors),
                cmocka_unit_test(test_throttled_unknown),
                cmocka_unit_test(test_wait_max_rose),
                cmocka_unit_test(test_what_is_older_is_dropped),
                cmocka_unit_test(test_threads_not_seen),
                cmocka_unit_test(test_process_must_be_in_both),
                cmocka_unit_test(test_another_program),
                cmocka_unit_test(test_cpus),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
