/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The affinities of threads around a change: noted before it, compared after it, put back after its undo. */

#include "act/reader.h"
#include "model/facts.h"

/* Fills masks, n_masks_own, n_sibling_masks_own and descendant_cpus. */
int affinity_inspect(const ActReader *reader, const char *path, Facts *facts);

/* Fills change->masks: all threads of the target and below, and those threads of its siblings that have an affinity of
 * their own (narrower than their cgroup's effective set): only these can lose something. */
int affinity_note(const ActReader *reader, Change *change);

/* After the pin: is every thread of the target inside `cpus`, with what it had of them before, and has every noted
 * sibling what it had? -ENODATA where not, with *ret_why; -errno. */
int affinity_compare(const ActReader *reader, const Change *change, const Cpuset *cpus, char **ret_why);

/* After the undo: puts back affinities of noted threads that did not come back by themselves (`write`), or only looks.
 * *ret_residue: what is not as before, NULL where nothing. A thread that changed its affinity itself meanwhile keeps
 * its choice: only what the kernel widened, and what stayed at exactly our set, is put back. */
int affinity_restore(const ActReader *reader, const Change *change, bool write, char **ret_residue);
