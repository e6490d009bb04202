/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The one thing that libcgroup does here: to write a value into a file of a cgroup that exists. */

#include <libcgroup.h>

/* The library's calls, so that a test can put others in their place. */
typedef struct LibcgroupCalls {
        int (*init)(void);
        struct cgroup *(*new)(const char *name);
        struct cgroup_controller *(*add_controller)(struct cgroup *cgroup, const char *name);
        int (*set_value)(struct cgroup_controller *controller, const char *name, const char *value);
        int (*modify)(struct cgroup *cgroup);
        void (*free)(struct cgroup **cgroup);
        int (*last_errno)(void);
} LibcgroupCalls;

extern const LibcgroupCalls libcgroup_calls;

/* Finds the mounts: once, before the first write. -errno, with *ret_why in the library's words. */
int libcgroup_start(const LibcgroupCalls *calls, char **ret_why);

/* Writes `value` ("" empties the file) into `file` ("cpuset.cpus") of the cgroup at `path`. Whether it came to anything
 * must be read back. The kernel's -errno where there is one (-ENOSPC: the cpuset of a populated cgroup can't be
 * emptied), else -EIO; never -ENOENT. *ret_why may be set: the library's words. */
int libcgroup_write(const LibcgroupCalls *calls, const char *path, const char *file, const char *value, char **ret_why);
