/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Lists of CPUs as files of the kernel have them: cpuset.cpus, /sys/devices/system/cpu/{online,isolated,nohz_full}. */

#include "base/cpuset.h"

/* As cpuset_parse_list(), and "(null)", by which nohz_full of some kernels says that there are none, is the empty set
 * too. -EINVAL, -ERANGE, -ENOMEM. */
int cpulist_parse(const char *text, size_t len, Cpuset **ret);
