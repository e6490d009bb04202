/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* What cpu.weight entitles a cgroup to, given what everybody wants: water-filling, level by level. */

#include "model/delta.h"

/* What each cgroup of the delta wants, in thousandths of a CPU, subtrees summed: run time and run delay less throttled
 * time where threads are known, else the usage. Newly allocated, one entry a cgroup; NULL where memory is short. */
uint64_t *fair_share_demands(const Delta *delta);

/* CPUs * 1000 that `cgroup` would get of n_cpus. At a level whose parent has the cpu controller in its
 * subtree_control the siblings compete by weight (100 where it could not be read); below one that has not, all threads
 * compete as single tasks, so a group counts by the number that want to run. Weights count whole groups, as kernels up
 * to 7.2 do (cgroup_mode smp). */
uint64_t fair_share(const Delta *delta, const uint64_t *demands, size_t cgroup, unsigned n_cpus);
