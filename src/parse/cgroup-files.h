/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The small files of a cgroup (Documentation/admin-guide/cgroup-v2.rst). All texts may end in a newline. */

#include <sys/types.h>

#include "model/snapshot.h"

/* cpu.max: "max 100000" or "50000 100000", microseconds; the quota of "max" is USEC_INFINITY. False where it is
 * neither, or where the period is 0. */
bool cpu_max_parse(const char *text, size_t len, usec_t *ret_quota_usec, usec_t *ret_period_usec);

/* cpu.weight: 1 to 10000; 0 is what an idle group (cpu.idle) reads. */
bool cpu_weight_parse(const char *text, size_t len, uint64_t *ret);

/* cpu.idle: "0" or "1". */
bool cpu_idle_parse(const char *text, size_t len, bool *ret);

/* cpuset.cpus.partition: "member", "root", "isolated"; "root invalid (Cpu list in cpuset.cpus not exclusive)" is
 * PARTITION_INVALID, and so is a word that we do not know: no plan may count on such CPUs. */
CpusetPartition partition_parse(const char *text, size_t len);

/* cgroup.controllers, cgroup.subtree_control: "cpuset cpu io memory pids" as a mask of CgroupController; those that
 * placerd has no use for are left out. */
unsigned controllers_parse(const char *text, size_t len);

/* cgroup.type: true for "threaded" and "domain threaded", whose threads may be in other cgroups than their process. */
bool cgroup_type_is_threaded(const char *text, size_t len);

/* Takes the next id off the numbers of cgroup.procs or cgroup.threads, one a line: *text and *len move on. False at the
 * end. Damaged lines, and the 0 of tasks outside our PID namespace, are passed over. */
bool cgroup_next_id(const char **text, size_t *len, pid_t *ret);

/* /sys/kernel/sched_ext/state: a BPF scheduler is loaded, or on its way. False for "disabled" and an empty file. */
bool sched_ext_is_on(const char *text, size_t len);
