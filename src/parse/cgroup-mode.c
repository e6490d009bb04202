/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* "up smp (concur) max tasks " on 7.3.4, as sched/preempt has it too. */

#include "parse/cgroup-mode.h"

#include <errno.h>
#include <string.h>

#include "base/macros.h"

static int mode_by_name(const char *word, size_t len, CgroupMode *ret) {
        for (CgroupMode mode = 0; mode < _CGROUP_MODE_MAX; mode++) {
                const char *name = cgroup_mode_name(mode);
                if (strlen(name) == len && memcmp(name, word, len) == 0) {
                        *ret = mode;
                        return 0;
                }
        }
        return -EINVAL;
}

/* What stands between the parentheses; all of it where there are none. */
static void cut_parentheses(const char **text, size_t *len) {
        const char *open = memchr(*text, '(', *len);
        const char *close = open ? memchr(open, ')', *len - (size_t) (open - *text)) : NULL;
        if (!close)
                return;
        *text = open + 1;
        *len = (size_t) (close - open) - 1;
}

int cgroup_mode_parse(const char *text, size_t len, CgroupMode *ret) {
        cut_parentheses(&text, &len);
        while (len > 0 && (text[len - 1] == '\n' || text[len - 1] == ' '))
                len--;
        return mode_by_name(text, len, ret);
}
