/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* /proc/self/mountinfo (proc(5)): where cgroup2 is, and what cgroup v1 still has. */

#include "base/macros.h"

typedef struct CgroupMounts {
        char *cgroup2;  /* where it is mounted, escapes undone; NULL: nowhere */
        bool v1;        /* there are cgroup v1 mounts */
        bool v1_cpu;    /* one of them has the cpu controller */
        bool v1_cpuset; /* one of them has the cpuset controller */
} CgroupMounts;

void cgroup_mounts_done(CgroupMounts *m);
#define _cleanup_cgroup_mounts_ _cleanup_(cgroup_mounts_done)

/* Where cgroup2 is mounted several times, /sys/fs/cgroup is taken, else the first. -ENOMEM. */
int mountinfo_parse(const char *text, size_t len, CgroupMounts *ret);
