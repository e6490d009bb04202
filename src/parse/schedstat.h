/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* /proc/PID/task/TID/schedstat and /proc/schedstat (Documentation/scheduler/sched-stats.rst). */

#include "model/counts.h"
#include "model/snapshot.h"

/* A thread's run time, run delay (both ns) and slices, added to *counts (ThreadCount). Returns false, nothing added,
 * where the text is not three numbers, or is "0 0 0": that is what a kernel without CONFIG_SCHED_INFO prints, and
 * a thread that has never run has nothing to tell either. */
bool thread_schedstat_parse(const char *text, size_t len, Counts *counts);

/* Adds run time, run delay and slices of /proc/schedstat's cpu lines to those of `cpus` (by CPU number, as
 * proc_stat_parse() leaves them) that it names; the domain lines, whose columns change with the version, are passed
 * over. *ret_version is the file's version: 15, 16 and 17 are known; the cpu lines of later ones are read too (they
 * have been the same since 15), those of earlier ones are not. 0 where there is no version line: nothing is read. */
void schedstat_parse(const char *text, size_t len, CpuSample *cpus, size_t n_cpus, unsigned *ret_version);

/* Versions whose format is known, for a word to the administrator about others. */
#define SCHEDSTAT_VERSION_MIN 15
#define SCHEDSTAT_VERSION_MAX 17
