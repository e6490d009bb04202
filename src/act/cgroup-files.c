/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Reads files of single cgroups, when a change is due: the state before it, what came of it, what is left of it.
 * The Snapshot of the tick is too old for that, since systemd has acted in between. */

#include "act/cgroup-files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "io/file.h"

static int cgroup_open(const ActReader *reader, const char *path) {
        int root = reader->cgroup_fd(reader->userdata);

        if (root < 0)
                return -ENOENT;
        int fd = dir_open(root, path[0] == '/' && path[1] ? path + 1 : ".");
        return fd < 0 && file_gone(fd) ? -ENOENT : fd;
}

int cgroup_file_read(const ActReader *reader, const char *path, const char *file, FileBuf *buf) {
        _cleanup_close_ int fd = cgroup_open(reader, path);

        if (fd < 0)
                return fd;
        int r = file_read(fd, file, buf);
        return r < 0 && file_gone(r) ? -ENOENT : r;
}

int cgroup_file_writable(const ActReader *reader, const char *path, const char *file) {
        _cleanup_close_ int fd = cgroup_open(reader, path);

        if (fd < 0)
                return fd;
        return faccessat(fd, file, W_OK, AT_EACCESS) < 0 ? -errno : 0;
}

int cgroup_file_cpus(const ActReader *reader, const char *path, const char *file, Cpuset **ret) {
        _cleanup_filebuf_ FileBuf buf = {};

        int r = cgroup_file_read(reader, path, file, &buf);
        return r < 0 ? r : cpuset_parse_list(buf.text, buf.len, ret);
}

char *cgroup_path_parent(const char *path) {
        const char *slash = strrchr(path, '/');

        return slash && slash > path ? strndup(path, (size_t) (slash - path)) : strdup("/");
}

int cgroup_file_effective(const ActReader *reader, const char *path, Cpuset **ret) {
        _cleanup_free_ char *at = strdup(path);

        while (at) {
                _cleanup_cpuset_ Cpuset *cpus = NULL;
                int r = cgroup_file_cpus(reader, at, "cpuset.cpus.effective", &cpus);
                if (r < 0 && r != -ENOENT)
                        return r;
                if (r == 0 && !cpuset_empty(cpus)) {
                        *ret = TAKE_PTR(cpus);
                        return 0;
                }
                if (streq(at, "/") || streq(at, ""))
                        return -ENODATA;
                char *parent = cgroup_path_parent(at);
                free(at);
                at = parent;
        }
        return -ENOMEM;
}

int cgroup_file_parent_effective(const ActReader *reader, const char *path, Cpuset **ret) {
        _cleanup_free_ char *parent = cgroup_path_parent(path);

        return parent ? cgroup_file_effective(reader, parent, ret) : -ENOMEM;
}

int cgroup_file_id(const ActReader *reader, const char *path, uint64_t *ret) {
        _cleanup_close_ int fd = cgroup_open(reader, path);
        struct stat st;

        if (fd < 0)
                return fd;
        if (fstat(fd, &st) < 0)
                return -errno;
        *ret = st.st_ino;
        return 0;
}

void names_free(char **names, size_t n) {
        for (size_t i = 0; i < n; i++)
                free(names[i]);
        free(names);
}

/* d_type is set by cgroup2 and by the file systems that recordings lie on; where it is not, fstatat() knows. */
static bool is_child(int fd, const struct dirent *de) {
        struct stat st;

        if (de->d_name[0] == '.')
                return false;
        if (de->d_type != DT_UNKNOWN)
                return de->d_type == DT_DIR;
        return fstatat(fd, de->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(st.st_mode);
}

int cgroup_file_children(const ActReader *reader, const char *path, char ***ret, size_t *ret_n) {
        char **names = NULL;
        size_t n = 0, allocated = 0;
        const struct dirent *de;
        int r = 0;

        int fd = cgroup_open(reader, path);
        if (fd < 0)
                return fd;
        _cleanup_closedir_ DIR *dir = fdopendir(fd);
        if (!dir) {
                r = -errno;
                closep(&fd);
                return r;
        }
        while (r == 0 && (de = readdir(dir))) {
                if (!is_child(fd, de))
                        continue;
                r = ARRAY_RESERVE(names, allocated, n + 1);
                if (r == 0 && asprintf(&names[n], "%s/%s", streq(path, "/") ? "" : path, de->d_name) < 0)
                        r = -ENOMEM;
                if (r == 0)
                        n++;
        }
        if (r < 0) {
                names_free(names, n);
                return r;
        }
        *ret = names;
        *ret_n = n;
        return 0;
}
