/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A cgroup's folder is named after its unit; systemd escapes what would be ambiguous by a leading underscore
 * (cg_escape()), which is taken off here. */

#include "model/unit-name.h"

#include <errno.h>
#include <string.h>

#include "base/macros.h"

bool unit_name_valid(const char *name, size_t len) {
        /* Only these types have cgroups. */
        static const char *const suffixes[] = {".service", ".scope", ".slice", ".socket", ".mount", ".swap"};
        for (size_t i = 0; i < ELEMENTSOF(suffixes); i++) {
                size_t n = strlen(suffixes[i]);
                if (len > n && len < 256 && memcmp(name + len - n, suffixes[i], n) == 0)
                        return true;
        }
        return false;
}

int unit_name_from_path(const char *path, char **ret, bool *ret_exact) {
        const char *end = path + strlen(path);
        bool exact = true;

        *ret = NULL;
        *ret_exact = false;
        while (end > path) {
                const char *begin = end;
                while (begin > path && begin[-1] != '/')
                        begin--;
                const char *name = begin + (*begin == '_');
                if (unit_name_valid(name, (size_t) (end - name))) {
                        *ret = strndup(name, (size_t) (end - name));
                        *ret_exact = exact;
                        return *ret ? 0 : -ENOMEM;
                }
                exact = false;
                end = begin > path ? begin - 1 : path;
        }
        return 0;
}
