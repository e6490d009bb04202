/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Takes Snapshots of a machine: of the running one, of a folder that looks like one (--root), or of a frame of a
 * recording. */

#include "model/snapshot.h"
#include "model/source.h"
#include "sample/process-events.h"
#include "sample/taskstats.h"

typedef struct Sampler Sampler;

/* Starts below `root_fd` (duplicated). Finds the cgroup2 mount by proc/self/mountinfo, or takes sys/fs/cgroup where
 * that file is absent (recordings) and the folder has cgroup.controllers. ret_why says in one line what is missing.
 * -ENOENT: no cgroup2 here; -EOPNOTSUPP: it has no cpu accounting or the cpu or cpuset controller is on v1;
 * -errno. */
int sampler_new(int root_fd, Sampler **ret, char **ret_why);
Sampler *sampler_free(Sampler *s);
DEFINE_CLEANUP_FUNC(Sampler *, sampler_free);

/* Goes on below another root: the next frame of a recording. */
int sampler_set_root(Sampler *s, int root_fd);

/* The kernel of the running machine can be asked beside its files; a recording has none. Takes over. */
void sampler_set_kernel(Sampler *s, Taskstats *taskstats, ProcessEvents *events);

/* Each source's state, in the order of SourceKind, as of the last snapshot. */
void sampler_sources(const Sampler *s, Source ret[static _SOURCE_MAX]);

/* The root itself: a descriptor that the sampler owns. */
int sampler_root_fd(const Sampler *s);

/* The cgroup2 mount below the root: a descriptor that the sampler owns. */
int sampler_cgroup_fd(const Sampler *s);

/* What is wanted of a cgroup's CPU time. cpu.stat costs the more the busier the machine is (rstat flush), threads cost
 * the more the more there are. */
typedef enum SampleWant {
        SAMPLE_CGROUP,  /* cpu.stat, no threads */
        SAMPLE_THREADS, /* its threads, which then stand for cpu.stat */
        SAMPLE_BOTH,    /* also what threads that came and went did: coverage */
} SampleWant;

/* Asked for every cgroup, of which path, parent and leaf are known. */
typedef SampleWant (*sampler_wants_t)(const Snapshot *s, size_t cgroup, void *userdata);

/* Reads everything. `now_usec` goes into the snapshot. `before` is the last snapshot that was taken (NULL the first
 * time): what has not run since is taken from it. Vanished cgroups and tasks are left out. What is missing on the
 * machine as a whole (PSI, schedstats) is logged once. -errno only where nothing at all can be read. */
int sampler_take(Sampler *s, usec_t now_usec, const Snapshot *before, sampler_wants_t wants, void *userdata,
                 Snapshot **ret);

/* Affinity (Cpus_allowed_list of status) of every thread of one cgroup, and of its descendants where `deep`. */
struct ThreadMask;
int sampler_masks(Sampler *s, const char *path, bool deep, struct ThreadMask **ret, size_t *ret_n);
