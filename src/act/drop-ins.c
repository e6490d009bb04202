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
 *   AllowedCPUs=0-3 8-11
 *
 * and for a weight one line, CPUWeight=200 or CPUWeight=. */

#include "act/drop-ins.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>

#include "act/setting.h"
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

static int file_name(Arm arm, char **ret) {
        return asprintf(ret, "50-%s.conf", arm_property(arm)) < 0 ? -ENOMEM : 0;
}

int drop_in_look(int root_fd, const char *unit, Arm arm, DropInState *ret) {
        DropInState state = {.place = faccessat(root_fd, PLACE_CONTROL, F_OK, AT_SYMLINK_NOFOLLOW) == 0};
        _cleanup_free_ char *name = NULL;

        int r = file_name(arm, &name);
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

static bool says_nothing(const char *line, size_t len) {
        return len == 0 || line[0] == '#' || line[0] == ';' || (line[0] == '[' && line[len - 1] == ']');
}

int drop_in_parse(const char *text, size_t len, Arm arm, char **ret) {
        const char *property = arm_property(arm);
        size_t name_len = strlen(property);
        _cleanup_free_ char *value = strdup("");

        if (!value)
                return -ENOMEM;
        for (const char *line = text, *end = text + len, *next; line < end; line = next + 1) {
                next = memchr(line, '\n', (size_t) (end - line)) ?: end;
                size_t n = (size_t) (next - line);
                if (says_nothing(line, n))
                        continue;
                if (n <= name_len || memcmp(line, property, name_len) != 0 || line[name_len] != '=')
                        return -EINVAL;
                int r = setting_assign(arm, line + name_len + 1, n - name_len - 1, &value);
                if (r < 0)
                        return r;
        }
        *ret = TAKE_PTR(value);
        return 0;
}

/* *ret_ours: the file is there and holds nothing but the leftover. */
static int is_ours(int dirfd, const char *name, Arm arm, const char *leftover, bool *ret_ours) {
        _cleanup_filebuf_ FileBuf buf = {};
        _cleanup_free_ char *value = NULL;

        *ret_ours = false;
        int r = file_read(dirfd, name, &buf);
        if (r < 0)
                return r == -ENOENT ? 0 : r;
        r = drop_in_parse(buf.text, buf.len, arm, &value);
        if (r < 0)
                return r == -EINVAL ? 0 : r;
        *ret_ours = setting_equal(value, leftover);
        return 0;
}

static int clean_place(int root_fd, const char *dir, const char *name, Arm arm, const char *leftover, bool made_dir,
                       bool *ret_removed) {
        _cleanup_close_ int fd = dir_open(root_fd, dir);
        bool ours;

        if (fd < 0)
                return fd == -ENOENT ? 0 : fd;
        int r = is_ours(fd, name, arm, leftover, &ours);
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

int drop_in_clean(int root_fd, const char *unit, Arm arm, const char *leftover, bool made_dir, bool *ret_removed) {
        _cleanup_free_ char *name = NULL;

        *ret_removed = false;
        int r = file_name(arm, &name);
        for (size_t i = 0; i < ELEMENTSOF(drop_in_places) && r == 0; i++) {
                _cleanup_free_ char *dir = NULL;
                r = dir_path(drop_in_places[i], unit, &dir);
                if (r == 0)
                        r = clean_place(root_fd, dir, name, arm, leftover, made_dir, ret_removed);
        }
        return r;
}

int drop_in_clean_place(int root_fd) {
        if (unlinkat(root_fd, PLACE_CONTROL, AT_REMOVEDIR) < 0 && errno != ENOTEMPTY && errno != ENOENT)
                return -errno;
        return 0;
}
