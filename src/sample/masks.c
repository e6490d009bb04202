/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The affinities of a cgroup's threads: read when a change is planned or undone, never a tick (status is the dearest
 * file of a thread). A thread that goes in the meantime is left out. */

#include <errno.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "model/plan.h"
#include "parse/stat.h"
#include "parse/status.h"
#include "sample/sampler-internal.h"

typedef struct Masks {
        ThreadMask *masks;
        size_t n, allocated;
} Masks;

static void masks_done(Masks *m) {
        for (size_t i = 0; i < m->n; i++)
                cpuset_free(m->masks[i].cpus);
        free(m->masks);
}

static int add_mask(Sampler *s, pid_t pid, pid_t tid, void *userdata) {
        _cleanup_cpuset_ Cpuset *cpus = NULL;
        Masks *m = userdata;
        ThreadStat stat;

        if (file_readf(s->proc_fd, &s->buf, "%d/task/%d/stat", pid, tid) < 0 ||
            thread_stat_parse(s->buf.text, s->buf.len, &stat) < 0)
                return 0;
        if (file_readf(s->proc_fd, &s->buf, "%d/task/%d/status", pid, tid) < 0)
                return 0;
        int r = status_parse_allowed(s->buf.text, s->buf.len, &cpus);
        if (r < 0)
                return r == -ENOMEM ? r : 0;
        r = ARRAY_RESERVE(m->masks, m->allocated, m->n + 1);
        if (r < 0)
                return r;
        m->masks[m->n++] = (ThreadMask){
                .pid = pid,
                .tid = tid,
                .start_ticks = stat.start_ticks,
                .cpus = TAKE_PTR(cpus),
        };
        return 0;
}

static int add_masks(Sampler *s, int fd, bool deep, Masks *m) {
        _cleanup_filebuf_ FileBuf buf = {};
        _cleanup_free_ char **names = NULL;
        size_t n;
        ThreadList listed;

        int r = cgroups_children(s, fd, &buf, &names, &n);
        if (r < 0)
                return r;
        r = threads_each(s, fd, n == 0, add_mask, m, &listed);
        for (size_t i = 0; deep && i < n && r >= 0; i++) {
                _cleanup_close_ int child = dir_open(fd, names[i]);
                if (child >= 0)
                        r = add_masks(s, child, true, m);
        }
        return r;
}

int sampler_masks(Sampler *s, const char *path, bool deep, struct ThreadMask **ret, size_t *ret_n) {
        _cleanup_(masks_done) Masks m = {};

        assert(path[0] == '/');

        _cleanup_close_ int fd = dir_open(s->cgroup_fd, path[1] == '\0' ? "." : path + 1);
        if (fd < 0)
                return fd;
        int r = add_masks(s, fd, deep, &m);
        if (r < 0)
                return r;
        *ret = m.masks;
        *ret_n = m.n;
        m = (Masks){};
        return 0;
}
