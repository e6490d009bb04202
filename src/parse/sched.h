/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* /proc/PID/task/TID/sched (kernel/sched/debug.c, proc_sched_show_task()): only with CONFIG_SCHED_DEBUG, which newer
 * kernels may lack, and with names that changed over the years. */

#include "model/counts.h"

/* Adds switches, voluntary and not, migrations and (only with kernel.sched_schedstats=1, else the lines are absent)
 * wakeups to *counts (ThreadCount). *ret_wait_max_nsec is the longest single wait of the thread's life;
 * *ret_wait_max_known is false where the file does not have it. */
void sched_parse(const char *text, size_t len, Counts *counts, bool *ret_wait_max_known, uint64_t *ret_wait_max_nsec);
