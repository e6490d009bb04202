/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* cpu.stat and cpu.stat.local of a cgroup (Documentation/admin-guide/cgroup-v2.rst, "CPU Interface Files"). */

#include "model/counts.h"

/* Adds what the file has of usage_usec, nr_periods, nr_throttled and throttled_usec to *counts (CgroupCount); the last
 * three are there only while the cpu controller is on. Lines that are unknown or damaged are passed over. */
void cpu_stat_parse(const char *text, size_t len, Counts *counts);

/* The same for cpu.stat.local, of which throttled_usec becomes CGROUP_LOCAL_THROTTLED_USEC. */
void cpu_stat_local_parse(const char *text, size_t len, Counts *counts);
