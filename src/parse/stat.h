/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* /proc/PID/task/TID/stat (proc(5)) and /proc/stat. */

#include "model/snapshot.h"

typedef struct ThreadStat {
        uint64_t start_ticks; /* field 22: USER_HZ ticks since boot */
        int last_cpu;         /* field 39 */
        bool kernel;          /* PF_KTHREAD in field 9 */
} ThreadStat;

/* -EBADMSG where the text ends before field 39 or a field that is used is no number: the task is to be left out. */
int thread_stat_parse(const char *text, size_t len, ThreadStat *ret);

/* Fills s->cpus from the cpuN lines of /proc/stat: idle (with iowait), steal and total ticks, by CPU number. A line
 * that is damaged or out of order is left out. -ENOMEM. */
int proc_stat_parse(const char *text, size_t len, Snapshot *s);
