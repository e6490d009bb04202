/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* How the kernel turns cpu.weight into a group's part of each CPU: /sys/kernel/debug/sched/cgroup_mode (7.3 and
 * kernels that took it over). */

#include <stddef.h>

#include "model/topology.h"

/* One word, or all of them with the one in force in parentheses. -EINVAL for anything else. */
int cgroup_mode_parse(const char *text, size_t len, CgroupMode *ret);
