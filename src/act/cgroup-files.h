/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The few cgroup files that a change needs, read outside of a tick. Paths are as in a Snapshot: below the mount, with a
 * leading slash. Everywhere -ENOENT means that the cgroup or the file is not there (any more). */

#include "act/reader.h"
#include "io/file.h"

/* All of one file. */
int cgroup_file_read(const ActReader *reader, const char *path, const char *file, FileBuf *buf);

/* May we write it (as far as that can be known without doing it)? 0, -EACCES, -EROFS, ... */
int cgroup_file_writable(const ActReader *reader, const char *path, const char *file);

/* The list in `file` of one cgroup ("cpuset.cpus"); an empty file is the empty set. */
int cgroup_file_cpus(const ActReader *reader, const char *path, const char *file, Cpuset **ret);

/* The CPUs that threads there may use: cpuset.cpus.effective of the nearest cgroup upwards that has one. -ENODATA where
 * not even the root has. */
int cgroup_file_effective(const ActReader *reader, const char *path, Cpuset **ret);

/* The same of the cgroup above. */
int cgroup_file_parent_effective(const ActReader *reader, const char *path, Cpuset **ret);

/* The cgroup's id: the inode of its folder. */
int cgroup_file_id(const ActReader *reader, const char *path, uint64_t *ret);

/* Paths of the cgroups directly below; names_free() them. */
int cgroup_file_children(const ActReader *reader, const char *path, char ***ret, size_t *ret_n);
void names_free(char **names, size_t n);

/* The path of the cgroup above, newly allocated ("/" for "/a" and "/"); NULL where memory is short. */
char *cgroup_path_parent(const char *path);
