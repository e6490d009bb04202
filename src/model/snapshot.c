/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The tree of cgroups is kept as an array in the order of a walk through it. Because '/' sorts before every other
 * character, a subtree is one stretch of the array and two snapshots can be joined by walking along both; a plain
 * strcmp() would put "/a-b" between "/a" and "/a/b". */

#include "model/snapshot.h"

#include <stdlib.h>

Snapshot *snapshot_free(Snapshot *s) {
        if (!s)
                return NULL;
        for (size_t i = 0; i < s->n_cgroups; i++) {
                free(s->cgroups[i].path);
                cpuset_free(s->cgroups[i].cpus);
                cpuset_free(s->cgroups[i].effective);
        }
        free(s->cgroups);
        free(s->threads);
        free(s->processes);
        free(s->cpus);
        cpuset_free(s->online);
        free(s->foreign_scheduler);
        free(s);
        return NULL;
}

/* The end of the string first, then '/', then the rest. */
static unsigned rank(char c) {
        return c == '\0' ? 0 : c == '/' ? 1 : (unsigned char) c + 2U;
}

int path_compare(const char *a, const char *b) {
        while (*a != '\0' && *a == *b) {
                a++;
                b++;
        }
        unsigned x = rank(*a), y = rank(*b);
        return x < y ? -1 : x > y;
}

size_t snapshot_find(const Snapshot *s, const char *path) {
        size_t from = 0, to = s->n_cgroups;

        while (from < to) {
                size_t middle = from + (to - from) / 2;
                int c = path_compare(s->cgroups[middle].path, path);
                if (c == 0)
                        return middle;
                if (c < 0)
                        from = middle + 1;
                else
                        to = middle;
        }
        return CGROUP_NONE;
}

bool snapshot_is_below(const Snapshot *s, size_t cgroup, size_t ancestor) {
        while (cgroup != CGROUP_NONE && cgroup != ancestor)
                cgroup = s->cgroups[cgroup].parent;
        return cgroup == ancestor && ancestor != CGROUP_NONE;
}

const Cpuset *snapshot_allowed(const Snapshot *s, size_t cgroup) {
        for (; cgroup != CGROUP_NONE; cgroup = s->cgroups[cgroup].parent)
                if (s->cgroups[cgroup].effective)
                        return s->cgroups[cgroup].effective;
        return s->online;
}
