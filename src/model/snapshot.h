/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Everything that was read in one tick. Built by sample/, const from then on. */

#include <sys/types.h>

#include "base/cpuset.h"
#include "base/usec.h"
#include "model/counts.h"

typedef enum CgroupController {
        CONTROLLER_CPU = 1 << 0,
        CONTROLLER_CPUSET = 1 << 1,
        CONTROLLER_MEMORY = 1 << 2,
} CgroupController;

typedef enum CpusetPartition {
        PARTITION_ABSENT, /* no cpuset files here */
        PARTITION_MEMBER,
        PARTITION_ROOT,
        PARTITION_ISOLATED,
        PARTITION_INVALID, /* "root invalid (...)", "isolated invalid (...)" */
} CpusetPartition;

/* Which of the plain values of a CgroupSample could be read. */
typedef enum CgroupHave {
        CGROUP_HAVE_WEIGHT = 1 << 0,
        CGROUP_HAVE_IDLE = 1 << 1,
        CGROUP_HAVE_MAX = 1 << 2,
        CGROUP_HAVE_CONTROLLERS = 1 << 3, /* subtree_control */
        CGROUP_HAVE_THREADS = 1 << 4,     /* its threads were read */
} CgroupHave;

#define CGROUP_NONE SIZE_MAX

typedef struct CgroupSample {
        char *path;               /* below the cgroup2 mount, with a leading slash; "/" is the root */
        uint64_t id;              /* cgroup id (the inode of its folder); 0 in a recording, which does not keep it */
        size_t parent;            /* index in Snapshot.cgroups, CGROUP_NONE for the root */
        bool leaf;                /* has no child cgroups */
        unsigned have;            /* CgroupHave */
        unsigned subtree_control; /* CgroupController */
        bool threaded;            /* its processes may have threads elsewhere */
        bool slept;               /* it did not run since the snapshot before */
        unsigned carried;         /* so many snapshots ago was it read, all but the pressure: it seems to sleep on */
        Counts counts;            /* CgroupCount */
        uint64_t weight;
        bool idle;
        usec_t quota_usec, period_usec; /* cpu.max; quota USEC_INFINITY is "max" */
        CpusetPartition partition;
        Cpuset *cpus;                      /* cpuset.cpus: NULL absent, empty is "inherit" */
        Cpuset *effective;                 /* cpuset.cpus.effective: NULL absent */
        size_t first_thread, n_threads;    /* in Snapshot.threads */
        size_t first_process, n_processes; /* in Snapshot.processes */
        unsigned ask_processes;            /* for so many more snapshots: see sample/processes.c */
} CgroupSample;

typedef struct ThreadSample {
        pid_t pid, tid;
        uint64_t start_ticks; /* field 22 of stat: with the tid, the thread's identity */
        size_t cgroup;        /* index in Snapshot.cgroups */
        int last_cpu;         /* -1 absent */
        bool kernel;          /* PF_KTHREAD */
        bool anew;            /* its process runs another program since the snapshot before */
        Counts counts;        /* ThreadCount */
        bool wait_max_known;
        uint64_t wait_max_nsec; /* lifetime maximum of a single wait */
} ThreadSample;

/* All that the threads of a process did, also those that have ended. */
typedef struct ProcessSample {
        pid_t pid;
        uint64_t start_ticks; /* of its first thread: with the pid, the process's identity */
        bool anew;            /* it runs another program since the snapshot before */
        Counts counts;        /* ThreadCount: run time, run delay, slices */
        uint64_t told_nsec;   /* run time as it was told with delay and slices: less the ends of lives */
} ProcessSample;

typedef struct CpuSample {
        unsigned cpu;
        Counts counts; /* CpuCount */
} CpuSample;

typedef struct Snapshot {
        usec_t monotonic_usec;
        CgroupSample *cgroups; /* sorted by path_compare(): a parent stands before its children; [0] is the root */
        size_t n_cgroups, allocated_cgroups;
        ThreadSample *threads; /* grouped by cgroup, inside a cgroup by tid, then start */
        size_t n_threads, allocated_threads;
        ProcessSample *processes; /* grouped by cgroup, inside a cgroup by pid; only those that were asked for */
        size_t n_processes, allocated_processes;
        CpuSample *cpus; /* by CPU number; online ones */
        size_t n_cpus, allocated_cpus;
        Cpuset *online;
        bool schedstats_known, schedstats_on; /* kernel.sched_schedstats */
        bool psi;                             /* /proc/pressure/cpu could be read */
        char *foreign_scheduler;              /* ops of a loaded sched_ext scheduler, NULL where there is none */
} Snapshot;

Snapshot *snapshot_free(Snapshot *s);
DEFINE_CLEANUP_FUNC(Snapshot *, snapshot_free);
#define _cleanup_snapshot_ _cleanup_(snapshot_freep)

/* The order of Snapshot.cgroups: by path, with '/' before every other character, so that a subtree is contiguous. */
int path_compare(const char *a, const char *b);

/* Index of the cgroup, or CGROUP_NONE. */
size_t snapshot_find(const Snapshot *s, const char *path);

/* True where `cgroup` is `ancestor` or below it. */
bool snapshot_is_below(const Snapshot *s, size_t cgroup, size_t ancestor);

/* The CPUs that a cgroup's threads may use: the effective set of the nearest cgroup upwards that has one, else all
 * online ones. Points into the snapshot. */
const Cpuset *snapshot_allowed(const Snapshot *s, size_t cgroup);
