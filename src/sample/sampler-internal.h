/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* What the parts of the sampler share. Nobody else includes this. */

#include "io/file.h"
#include "sample/process-events.h"
#include "sample/sampler.h"
#include "sample/taskstats.h"

struct Sampler {
        int root_fd, proc_fd, cgroup_fd;
        char *cgroup_place; /* of the cgroup2 mount, below root_fd */
        bool live_proc;     /* links of proc/PID/task tell the number of threads */
        bool live_cgroup;   /* inodes are cgroup ids, links tell the number of children */

        FileBuf buf;   /* text of the file just read */
        FileBuf tasks; /* names in proc/PID/task */
        pid_t *ids;    /* of cgroup.procs */
        size_t allocated_ids;

        Cpuset *online;         /* of the last root that had it: a recording has it in its first frame only */
        const Snapshot *before; /* while a snapshot is taken: the last one, NULL the first time */
        uint64_t n_taken;
        bool no_sched; /* in this snapshot: there is no proc/PID/task/TID/sched */
        bool said_psi, said_schedstats, said_version;
        const char *off[_SOURCE_MAX]; /* why, static; of the sources that are files */
        Taskstats *taskstats;         /* NULL: not asked here */
        ProcessEvents *events;        /* the same */
};

/* Machine-wide values. -ENOMEM; what can't be read is absent. */
int system_sample(Sampler *s, Snapshot *snapshot);

/* All cgroups, and threads where they are wanted. -errno where the root can't be read; -ENOMEM. */
int cgroups_sample(Sampler *s, Snapshot *snapshot, sampler_wants_t wants, void *userdata);

/* The names of the child cgroups of an open cgroup, sorted, as pointers into *names. -ENOMEM. */
int cgroups_children(Sampler *s, int fd, FileBuf *names, char ***ret, size_t *ret_n);

/* Reads the threads of snapshot->cgroups[cgroup], whose folder is `fd`. */
int threads_sample(Sampler *s, Snapshot *snapshot, size_t cgroup, int fd);

/* Asks for the sums of the processes of snapshot->cgroups[cgroup], whose files were read, where that is worth it.
 * -ENOMEM. */
int processes_sample(Sampler *s, Snapshot *snapshot, size_t cgroup);

/* Calls `each` with the threads of an open cgroup, in no order. It returns 0, or an error, which ends the walk.
 * *ret_listed tells by what. */
typedef int (*thread_each_t)(Sampler *s, pid_t pid, pid_t tid, void *userdata);
typedef enum ThreadList {
        THREAD_LIST_NONE,      /* the cgroup's lists can't be read */
        THREAD_LIST_PROCESSES, /* all threads of its processes are in it */
        THREAD_LIST_THREADS,   /* a threaded cgroup: the pid of each is given as its tid */
} ThreadList;
int threads_each(Sampler *s, int fd, bool leaf, thread_each_t each, void *userdata, ThreadList *ret_listed);

/* What the snapshot before says of the same cgroup, and of the same thread in it; NULL where it was not there. */
const CgroupSample *before_cgroup(const Sampler *s, const CgroupSample *cgroup);
const ThreadSample *before_thread(const Sampler *s, const CgroupSample *before, pid_t tid);
/* A group that rested then, and has no new pressure now (which was just read), rests on: nothing else is read of it, if
 * what is wanted is known and its threads are still those. */
bool before_rests(const Sampler *s, size_t index, const CgroupSample *before, const CgroupSample *cgroup,
                  SampleWant want);
/* Did it not run between then and now, by cpu.stat of both? */
bool before_slept(const CgroupSample *before, const CgroupSample *cgroup);
/* Takes what is known of the cgroup itself from then. -ENOMEM. */
int before_take_cgroup(const CgroupSample *before, CgroupSample *cgroup);
/* The same for its threads. -ENOMEM. */
int before_take_threads(const Sampler *s, Snapshot *snapshot, size_t index, const CgroupSample *before);
