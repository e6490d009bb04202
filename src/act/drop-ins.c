/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* systemd keeps a property that was set at runtime as a drop-in, and keeps the file, with an empty assignment, when it
 * is unset; it stays in force for the unit's next start. "As it was" includes these files. Only what can be nothing
 * but our own leaving is removed: a file that was not there before the change, and that says exactly what the undo
 * left. What systemd 252 writes:
 *
 *   # This is a drop-in unit file extension, created via "systemctl set-property"
 *   # or an equivalent operation. Do not edit.
 *   [Service]
 *   AllowedCPUs=
 *   AllowedCPUs=0-3 8-11 */

#include "act/drop-ins.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "io/file.h"

#define PLACE_CONTROL "run/systemd/system.control"

static const char *const drop_in_places[] = {PLACE_CONTROL, "run/systemd/transient"};

/* The folder's path, in a fresh string. A unit's name has no slash; one that had would lead elsewhere. */
static int dir_path(const char *place, const char *unit, char **ret) {
        if (!unit[0] || strchr(unit, '/'))
                return -EINVAL;
        return asprintf(ret, "%s/%s.d", place, unit) < 0 ? -ENOMEM : 0;
}

static int file_name(const char *property, char **ret) {
        return asprintf(ret, "50-%s.conf", property) < 0 ? -ENOMEM : 0;
}

int drop_in_look(int root_fd, const char *unit, const char *property, DropInState *ret) {
        DropInState state = {.place = faccessat(root_fd, PLACE_CONTROL, F_OK, AT_SYMLINK_NOFOLLOW) == 0};
        _cleanup_free_ char *name = NULL;

        int r = file_name(property, &name);
        for (size_t i = 0; i < ELEMENTSOF(drop_in_places) && r == 0; i++) {
                _cleanup_free_ char *path = NULL;
                r = dir_path(drop_in_places[i], unit, &path);
                if (r < 0)
                        break;
                _cleanup_close_ int fd = dir_open(root_fd, path);
                if (fd < 0 && fd != -ENOENT)
                        return fd;
                state.dir |= fd >= 0;
                state.file |= fd >= 0 && faccessat(fd, name, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
        }
        if (r == 0)
                *ret = state;
        return r;
}

/* systemd writes "0-3 8-11", where the kernel's format has commas. */
static int value_parse(const char *value, size_t len, Cpuset **ret) {
        _cleanup_free_ char *list = strndup(value, len);

        if (!list)
                return -ENOMEM;
        for (char *p = list; *p; p++)
                if (*p == ' ')
                        *p = ',';
        return cpuset_parse_list(list, strlen(list), ret);
}

static bool says_nothing(const char *line, size_t len) {
        return len == 0 || line[0] == '#' || line[0] == ';' || (line[0] == '[' && line[len - 1] == ']');
}

int drop_in_parse(const char *text, size_t len, const char *property, Cpuset **ret) {
        _cleanup_cpuset_ Cpuset *cpus = cpuset_new();
        size_t name_len = strlen(property);

        if (!cpus)
                return -ENOMEM;
        for (const char *line = text, *end = text + len, *next; line < end; line = next + 1) {
                next = memchr(line, '\n', (size_t) (end - line)) ?: end;
                size_t n = (size_t) (next - line);
                if (says_nothing(line, n))
                        continue;
                if (n <= name_len || memcmp(line, property, name_len) != 0 || line[name_len] != '=')
                        return -EINVAL;
                _cleanup_cpuset_ Cpuset *value = NULL;
                int r = value_parse(line + name_len + 1, n - name_len - 1, &value);
                if (r < 0)
                        return r == -ENOMEM ? r : -EINVAL;
                /* An empty assignment resets the list, any other adds to it. */
                if (cpuset_empty(value))
                        r = cpuset_and(cpus, value);
                else
                        r = cpuset_or(cpus, value);
                if (r < 0)
                        return r;
        }
        *ret = TAKE_PTR(cpus);
        return 0;
}

/* *ret_ours: the file is there and holds nothing but the leftover. */
static int is_ours(int dirfd, const char *name, const char *property, const Cpuset *leftover, bool *ret_ours) {
        _cleanup_filebuf_ FileBuf buf = {};
        _cleanup_cpuset_ Cpuset *cpus = NULL;

        *ret_ours = false;
        int r = file_read(dirfd, name, &buf);
        if (r < 0)
                return r == -ENOENT ? 0 : r;
        r = drop_in_parse(buf.text, buf.len, property, &cpus);
        if (r < 0)
                return r == -EINVAL ? 0 : r;
        *ret_ours = cpuset_equal(cpus, leftover);
        return 0;
}

static int clean_place(int root_fd, const char *dir, const char *name, const char *property, const Cpuset *leftover,
                       bool made_dir, bool *ret_removed) {
        _cleanup_close_ int fd = dir_open(root_fd, dir);
        bool ours;

        if (fd < 0)
                return fd == -ENOENT ? 0 : fd;
        int r = is_ours(fd, name, property, leftover, &ours);
        if (r < 0)
                return r;
        if (ours) {
                if (unlinkat(fd, name, 0) < 0 && errno != ENOENT)
                        return -errno;
                *ret_removed = true;
        }
        /* Also where the file went in an earlier, interrupted clean-up. It stays where something else is in it. */
        if (made_dir && unlinkat(root_fd, dir, AT_REMOVEDIR) < 0 && errno != ENOTEMPTY && errno != ENOENT)
                return -errno;
        return 0;
}

int drop_in_clean(int root_fd, const char *unit, const char *property, const Cpuset *leftover, bool made_dir,
                  bool *ret_removed) {
        _cleanup_free_ char *name = NULL;

        *ret_removed = false;
        int r = file_name(property, &name);
        for (size_t i = 0; i < ELEMENTSOF(drop_in_places) && r == 0; i++) {
                _cleanup_free_ char *dir = NULL;
                r = dir_path(drop_in_places[i], unit, &dir);
                if (r == 0)
                        r = clean_place(root_fd, dir, name, property, leftover, made_dir, ret_removed);
        }
        return r;
}

int drop_in_clean_place(int root_fd) {
        if (unlinkat(root_fd, PLACE_CONTROL, AT_REMOVEDIR) < 0 && errno != ENOTEMPTY && errno != ENOENT)
                return -errno;
        return 0;
}
