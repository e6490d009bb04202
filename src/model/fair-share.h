/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* What cpu.weight entitles a cgroup to, given what everybody wants: water-filling, level by level. */

#include "model/delta.h"
#include "model/topology.h"

/* What each cgroup of the delta wants, in thousandths of a CPU, subtrees summed: run time and run delay less throttled
 * time where threads are known, else the usage. Newly allocated, one entry a cgroup; NULL where memory is short. */
uint64_t *fair_share_demands(const Delta *delta);

/* The groups that compete, as they are or as they would be. */
typedef struct Competition {
        const Snapshot *snapshot;
        const uint64_t *demands; /* fair_share_demands() */
        unsigned n_cpus;         /* that they share */
        CgroupMode mode;
        size_t raised;   /* this cgroup is taken to have `weight`, and the cpu controller to be on from the root down to
                            it, as it would be then; CGROUP_NONE: as it is */
        uint64_t weight; /* 1 to 10000 */
} Competition;

/* The weight of a group that nobody gave one. */
#define WEIGHT_DEFAULT 100

/* CPUs * 1000 that `cgroup` would get of n_cpus. At a level whose parent has the cpu controller in its
 * subtree_control the siblings compete by weight (100 where it could not be read); below one that has not, all threads
 * compete as single tasks, so a group counts by the number that want to run. */
uint64_t fair_share(const Competition *c, size_t cgroup);
