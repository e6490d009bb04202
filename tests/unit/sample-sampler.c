/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Snapshots of folders that look like a machine, made for each test and taken away again. */

#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "fake-process-events.h"
#include "fake-taskstats.h"
#include "io/file.h"
#include "io/log.h"
#include "model/delta.h"
#include "model/plan.h"
#include "sample/sampler.h"

#define SVC "sys/fs/cgroup/system.slice/svc.service"
#define RULER "-------------------------------------------------------------------\n"
#define STAT(name, start, cpu)                                                                                         \
        "7 (" name ") S 1 308 308 0 -1 4194560 186 0 1 0 3 6 0 0 20 0 1 0 " start                                      \
        " 2555904 361 1 1 1 1 0 0 0 0 4097 16386 1 0 0 17 " cpu " 0 0 0 0 0 1 1 1 1 1 1 1 0\n"
#define SCHED(switches, migrations)                                                                                    \
        "x (7, #threads: 1)\n" RULER "se.nr_migrations : " migrations "\nwait_max : 1.500000\nnr_switches : " switches \
        "\nnr_voluntary_switches : 3\nnr_involuntary_switches : 1\n"

static char root[64];

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw) {
        return remove(path);
}

static void put(const char *path, const char *text) {
        char full[512];

        (void) snprintf(full, sizeof(full), "%s/%s", root, path);
        for (char *p = full + strlen(root) + 1; (p = strchr(p, '/')); *p++ = '/') {
                *p = '\0';
                assert_true(mkdir(full, 0700) == 0 || errno == EEXIST);
        }
        _cleanup_fclose_ FILE *f = fopen(full, "we");
        assert_non_null(f);
        assert_int_equal(fwrite(text, 1, strlen(text), f), strlen(text));
}

static void drop(const char *path) {
        char full[512];

        (void) snprintf(full, sizeof(full), "%s/%s", root, path);
        assert_int_equal(remove(full), 0);
}

static void put_thread(const char *pid, const char *tid, const char *schedstat, const char *stat, const char *sched) {
        static const char *const names[] = {"schedstat", "stat", "sched"};
        const char *const texts[] = {schedstat, stat, sched};
        char path[128];

        for (size_t i = 0; i < ELEMENTSOF(names); i++) {
                (void) snprintf(path, sizeof(path), "proc/%s/task/%s/%s", pid, tid, names[i]);
                if (texts[i])
                        put(path, texts[i]);
        }
}

static void put_machine(void) {
        put("proc/stat", "cpu  3 0 0 9 0 0 0 0\ncpu0 1 0 2 4 1 0 0 0 0 0\ncpu1 1 0 0 4 0 0 0 2 0 0\n");
        put("proc/schedstat", "version 16\ntimestamp 1\ncpu0 0 0 1 2 3 4 500 600 7\ncpu1 0 0 1 2 3 4 501 601 8\n");
        put("proc/pressure/cpu", "some avg10=0.00 avg60=0.00 avg300=0.00 total=5\n");
        put("proc/sys/kernel/sched_schedstats", "1\n");
        put("sys/devices/system/cpu/online", "0-1\n");
        put("sys/fs/cgroup/cgroup.controllers", "cpuset cpu io memory pids\n");
        put("sys/fs/cgroup/cgroup.subtree_control", "cpuset cpu memory pids\n");
        put("sys/fs/cgroup/cpu.stat", "usage_usec 1000\n");
        put("sys/fs/cgroup/cpuset.cpus.effective", "0-1\n");
        put("sys/fs/cgroup/cgroup.procs", "2\n");
        put_thread("2", "2", "10 20 3\n",
                   "2 (kthreadd) S 0 0 0 0 -1 2129984 0 0 0 0 0 1 0 0 20 0 1 0 104 0 0 1 0 0 0 0 0 0 0 1 0 0 0 0 0 1 "
                   "0 0 0 0 0 0 0 0 0 0 0 0 0\n",
                   SCHED("4", "1"));
        put("sys/fs/cgroup/system.slice/cgroup.subtree_control", "memory pids\n");
        put("sys/fs/cgroup/system.slice/cpu.stat", "usage_usec 900\nnr_periods 5\nnr_throttled 1\nthrottled_usec 77\n");
        put("sys/fs/cgroup/system.slice/cpu.pressure", "some avg10=0.00 avg60=0.00 avg300=0.00 total=66\n");
        put("sys/fs/cgroup/system.slice/cpu.weight", "200\n");
        put("sys/fs/cgroup/system.slice/cpu.idle", "0\n");
        put("sys/fs/cgroup/system.slice/cpu.max", "50000 100000\n");
        put("sys/fs/cgroup/system.slice/cpuset.cpus", "\n");
        put("sys/fs/cgroup/system.slice/cpuset.cpus.effective", "0-1\n");
        put("sys/fs/cgroup/system.slice/cpuset.cpus.partition", "member\n");
        put("sys/fs/cgroup/system.slice/cgroup.procs", "");
        put(SVC "/cpu.stat", "usage_usec 800\n");
        put(SVC "/cgroup.procs", "308\n7\n");
        put_thread("7", "7", "100 200 3\n", STAT("a) R 1 (b", "1417", "0"), SCHED("4", "2"));
        put_thread("7", "9", "110 210 3\n", STAT("worker", "1418", "1"), SCHED("5", "3"));
        put_thread("308", "308", "120 220 3\n", STAT("b", "1419", "1"), SCHED("6", "4"));
}

static int setup(void **state) {
        log_set_level(LOG_ERR);
        (void) snprintf(root, sizeof(root), "/tmp/placerd-sampler.XXXXXX");
        return mkdtemp(root) ? 0 : -1;
}

static int teardown(void **state) {
        return nftw(root, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static SampleWant want_all(const Snapshot *s, size_t cgroup, void *userdata) {
        return SAMPLE_BOTH;
}

static Sampler *start(void) {
        _cleanup_close_ int fd = dir_open(AT_FDCWD, root);
        Sampler *s = NULL;
        char *why = NULL;

        int r = sampler_new(fd, &s, &why);
        if (r < 0)
                fail_msg("%d: %s", r, why);
        return s;
}

static Snapshot *take_after(Sampler *s, const Snapshot *before, usec_t now) {
        Snapshot *snapshot = NULL;
        assert_int_equal(sampler_take(s, now, before, want_all, NULL, &snapshot), 0);
        assert_int_equal(snapshot->monotonic_usec, now);
        return snapshot;
}

static Snapshot *take(Sampler *s, usec_t now) {
        return take_after(s, NULL, now);
}

static void test_machine(void **state) {
        put_machine();
        _cleanup_(sampler_freep) Sampler *s = start();
        _cleanup_snapshot_ Snapshot *n = take(s, 5);

        assert_int_equal(n->n_cpus, 2);
        assert_int_equal(n->cpus[0].counts.value[CPU_IDLE_TICKS], 5);
        assert_int_equal(n->cpus[1].counts.value[CPU_STEAL_TICKS], 2);
        assert_int_equal(n->cpus[1].counts.value[CPU_DELAY_NSEC], 601);
        assert_int_equal(cpuset_count(n->online), 2);
        assert_true(n->schedstats_known && n->schedstats_on && n->psi);
        assert_null(n->foreign_scheduler);
}

static void test_cgroups(void **state) {
        put_machine();
        _cleanup_(sampler_freep) Sampler *s = start();
        _cleanup_snapshot_ Snapshot *n = take(s, 5);

        assert_int_equal(n->n_cgroups, 3);
        assert_string_equal(n->cgroups[0].path, "/");
        assert_string_equal(n->cgroups[1].path, "/system.slice");
        assert_string_equal(n->cgroups[2].path, "/system.slice/svc.service");
        assert_true(n->cgroups[0].parent == CGROUP_NONE);
        assert_int_equal(n->cgroups[2].parent, 1);
        assert_false(n->cgroups[1].leaf);
        assert_true(n->cgroups[2].leaf);
        assert_int_equal(n->cgroups[0].id, 0);

        const CgroupSample *slice = &n->cgroups[1];
        assert_int_equal(slice->have, CGROUP_HAVE_WEIGHT | CGROUP_HAVE_IDLE | CGROUP_HAVE_MAX |
                                              CGROUP_HAVE_CONTROLLERS | CGROUP_HAVE_THREADS);
        assert_int_equal(slice->weight, 200);
        assert_false(slice->idle);
        assert_int_equal(slice->quota_usec, 50000);
        assert_int_equal(slice->subtree_control, CONTROLLER_MEMORY);
        assert_int_equal(slice->counts.value[CGROUP_THROTTLED_USEC], 77);
        assert_int_equal(slice->counts.value[CGROUP_SOME_USEC], 66);
        assert_false(counts_has(&slice->counts, CGROUP_FULL_USEC));
        /* Empty is "inherit", not "no CPUs" and not "absent". */
        assert_non_null(slice->cpus);
        assert_true(cpuset_empty(slice->cpus));
        assert_int_equal(cpuset_count(slice->effective), 2);
        assert_int_equal(slice->partition, PARTITION_MEMBER);

        const CgroupSample *svc = &n->cgroups[2];
        assert_int_equal(svc->have, CGROUP_HAVE_THREADS);
        assert_null(svc->cpus);
        assert_null(svc->effective);
        assert_int_equal(svc->partition, PARTITION_ABSENT);
        assert_int_equal(svc->counts.have, 1U << CGROUP_USAGE_USEC);
        assert_ptr_equal(snapshot_allowed(n, 2), slice->effective);
}

static void test_threads(void **state) {
        put_machine();
        _cleanup_(sampler_freep) Sampler *s = start();
        _cleanup_snapshot_ Snapshot *n = take(s, 5);

        assert_int_equal(n->n_threads, 4);
        assert_true(n->threads[0].kernel);
        const CgroupSample *svc = &n->cgroups[2];
        assert_int_equal(svc->n_threads, 3);
        const ThreadSample *t = &n->threads[svc->first_thread];
        assert_int_equal(t[0].tid, 7);
        assert_int_equal(t[1].tid, 9);
        assert_int_equal(t[1].pid, 7);
        assert_int_equal(t[2].tid, 308);
        assert_int_equal(t[2].cgroup, 2);
        assert_int_equal(t[0].start_ticks, 1417);
        assert_int_equal(t[1].last_cpu, 1);
        assert_int_equal(t[1].counts.value[THREAD_DELAY_NSEC], 210);
        assert_int_equal(t[1].counts.value[THREAD_MIGRATIONS], 3);
        assert_int_equal(t[1].counts.value[THREAD_SWITCHES], 5);
        assert_false(counts_has(&t[1].counts, THREAD_WAKEUPS));
        assert_true(t[1].wait_max_known);
        assert_int_equal(t[1].wait_max_nsec, 1500000);
        assert_false(t[0].kernel);
}

static SampleWant want_none(const Snapshot *s, size_t cgroup, void *userdata) {
        assert_non_null(s->cgroups[cgroup].path);
        (*(unsigned *) userdata)++;
        return SAMPLE_CGROUP;
}

static SampleWant want_threads(const Snapshot *s, size_t cgroup, void *userdata) {
        return SAMPLE_THREADS;
}

static void test_threads_stand_for_cpu_stat(void **state) {
        put_machine();
        _cleanup_(sampler_freep) Sampler *s = start();
        _cleanup_snapshot_ Snapshot *n = NULL;
        assert_int_equal(sampler_take(s, 5, NULL, want_threads, NULL, &n), 0);
        assert_int_equal(n->cgroups[2].n_threads, 3);
        assert_false(counts_has(&n->cgroups[2].counts, CGROUP_USAGE_USEC));
}

static void test_unwanted_threads_are_not_read(void **state) {
        unsigned asked = 0;

        put_machine();
        _cleanup_(sampler_freep) Sampler *s = start();
        _cleanup_snapshot_ Snapshot *n = NULL;
        assert_int_equal(sampler_take(s, 5, NULL, want_none, &asked, &n), 0);
        assert_int_equal(asked, 3);
        assert_int_equal(n->n_threads, 0);
        assert_false(n->cgroups[2].have & CGROUP_HAVE_THREADS);
}

static void test_exits_in_mid_scan(void **state) {
        put_machine();
        /* Listed, but gone; files of zero bytes; a leader in state Z with live threads; stat cut short. */
        put(SVC "/cgroup.procs", "308\n7\n7\n400\n401\n402\n0\n");
        put_thread("401", "401", "", "", "");
        put_thread("402", "402", "1 1 1\n", "402 (a) S 1 2", SCHED("1", "1"));
        put_thread("7", "7", "100 200 3\n",
                   "7 (a) Z 1 308 308 0 -1 4194560 186 0 1 0 3 6 0 0 20 0 1 0 1417 0 0 1 0 0 0 0 0 0 0 1 0 0 0 0 0 1 0 "
                   "0\n",
                   SCHED("4", "2"));
        _cleanup_(sampler_freep) Sampler *s = start();
        _cleanup_snapshot_ Snapshot *n = take(s, 5);

        const CgroupSample *svc = &n->cgroups[2];
        assert_int_equal(svc->n_threads, 3);
        const pid_t want[] = {7, 9, 308};
        for (size_t i = 0; i < ELEMENTSOF(want); i++)
                assert_int_equal(n->threads[svc->first_thread + i].tid, want[i]);
}

static void test_vanished_cgroup(void **state) {
        put_machine();
        drop(SVC "/cpu.stat");
        _cleanup_(sampler_freep) Sampler *s = start();
        _cleanup_snapshot_ Snapshot *n = take(s, 5);

        assert_int_equal(n->n_cgroups, 2);
        assert_int_equal(n->n_threads, 1);
        assert_true(snapshot_find(n, "/system.slice/svc.service") == CGROUP_NONE);
}

static void test_nothing_optional(void **state) {
        put_machine();
        drop("proc/pressure/cpu");
        drop("proc/schedstat");
        drop("proc/sys/kernel/sched_schedstats");
        drop("sys/devices/system/cpu/online");
        drop("sys/fs/cgroup/system.slice/cpu.pressure");
        drop("sys/fs/cgroup/system.slice/cpuset.cpus.effective");
        _cleanup_(sampler_freep) Sampler *s = start();
        _cleanup_snapshot_ Snapshot *n = take(s, 5);

        assert_false(n->psi || n->schedstats_known);
        assert_false(counts_has(&n->cpus[0].counts, CPU_RUN_NSEC));
        assert_int_equal(cpuset_count(n->online), 2); /* by /proc/stat */
        assert_false(counts_has(&n->cgroups[1].counts, CGROUP_SOME_USEC));
        assert_null(n->cgroups[1].effective);
}

static void test_no_sched_file(void **state) {
        static const char *const sched[] = {"proc/2/task/2/sched", "proc/7/task/7/sched", "proc/7/task/9/sched",
                                            "proc/308/task/308/sched"};

        put_machine();
        for (size_t i = 0; i < ELEMENTSOF(sched); i++)
                drop(sched[i]);
        put("proc/2/task/2/status", "voluntary_ctxt_switches:\t1\nnonvoluntary_ctxt_switches:\t1\n");
        put("proc/7/task/7/status", "voluntary_ctxt_switches:\t10\nnonvoluntary_ctxt_switches:\t2\n");
        put("proc/7/task/9/status", "voluntary_ctxt_switches:\t20\nnonvoluntary_ctxt_switches:\t2\n");
        _cleanup_(sampler_freep) Sampler *s = start();
        _cleanup_snapshot_ Snapshot *n = take(s, 5);

        /* 308 has neither: it has gone. */
        const CgroupSample *svc = &n->cgroups[2];
        assert_int_equal(svc->n_threads, 2);
        const ThreadSample *t = &n->threads[svc->first_thread];
        assert_int_equal(t[1].counts.value[THREAD_SWITCHES], 22);
        assert_int_equal(t[1].counts.value[THREAD_VOLUNTARY], 20);
        assert_false(counts_has(&t[1].counts, THREAD_MIGRATIONS));
        assert_false(t[1].wait_max_known);
}

static void test_sleeping_thread_is_not_read_again(void **state) {
        put_machine();
        _cleanup_(sampler_freep) Sampler *s = start();
        _cleanup_snapshot_ Snapshot *first = take(s, 5);
        /* 7 has not run: what its other files say does not matter. 9 has. */
        put("proc/7/task/7/stat", STAT("a", "1417", "1"));
        put("proc/7/task/9/stat", STAT("a", "1418", "0"));
        put("proc/7/task/9/schedstat", "111 210 3\n");
        put("proc/7/task/9/sched", SCHED("9", "8"));
        put(SVC "/cpu.stat", "usage_usec 801\n");
        _cleanup_snapshot_ Snapshot *second = take_after(s, first, 6);

        const ThreadSample *t = &second->threads[second->cgroups[2].first_thread];
        assert_int_equal(second->cgroups[2].n_threads, 3);
        assert_int_equal(t[0].last_cpu, 0);
        assert_int_equal(t[0].counts.value[THREAD_SWITCHES], 4);
        assert_int_equal(t[1].last_cpu, 0);
        assert_int_equal(t[1].counts.value[THREAD_SWITCHES], 9);
        assert_int_equal(t[1].counts.value[THREAD_MIGRATIONS], 8);
}

/* Nothing of the group ran: its threads and files are as they were, whatever they say; but not for ever. */
static void test_resting_cgroup_is_not_read_again(void **state) {
        put_machine();
        put(SVC "/cpu.stat", "usage_usec 800\n");
        _cleanup_(sampler_freep) Sampler *s = start();
        _cleanup_snapshot_ Snapshot *n = take(s, 5);
        put(SVC "/cpu.pressure", "some avg10=0.00 avg60=0.00 avg300=0.00 total=999999\n");
        put("proc/7/task/9/schedstat", "111 210 3\n");

        unsigned rested = 0;
        for (usec_t now = 6; now < 26; now++) {
                Snapshot *next = NULL;
                assert_int_equal(sampler_take(s, now, n, want_threads, NULL, &next), 0);
                snapshot_free(n);
                n = next;
                assert_int_equal(n->cgroups[2].n_threads, 3);
                rested += n->cgroups[2].counts.value[CGROUP_SOME_USEC] != 999999;
        }
        assert_true(rested < 10);
        assert_int_equal(n->cgroups[2].counts.value[CGROUP_SOME_USEC], 999999);
        assert_int_equal(n->threads[n->cgroups[2].first_thread + 1].counts.value[THREAD_RUN_NSEC], 111);
}

/* Its place among the cgroups moves along with the ticks as groups before it end: it is read anew all the same. */
static void test_resting_cgroup_that_moves(void **state) {
        char path[128];

        put_machine();
        put(SVC "/cpu.pressure", "some avg10=0.00 avg60=0.00 avg300=0.00 total=5\n");
        for (unsigned i = 0; i < 16; i++) {
                (void) snprintf(path, sizeof(path), "sys/fs/cgroup/system.slice/a%02u.service/cpu.stat", i);
                put(path, "usage_usec 1\n");
        }
        _cleanup_(sampler_freep) Sampler *s = start();
        _cleanup_snapshot_ Snapshot *n = take(s, 5);
        unsigned rested = 0;

        for (unsigned i = 0; i < 16; i++) {
                if (i == 2)
                        put(SVC "/cpu.stat", "usage_usec 900\n");
                Snapshot *next = take_after(s, n, 6 + i);
                snapshot_free(n);
                n = next;
                const CgroupSample *svc = &n->cgroups[snapshot_find(n, "/system.slice/svc.service")];
                if (i >= 2)
                        rested += svc->counts.value[CGROUP_USAGE_USEC] != 900;
                (void) snprintf(path, sizeof(path), "sys/fs/cgroup/system.slice/a%02u.service/cpu.stat", i);
                drop(path);
                *strrchr(path, '/') = '\0';
                drop(path);
        }
        assert_true(rested < 10);
}

/* What is known of a group that rests is enough only for what was wanted then. */
static void test_resting_cgroup_of_which_more_is_wanted(void **state) {
        static const sampler_wants_t wants[] = {want_threads, want_none, want_threads, want_all};
        unsigned asked = 0;

        put_machine();
        put(SVC "/cpu.pressure", "some avg10=0.00 avg60=0.00 avg300=0.00 total=5\n");
        _cleanup_(sampler_freep) Sampler *s = start();
        _cleanup_snapshot_ Snapshot *n = NULL;
        for (usec_t now = 5; now < 45; now++) {
                sampler_wants_t want = wants[(now / 5) % ELEMENTSOF(wants)];
                Snapshot *next = NULL;
                assert_int_equal(sampler_take(s, now, n, want, &asked, &next), 0);
                snapshot_free(n);
                n = next;
                assert_int_equal(n->cgroups[2].n_threads, want == want_none ? 0 : 3);
                if (want != want_threads)
                        assert_true(counts_has(&n->cgroups[2].counts, CGROUP_USAGE_USEC));
        }
}

static void test_threaded_cgroup(void **state) {
        put_machine();
        /* Process 7 lives in a threaded subtree, its thread 9 in a child of it. */
        put(SVC "/cgroup.type", "domain threaded\n");
        put(SVC "/cgroup.threads", "7\n308\n");
        put(SVC "/child/cgroup.threads", "9\n");
        put(SVC "/child/cpu.stat", "usage_usec 5\n");
        put_thread("9", "9", "110 210 3\n", STAT("worker", "1418", "1"), SCHED("5", "3"));
        _cleanup_(sampler_freep) Sampler *s = start();
        _cleanup_snapshot_ Snapshot *n = take(s, 5);

        assert_int_equal(n->n_cgroups, 4);
        assert_int_equal(n->cgroups[2].n_threads, 2);
        assert_int_equal(n->cgroups[3].n_threads, 1);
        assert_int_equal(n->threads[n->cgroups[3].first_thread].tid, 9);
}

static void use_taskstats(Sampler *s) {
        const FakeTaskstats f = {.version = 13, .len = 416, .run = 5 * NSEC_PER_SEC, .delay = 80, .slices = 9};
        Taskstats *t = NULL;

        assert_int_equal(taskstats_new(fake_taskstats_socket(&f), &t), 0);
        assert_null(taskstats_off(t));
        sampler_set_kernel(s, t, NULL);
}

static void replace(Snapshot **old, Snapshot *new) {
        snapshot_free(*old);
        *old = new;
}

/* Half a second of CPU time, of which the threads that are there had next to nothing. */
static void test_sums_of_processes(void **state) {
        put_machine();
        _cleanup_(sampler_freep) Sampler *s = start();
        use_taskstats(s);
        _cleanup_snapshot_ Snapshot *n = take(s, USEC_PER_SEC);
        assert_int_equal(n->n_processes, 0); /* nothing to tell by */

        put(SVC "/cpu.stat", "usage_usec 500800\n");
        put("proc/7/task/9/schedstat", "1000110 210 3\n");
        replace(&n, take_after(s, n, 2 * USEC_PER_SEC));
        const CgroupSample *svc = &n->cgroups[2];
        assert_int_equal(svc->n_processes, 2);
        const ProcessSample *p = &n->processes[svc->first_process];
        assert_int_equal(p[0].pid, 7);
        assert_int_equal(p[0].start_ticks, 1417);
        assert_int_equal(p[1].pid, 308);
        assert_int_equal(p[1].counts.value[THREAD_RUN_NSEC], 5 * NSEC_PER_SEC);
        assert_int_equal(n->cgroups[0].n_processes + n->cgroups[1].n_processes, 0);

        /* The two rose by 0.2 s each. Now that they are asked about, they are for a while. */
        put(SVC "/cpu.stat", "usage_usec 1000800\n");
        fake_taskstats.run += NSEC_PER_SEC / 5;
        _cleanup_snapshot_ Snapshot *last = take_after(s, n, 3 * USEC_PER_SEC);
        _cleanup_delta_ Delta *d = NULL;
        assert_int_equal(delta_new(n, last, &d), 0);
        assert_int_equal(d->cgroups[2].threads.value[THREAD_RUN_NSEC], NSEC_PER_SEC / 5 * 2);
        assert_int_equal(d->cgroups[2].threads.value[THREAD_SEEN_RUN_NSEC], 0);
        replace(&n, take_after(s, last, 4 * USEC_PER_SEC));
        assert_int_equal(n->cgroups[2].n_processes, 2);

        for (usec_t now = 5; now < 70; now++)
                replace(&n, take_after(s, n, now * USEC_PER_SEC));
        assert_int_equal(n->n_processes, 0);
}

/* Threads that do nearly all, next to nothing, and processes that may be elsewhere too. */
static void test_sums_are_not_asked_for(void **state) {
        static const struct {
                const char *usage, *run, *type;
                size_t asked;
        } table[] = {
                {"usage_usec 500800\n", "460000110 210 3\n", "domain\n", 0},
                {"usage_usec 9000\n", "110 210 3\n", "domain\n", 0},
                {"usage_usec 500800\n", "110 210 3\n", "domain threaded\n", 0},
                {"usage_usec 500800\n", "110 210 3\n", "domain\n", 2},
        };

        for (size_t i = 0; i < ELEMENTSOF(table); i++) {
                put_machine();
                put(SVC "/cgroup.type", table[i].type);
                put(SVC "/cgroup.threads", "7\n9\n308\n");
                put(SVC "/child/cpu.stat", "usage_usec 5\n"); /* only a group with children is looked at */
                put(SVC "/cpu.max", "100000 100000\n");       /* then cpu.stat is read of it all the same */
                put("sys/fs/cgroup/system.slice/cgroup.subtree_control", "cpu\n");
                put_thread("9", "9", "110 210 3\n", STAT("worker", "1418", "1"), SCHED("5", "3"));
                _cleanup_(sampler_freep) Sampler *s = start();
                use_taskstats(s);
                _cleanup_snapshot_ Snapshot *n = take(s, USEC_PER_SEC);
                put(SVC "/cpu.stat", table[i].usage);
                put("proc/7/task/9/schedstat", table[i].run);
                replace(&n, take_after(s, n, 2 * USEC_PER_SEC));
                assert_int_equal(n->n_processes, table[i].asked);
        }
}

static void take_threads(Sampler *s, usec_t now, Snapshot **n) {
        Snapshot *next = NULL;

        assert_int_equal(sampler_take(s, now, *n, want_threads, NULL, &next), 0);
        replace(n, next);
}

/* What rests is read anew in the tick in which one of its processes has a new thread, a new program or one thread
 * less; and so is everything when events were lost. */
static void test_resting_cgroup_with_an_event(void **state) {
        static const struct {
                uint32_t what, number[4];
                bool read, anew;
        } table[] = {
                {PROC_EVENT_FORK, {1, 1, 11, 7}, true, false},     {PROC_EVENT_EXEC, {7, 7, 0, 0}, true, true},
                {PROC_EVENT_EXIT, {9, 7, 0, 0}, true, false},      {PROC_EVENT_COMM, {7, 7, 0, 0}, false, false},
                {PROC_EVENT_FORK, {77, 77, 78, 78}, false, false}, {0, {}, true, false}, /* lost */
        };

        for (size_t i = 0; i < ELEMENTSOF(table); i++) {
                const uint32_t *number = table[i].number;
                ProcessEvents *e = NULL;
                put_machine();
                put(SVC "/cpu.pressure", "some avg10=0.00 avg60=0.00 avg300=0.00 total=5\n");
                _cleanup_(sampler_freep) Sampler *s = start();
                assert_int_equal(process_events_new(fake_events_socket(0), &e), 0);
                sampler_set_kernel(s, NULL, e);
                _cleanup_snapshot_ Snapshot *n = take(s, 5);
                for (usec_t now = 6; now < 40 && n->cgroups[2].carried != 1; now++)
                        take_threads(s, now, &n);
                assert_int_equal(n->cgroups[2].carried, 1);

                put_thread("7", "11", "10 20 3\n", STAT("new", "1500", "1"), SCHED("1", "1"));
                put("proc/7/task/9/schedstat", "111 210 3\n");
                if (table[i].what != 0)
                        fake_put_event(table[i].what, number[0], number[1], number[2], number[3]);
                else
                        fake_put_failure(-NLE_NOMEM);
                take_threads(s, 100, &n);
                const CgroupSample *svc = &n->cgroups[2];
                assert_int_equal(svc->carried, table[i].read ? 0 : 2);
                assert_int_equal(svc->n_threads, table[i].read ? 4 : 3);
                assert_int_equal(n->threads[svc->first_thread + 1].anew, table[i].anew);
                drop("proc/7/task/11/schedstat");
                drop("proc/7/task/11/stat");
                drop("proc/7/task/11/sched");
                drop("proc/7/task/11");
        }
}

static void assert_source(const Sampler *s, SourceKind kind, const char *name, const char *why) {
        Source sources[_SOURCE_MAX];

        sampler_sources(s, sources);
        assert_string_equal(sources[kind].name, name);
        if (why)
                assert_non_null(strstr(sources[kind].why, why));
        else
                assert_null(sources[kind].why);
}

static void test_sources(void **state) {
        put_machine();
        _cleanup_(sampler_freep) Sampler *s = start();
        snapshot_free(take(s, 5));
        assert_source(s, SOURCE_CGROUP2, "cgroup2", NULL);
        assert_source(s, SOURCE_PSI, "psi", NULL);
        assert_source(s, SOURCE_SCHEDSTAT, "schedstat", NULL);
        assert_source(s, SOURCE_SCHED_SCHEDSTATS, "sched_schedstats", NULL);
        assert_source(s, SOURCE_TASKSTATS, "taskstats", "recording");
        assert_source(s, SOURCE_PROCESS_EVENTS, "process-events", "recording");

        drop("proc/pressure/cpu");
        drop("proc/schedstat");
        put("proc/sys/kernel/sched_schedstats", "0\n");
        use_taskstats(s);
        snapshot_free(take(s, 6));
        assert_source(s, SOURCE_PSI, "psi", "psi=1");
        assert_source(s, SOURCE_SCHEDSTAT, "schedstat", "/proc/schedstat");
        assert_source(s, SOURCE_SCHED_SCHEDSTATS, "sched_schedstats", "is 0");
        assert_source(s, SOURCE_TASKSTATS, "taskstats", NULL);
}

static void test_foreign_scheduler(void **state) {
        put_machine();
        put("sys/kernel/sched_ext/state", "enabled\n");
        put("sys/kernel/sched_ext/root/ops", "lavd\n");
        _cleanup_(sampler_freep) Sampler *s = start();
        _cleanup_snapshot_ Snapshot *n = take(s, 5);
        assert_string_equal(n->foreign_scheduler, "lavd");

        put("sys/kernel/sched_ext/state", "disabled\n");
        _cleanup_snapshot_ Snapshot *after = take(s, 6);
        assert_null(after->foreign_scheduler);
}

static void test_masks(void **state) {
        ThreadMask *masks = NULL;
        size_t n = 0;

        put_machine();
        put("proc/7/task/7/status", "Cpus_allowed_list:\t0-1\n");
        put("proc/7/task/9/status", "Cpus_allowed_list:\t1\n");
        put("proc/308/task/308/status", "Cpus_allowed_list:\t5-3\n"); /* damaged: left out */
        _cleanup_(sampler_freep) Sampler *s = start();
        assert_int_equal(sampler_masks(s, "/gone", false, &masks, &n), -ENOENT);
        assert_int_equal(sampler_masks(s, "/system.slice", false, &masks, &n), 0);
        assert_int_equal(n, 0);
        free(masks);
        assert_int_equal(sampler_masks(s, "/system.slice", true, &masks, &n), 0);
        assert_int_equal(n, 2);
        for (size_t i = 0; i < n; i++) {
                assert_int_equal(masks[i].pid, 7);
                assert_int_equal(cpuset_count(masks[i].cpus), masks[i].tid == 7 ? 2 : 1);
                assert_int_equal(masks[i].start_ticks, masks[i].tid == 7 ? 1417 : 1418);
                cpuset_free(masks[i].cpus);
        }
        free(masks);
}

static void test_refused(void **state) {
        static const struct {
                const char *mountinfo; /* NULL: the file is not there */
                const char *controllers, *cpu_stat;
                int r;
                const char *why;
        } table[] = {
                {"1 2 0:3 / /sys/fs/cgroup/cpu rw - cgroup c rw,cpu\n", "cpu cpuset\n", "usage_usec 1\n", -ENOENT,
                 "cgroup v1 only"},
                {"1 2 0:3 / / rw - ext4 c rw\n", "cpu cpuset\n", "usage_usec 1\n", -ENOENT, "No cgroup2"},
                {"1 2 0:3 / /sys/fs/cgroup rw - cgroup2 c rw\n1 2 0:3 / /c rw - cgroup c rw,cpuset\n", "cpu cpuset\n",
                 "usage_usec 1\n", -EOPNOTSUPP, "cpuset controller is on cgroup v1"},
                {NULL, "cpuset memory\n", "usage_usec 1\n", -EOPNOTSUPP, "no cpu controller"},
                {NULL, "cpu memory\n", "usage_usec 1\n", -EOPNOTSUPP, "no cpuset controller"},
                {NULL, "cpu cpuset\n", "", -EOPNOTSUPP, "no cpu accounting"},
                {NULL, NULL, "usage_usec 1\n", -ENOENT, "no cgroup2"},
        };

        for (size_t i = 0; i < ELEMENTSOF(table); i++) {
                _cleanup_free_ char *why = NULL;
                Sampler *s = NULL;
                put_machine();
                if (table[i].mountinfo)
                        put("proc/self/mountinfo", table[i].mountinfo);
                else if (i == 3)
                        drop("proc/self/mountinfo");
                if (table[i].controllers)
                        put("sys/fs/cgroup/cgroup.controllers", table[i].controllers);
                else
                        drop("sys/fs/cgroup/cgroup.controllers");
                put("sys/fs/cgroup/cpu.stat", table[i].cpu_stat);

                _cleanup_close_ int fd = dir_open(AT_FDCWD, root);
                assert_int_equal(sampler_new(fd, &s, &why), table[i].r);
                assert_null(s);
                assert_non_null(why);
                assert_non_null(strstr(why, table[i].why));
                assert_null(strchr(why, '\n'));
        }
}

static void use_frame(Sampler **s, const char *name) {
        char path[128];

        (void) snprintf(path, sizeof(path), "%s/%s", root, name);
        _cleanup_close_ int fd = dir_open(AT_FDCWD, path);
        assert_true(fd >= 0);
        if (*s)
                assert_int_equal(sampler_set_root(*s, fd), 0);
        else
                assert_int_equal(sampler_new(fd, s, NULL), 0);
}

static void test_recording(void **state) {
        static const char *const frame[] = {"frames/0000", "frames/0001"};
        char base[32];

        /* Two frames of a recording; what does not change is in the first one only. */
        (void) snprintf(base, sizeof(base), "%.31s", root);
        for (unsigned i = 0; i < 2; i++) {
                (void) snprintf(root, sizeof(root), "%s/frames", base);
                assert_true(mkdir(root, 0700) == 0 || errno == EEXIST);
                (void) snprintf(root, sizeof(root), "%s/%s", base, frame[i]);
                assert_int_equal(mkdir(root, 0700), 0);
                put_machine();
        }
        drop("sys/devices/system/cpu/online");
        put("proc/7/task/7/schedstat", "1100 700 13\n");
        put("proc/7/task/7/sched", SCHED("14", "7"));
        put(SVC "/cpu.stat", "usage_usec 1800\n");
        (void) snprintf(root, sizeof(root), "%s", base);
        put("frames/0000/sys/devices/system/cpu/online", "0-1,5\n");

        _cleanup_(sampler_freep) Sampler *s = NULL;
        use_frame(&s, frame[0]);
        _cleanup_snapshot_ Snapshot *before = take(s, 1000000);
        use_frame(&s, frame[1]);
        _cleanup_snapshot_ Snapshot *after = take(s, 3000000);
        assert_int_equal(cpuset_count(after->online), 3);

        _cleanup_(delta_freep) Delta *d = NULL;
        assert_int_equal(delta_new(before, after, &d), 0);
        const CgroupDelta *svc = &d->cgroups[snapshot_find(after, "/system.slice/svc.service")];
        assert_true(svc->known);
        assert_int_equal(svc->n_threads, 3);
        assert_int_equal(svc->counts.value[CGROUP_USAGE_USEC], 1000);
        assert_int_equal(svc->threads.value[THREAD_RUN_NSEC], 1000);
        assert_int_equal(svc->threads.value[THREAD_DELAY_NSEC], 500);
        assert_int_equal(svc->threads.value[THREAD_SLICES], 10);
        assert_int_equal(svc->threads.value[THREAD_SWITCHES], 10);
        assert_int_equal(svc->threads.value[THREAD_MIGRATIONS], 5);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void) {
        const struct CMUnitTest tests[] = {
                TEST(test_machine),
                TEST(test_cgroups),
                TEST(test_threads),
                TEST(test_unwanted_threads_are_not_read),
                TEST(test_threads_stand_for_cpu_stat),
                TEST(test_exits_in_mid_scan),
                TEST(test_vanished_cgroup),
                TEST(test_nothing_optional),
                TEST(test_no_sched_file),
                TEST(test_sleeping_thread_is_not_read_again),
                TEST(test_resting_cgroup_is_not_read_again),
                TEST(test_resting_cgroup_that_moves),
                TEST(test_resting_cgroup_of_which_more_is_wanted),
                TEST(test_sums_of_processes),
                TEST(test_sums_are_not_asked_for),
                TEST(test_resting_cgroup_with_an_event),
                TEST(test_sources),
                TEST(test_threaded_cgroup),
                TEST(test_foreign_scheduler),
                TEST(test_masks),
                TEST(test_refused),
                TEST(test_recording),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
