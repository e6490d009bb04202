/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* /proc/PID/task/TID/status (proc(5)). */

#include "base/cpuset.h"
#include "model/counts.h"

/* Adds voluntary and involuntary switches, and their sum (which is what `sched` calls nr_switches), to *counts. */
void status_parse_switches(const char *text, size_t len, Counts *counts);

/* Cpus_allowed_list, the thread's affinity. -EBADMSG where it is not there or damaged, -ENOMEM. */
int status_parse_allowed(const char *text, size_t len, Cpuset **ret);
