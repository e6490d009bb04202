/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Threads of a cgroup: its processes by cgroup.procs, their threads by proc/PID/task. A process's threads are all in
 * its cgroup, except below a threaded one, where cgroup.threads tells them one by one.
 *
 * Threads come and go while they are listed: whatever is missing, the thread is left out and the rest kept. Sums are
 * over proc/PID/task only, never proc/PID/schedstat, so that no process is counted beside its own threads; a leader
 * that has ended (state Z) does not hide the others. Cheap first: schedstat, and the rest only of a thread that has
 * run since the last snapshot; status, the dearest, only where there is no `sched`. */

#include <errno.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "parse/cgroup-files.h"
#include "parse/sched.h"
#include "parse/schedstat.h"
#include "parse/stat.h"
#include "parse/status.h"
#include "sample/sampler-internal.h"

/* proc/PID/task with a single thread: ".", ".." and that one. */
#define LINKS_OF_ONE_THREAD 3

/* Not only bytes that could not be had, but also bytes that make no sense. */
static bool read_stat(Sampler *s, pid_t pid, pid_t tid, ThreadStat *ret) {
        return file_readf(s->proc_fd, &s->buf, "%d/task/%d/stat", pid, tid) >= 0 &&
               thread_stat_parse(s->buf.text, s->buf.len, ret) >= 0;
}

static bool read_status_switches(Sampler *s, ThreadSample *t) {
        if (file_readf(s->proc_fd, &s->buf, "%d/task/%d/status", t->pid, t->tid) < 0)
                return false;
        status_parse_switches(s->buf.text, s->buf.len, &t->counts);
        return true;
}

/* Switches, migrations, wakeups, longest wait. False where the thread has gone. */
static bool read_switches(Sampler *s, ThreadSample *t) {
        int r = -ENOENT;

        if (!s->no_sched)
                r = file_readf(s->proc_fd, &s->buf, "%d/task/%d/sched", t->pid, t->tid);
        if (r >= 0)
                sched_parse(s->buf.text, s->buf.len, &t->counts, &t->wait_max_known, &t->wait_max_nsec);
        if (counts_has(&t->counts, THREAD_SWITCHES))
                return true;
        if (!read_status_switches(s, t))
                return false;
        /* The thread is still there and its `sched` is not: the kernel has none (no CONFIG_SCHED_DEBUG). */
        s->no_sched = s->no_sched || r == -ENOENT;
        return true;
}

static bool has_not_run(const ThreadSample *was, const ThreadSample *is) {
        static const ThreadCount count[] = {THREAD_RUN_NSEC, THREAD_DELAY_NSEC, THREAD_SLICES};

        for (size_t i = 0; i < ELEMENTSOF(count); i++)
                if (!counts_has(&is->counts, count[i]) || !counts_has(&was->counts, count[i]) ||
                    is->counts.value[count[i]] != was->counts.value[count[i]])
                        return false;
        return true;
}

typedef struct Sampling {
        Snapshot *snapshot;
        size_t cgroup;
        const CgroupSample *before;
        size_t n_slept; /* threads that have not run since */
} Sampling;

/* False where the thread is to be left out. */
static bool read_thread(Sampler *s, Sampling *sampling, ThreadSample *t) {
        ThreadStat stat;

        if (file_readf(s->proc_fd, &s->buf, "%d/task/%d/schedstat", t->pid, t->tid) >= 0)
                (void) thread_schedstat_parse(s->buf.text, s->buf.len, &t->counts);
        const ThreadSample *was = before_thread(s, sampling->before, t->tid);
        if (was && was->pid == t->pid && has_not_run(was, t)) {
                size_t index = t->cgroup;
                *t = *was;
                t->cgroup = index;
                t->anew = false;
                sampling->n_slept++;
                return true;
        }
        if (!read_stat(s, t->pid, t->tid, &stat))
                return false;
        t->start_ticks = stat.start_ticks;
        t->last_cpu = stat.last_cpu;
        t->kernel = stat.kernel;
        t->anew = process_events_execed(s->events, t->pid);
        return read_switches(s, t);
}

static int sample_thread(Sampler *s, pid_t pid, pid_t tid, void *userdata) {
        Sampling *sampling = userdata;
        Snapshot *snapshot = sampling->snapshot;
        ThreadSample t = {.pid = pid, .tid = tid, .cgroup = sampling->cgroup, .last_cpu = -1};

        if (!read_thread(s, sampling, &t))
                return 0;
        int r = ARRAY_RESERVE(snapshot->threads, snapshot->allocated_threads, snapshot->n_threads + 1);
        if (r < 0)
                return r;
        snapshot->threads[snapshot->n_threads++] = t;
        return 0;
}

static int compare_threads(const void *a, const void *b) {
        const ThreadSample *x = a, *y = b;

        if (x->tid != y->tid)
                return x->tid < y->tid ? -1 : 1;
        return x->start_ticks < y->start_ticks ? -1 : x->start_ticks > y->start_ticks;
}

/* A process that moves while cgroup.procs is read may be listed twice. */
static size_t sort_unique(ThreadSample *threads, size_t n) {
        size_t kept = 0;

        if (n == 0)
                return 0;
        qsort(threads, n, sizeof(*threads), compare_threads);
        for (size_t i = 1; i < n; i++)
                if (compare_threads(&threads[kept], &threads[i]) != 0)
                        threads[++kept] = threads[i];
        return kept + 1;
}

int threads_sample(Sampler *s, Snapshot *snapshot, size_t cgroup, int fd) {
        CgroupSample *c = &snapshot->cgroups[cgroup];
        Sampling sampling = {.snapshot = snapshot, .cgroup = cgroup, .before = before_cgroup(s, c)};
        ThreadList listed;

        c->first_thread = snapshot->n_threads;
        int r = threads_each(s, fd, c->leaf, sample_thread, &sampling, &listed);
        if (r < 0 || listed == THREAD_LIST_NONE)
                return r;
        c->threaded = listed == THREAD_LIST_THREADS;
        c->have |= CGROUP_HAVE_THREADS;
        c->n_threads = sort_unique(snapshot->threads + c->first_thread, snapshot->n_threads - c->first_thread);
        snapshot->n_threads = c->first_thread + c->n_threads;
        c->slept = sampling.before && sampling.n_slept == c->n_threads && sampling.before->n_threads == c->n_threads;
        return 0;
}

static int each_task(Sampler *s, pid_t pid, thread_each_t each, void *userdata) {
        const char *name;
        size_t len;
        pid_t tid;

        for (size_t at = 0; at < s->tasks.len; at += len + 1) {
                name = s->tasks.text + at;
                len = strlen(name);
                size_t rest = len;
                if (!cgroup_next_id(&name, &rest, &tid))
                        continue;
                int r = each(s, pid, tid, userdata);
                if (r < 0)
                        return r;
        }
        return 0;
}

static int each_thread_of(Sampler *s, pid_t pid, thread_each_t each, void *userdata) {
        char name[sizeof("2147483647/task")];
        uint64_t links;

        (void) snprintf(name, sizeof(name), "%d/task", pid);
        if (s->live_proc && dir_facts(s->proc_fd, name, NULL, &links) >= 0 && links == LINKS_OF_ONE_THREAD)
                return each(s, pid, pid, userdata);
        _cleanup_close_ int fd = dir_open(s->proc_fd, name);
        if (fd < 0)
                return 0;
        int r = dir_list_folders(fd, &s->tasks);
        if (r == -ENOMEM)
                return r;
        return each_task(s, pid, each, userdata);
}

/* Which file lists what is in the cgroup itself, and read it. In a threaded cgroup cgroup.procs can't be read
 * (-EOPNOTSUPP); in the one that a threaded subtree hangs below it can, but names processes of the whole subtree. */
static int read_list(Sampler *s, int fd, bool leaf, bool *ret_threads) {
        bool threads =
                !leaf && file_read(fd, "cgroup.type", &s->buf) >= 0 && cgroup_type_is_threaded(s->buf.text, s->buf.len);
        int r = -EOPNOTSUPP;

        if (!threads)
                r = file_read(fd, "cgroup.procs", &s->buf);
        if (r == -EOPNOTSUPP || r == -ENOENT) {
                threads = true;
                r = file_read(fd, "cgroup.threads", &s->buf);
        }
        *ret_threads = threads;
        return r;
}

static int take_ids(Sampler *s, size_t *ret_n) {
        const char *text = s->buf.text;
        size_t len = s->buf.len, n = 0;
        pid_t id;

        while (cgroup_next_id(&text, &len, &id)) {
                int r = ARRAY_RESERVE(s->ids, s->allocated_ids, n + 1);
                if (r < 0)
                        return r;
                s->ids[n++] = id;
        }
        *ret_n = n;
        return 0;
}

int threads_each(Sampler *s, int fd, bool leaf, thread_each_t each, void *userdata, ThreadList *ret_listed) {
        bool threads;
        size_t n;

        *ret_listed = THREAD_LIST_NONE;
        int r = read_list(s, fd, leaf, &threads);
        if (r < 0)
                return r == -ENOMEM ? r : 0;
        r = take_ids(s, &n);
        if (r < 0)
                return r;
        for (size_t i = 0; i < n; i++) {
                /* proc/TID is there for every thread, though only processes are listed (proc(5)). */
                r = threads ? each(s, s->ids[i], s->ids[i], userdata) : each_thread_of(s, s->ids[i], each, userdata);
                if (r < 0)
                        return r;
        }
        *ret_listed = threads ? THREAD_LIST_THREADS : THREAD_LIST_PROCESSES;
        return 0;
}
