/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The threads of the last snapshot. Most threads of a machine sleep from one tick to the next, and reading one through
 * /proc costs 10 to 30 us, of which schedstat alone is a fifth: where that says that a thread has not run, the rest of
 * what is known of it still holds. */

#include <errno.h>
#include <stdlib.h>

#include "base/array.h"
#include "sample/sampler-internal.h"

static void forget(Recall *m) {
        for (size_t i = 0; i < m->n_cgroups; i++)
                free(m->cgroups[i].path);
        m->n_cgroups = m->n_threads = m->cursor = 0;
}

void recall_done(Recall *m) {
        forget(m);
        free(m->cgroups);
        free(m->threads);
        *m = (Recall){};
}

static int recall_cgroup(Recall *m, const CgroupSample *c) {
        int r = ARRAY_RESERVE(m->cgroups, m->allocated_cgroups, m->n_cgroups + 1);
        if (r < 0)
                return r;
        char *path = strdup(c->path);
        if (!path)
                return -ENOMEM;
        m->cgroups[m->n_cgroups++] = (RecalledCgroup){
                .path = path,
                .id = c->id,
                .first_thread = c->first_thread,
                .n_threads = c->n_threads,
        };
        return 0;
}

int recall_store(Recall *m, const Snapshot *snapshot) {
        forget(m);
        int r = ARRAY_RESERVE(m->threads, m->allocated_threads, snapshot->n_threads);
        if (r < 0)
                return r;
        for (size_t i = 0; i < snapshot->n_cgroups; i++) {
                if (snapshot->cgroups[i].n_threads == 0)
                        continue;
                r = recall_cgroup(m, &snapshot->cgroups[i]);
                if (r < 0)
                        return r;
        }
        if (snapshot->n_threads > 0)
                memcpy(m->threads, snapshot->threads, snapshot->n_threads * sizeof(*m->threads));
        m->n_threads = snapshot->n_threads;
        return 0;
}

static const RecalledCgroup *find_cgroup(Recall *m, const CgroupSample *cgroup) {
        while (m->cursor < m->n_cgroups) {
                const RecalledCgroup *c = &m->cgroups[m->cursor];
                int order = path_compare(c->path, cgroup->path);
                if (order == 0)
                        return c->id == cgroup->id ? c : NULL;
                if (order > 0)
                        return NULL;
                m->cursor++;
        }
        return NULL;
}

const ThreadSample *recall_find(Recall *m, const CgroupSample *cgroup, pid_t tid) {
        const RecalledCgroup *c = find_cgroup(m, cgroup);
        if (!c)
                return NULL;

        size_t from = c->first_thread, to = c->first_thread + c->n_threads, end = to;
        while (from < to) {
                size_t middle = from + (to - from) / 2;
                if (m->threads[middle].tid < tid)
                        from = middle + 1;
                else
                        to = middle;
        }
        return from < end && m->threads[from].tid == tid ? &m->threads[from] : NULL;
}
