/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* One mount a line; the number of optional fields varies, a single "-" ends them:
 *
 *   34 25 0:28 / /sys/fs/cgroup rw,nosuid shared:5 - cgroup2 cgroup2 rw,nsdelegate
 *   (1) (2) (3) (4) (5: mount point) (6)  (7...)   - (type)  (source) (super options)
 *
 * Blanks, tabs, newlines and backslashes of a path are octal escapes (\040). A v1 hierarchy names its controllers among
 * the super options; what is on v1 is not on cgroup2. */

#include "parse/mountinfo.h"

#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "parse/span.h"

/* Where systemd mounts it; a second mount elsewhere may show a part of the tree only. */
#define USUAL_PLACE "/sys/fs/cgroup"

void cgroup_mounts_done(CgroupMounts *m) {
        free(m->cgroup2);
        *m = (CgroupMounts){};
}

static bool is_octal(char c) {
        return c >= '0' && c <= '7';
}

/* A NUL can't be in a path: "\000" stays as it is. */
static char *unescape(Span s) {
        char *path = malloc(s.len + 1);
        size_t n = 0;

        if (!path)
                return NULL;
        for (size_t i = 0; i < s.len; i++) {
                const char *p = s.text + i;
                char c = *p;
                if (c == '\\' && s.len - i >= 4 && is_octal(p[1]) && is_octal(p[2]) && is_octal(p[3])) {
                        int code = (p[1] - '0') * 64 + (p[2] - '0') * 8 + (p[3] - '0');
                        if (code > 0 && code < 256) {
                                c = (char) code;
                                i += 3;
                        }
                }
                path[n++] = c;
        }
        path[n] = '\0';
        return path;
}

typedef struct Mount {
        Span point, type, options;
} Mount;

static bool parse_line(Span line, Mount *ret) {
        Span word, point = {};
        unsigned field = 0;

        while (span_next_word(&line, &word)) {
                field++;
                if (field == 5)
                        point = word;
                if (field > 6 && span_is(word, "-"))
                        break;
        }
        Mount m = {.point = point};
        if (!span_next_word(&line, &m.type) || !span_next_word(&line, &word) || !span_next_word(&line, &m.options))
                return false;
        *ret = m;
        return true;
}

static bool has_option(Span options, const char *name) {
        Span head;

        while (span_split(options, ',', &head, &options))
                if (span_is(head, name))
                        return true;
        return span_is(options, name);
}

static int take_cgroup2(Span point, CgroupMounts *m) {
        _cleanup_free_ char *path = unescape(point);

        if (!path)
                return -ENOMEM;
        if (m->cgroup2 && !streq(path, USUAL_PLACE))
                return 0;
        free(m->cgroup2);
        m->cgroup2 = TAKE_PTR(path);
        return 0;
}

int mountinfo_parse(const char *text, size_t len, CgroupMounts *ret) {
        _cleanup_cgroup_mounts_ CgroupMounts m = {};
        Span rest = span_of(text, len), line;
        Mount mount;

        while (span_next_line(&rest, &line)) {
                if (!parse_line(line, &mount))
                        continue;
                if (span_is(mount.type, "cgroup2")) {
                        int r = take_cgroup2(mount.point, &m);
                        if (r < 0)
                                return r;
                } else if (span_is(mount.type, "cgroup")) {
                        m.v1 = true;
                        m.v1_cpu = m.v1_cpu || has_option(mount.options, "cpu");
                        m.v1_cpuset = m.v1_cpuset || has_option(mount.options, "cpuset");
                }
        }
        *ret = m;
        m = (CgroupMounts){};
        return 0;
}
