/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The walk through the cgroup2 tree, depth first and sorted by name, which is the order of Snapshot.cgroups.
 *
 * cpu.pressure is read first: a group that rests and has no new pressure is taken from the snapshot before. A cgroup
 * can vanish between any two reads. cpu.stat is there as long as the cgroup is and is read last of its files, so that
 * one that is in the snapshot was there throughout; without it the whole sample is dropped. Any other file that can't
 * be read is an absent value: cpu.pressure is missing where PSI is off for one cgroup (cgroup.pressure), and says
 * EOPNOTSUPP where it is off for all. Files of a controller that the parent does not hand down are not looked for.
 */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "parse/cgroup-files.h"
#include "parse/cpu-stat.h"
#include "parse/cpulist.h"
#include "parse/psi.h"
#include "sample/sampler-internal.h"

/* A descriptor is held for each level. systemd and container managers stay below 20. */
#define DEPTH_MAX 64

/* In cgroup2: ".", ".." and the children. */
#define LINKS_OF_A_LEAF 2

typedef struct Walk {
        Sampler *sampler;
        Snapshot *snapshot;
        sampler_wants_t wants;
        void *userdata;
} Walk;

static bool read_text(Sampler *s, int fd, const char *name) {
        return file_read(fd, name, &s->buf) >= 0;
}

static int read_cpuset(Sampler *s, int fd, const char *name, Cpuset **ret) {
        if (!read_text(s, fd, name))
                return 0;
        int r = cpulist_parse(s->buf.text, s->buf.len, ret);
        return r == -ENOMEM ? r : 0;
}

static void read_cpu_files(Sampler *s, int fd, CgroupSample *c) {
        if (read_text(s, fd, "cpu.stat.local"))
                cpu_stat_local_parse(s->buf.text, s->buf.len, &c->counts);
        if (read_text(s, fd, "cpu.weight") && cpu_weight_parse(s->buf.text, s->buf.len, &c->weight))
                c->have |= CGROUP_HAVE_WEIGHT;
        if (read_text(s, fd, "cpu.idle") && cpu_idle_parse(s->buf.text, s->buf.len, &c->idle))
                c->have |= CGROUP_HAVE_IDLE;
        if (read_text(s, fd, "cpu.max") && cpu_max_parse(s->buf.text, s->buf.len, &c->quota_usec, &c->period_usec))
                c->have |= CGROUP_HAVE_MAX;
}

static int read_cpuset_files(Sampler *s, int fd, CgroupSample *c) {
        int r = read_cpuset(s, fd, "cpuset.cpus", &c->cpus);
        if (r >= 0)
                r = read_cpuset(s, fd, "cpuset.cpus.effective", &c->effective);
        if (r >= 0 && read_text(s, fd, "cpuset.cpus.partition"))
                c->partition = partition_parse(s->buf.text, s->buf.len);
        return r;
}

/* The controllers whose files a cgroup has: what its parent hands down. The root has neither cpu.weight nor cpu.max,
 * but cpuset.cpus.effective. */
static unsigned controllers_here(const Snapshot *snapshot, const CgroupSample *c) {
        if (c->parent == CGROUP_NONE)
                return CONTROLLER_CPUSET;
        const CgroupSample *parent = &snapshot->cgroups[c->parent];
        return parent->have & CGROUP_HAVE_CONTROLLERS ? parent->subtree_control : CONTROLLER_CPU | CONTROLLER_CPUSET;
}

static bool read_subtree_control(Sampler *s, int fd, CgroupSample *c) {
        if (!read_text(s, fd, "cgroup.subtree_control"))
                return false;
        c->subtree_control = controllers_parse(s->buf.text, s->buf.len);
        c->have |= CGROUP_HAVE_CONTROLLERS;
        return true;
}

static bool has_quota(const CgroupSample *c) {
        return c->have & CGROUP_HAVE_MAX && c->quota_usec != USEC_INFINITY;
}

/* 1: read, 0: it has gone, -ENOMEM. Of a group with children only the throttling is asked, where it has a quota: what
 * its children did is in their own files. */
static int read_cpu_stat(Sampler *s, int fd, CgroupSample *c) {
        if (!c->leaf && read_subtree_control(s, fd, c) && !has_quota(c))
                return 1;
        int r = file_read(fd, "cpu.stat", &s->buf);
        if (r < 0)
                return r == -ENOMEM ? r : 0;
        cpu_stat_parse(s->buf.text, s->buf.len, &c->counts);
        return 1;
}

static int read_settings(Sampler *s, const Snapshot *snapshot, int fd, CgroupSample *c) {
        unsigned controllers = controllers_here(snapshot, c);

        if (controllers & CONTROLLER_CPU)
                read_cpu_files(s, fd, c);
        return controllers & CONTROLLER_CPUSET ? read_cpuset_files(s, fd, c) : 0;
}

static int compare_names(const void *a, const void *b) {
        return strcmp(*(char *const *) a, *(char *const *) b);
}

int cgroups_children(Sampler *s, int fd, FileBuf *names, char ***ret, size_t *ret_n) {
        _cleanup_free_ char **list = NULL;
        size_t n = 0, allocated = 0;
        uint64_t links;

        *ret = NULL;
        *ret_n = 0;
        if (s->live_cgroup && dir_facts(fd, "", NULL, &links) >= 0 && links == LINKS_OF_A_LEAF)
                return 0;
        int r = dir_list_folders(fd, names);
        if (r < 0)
                return r == -ENOMEM ? r : 0;
        for (size_t at = 0; at < names->len; at += strlen(names->text + at) + 1) {
                r = ARRAY_RESERVE(list, allocated, n + 1);
                if (r < 0)
                        return r;
                list[n++] = names->text + at;
        }
        if (n > 0)
                qsort(list, n, sizeof(*list), compare_names);
        *ret = TAKE_PTR(list);
        *ret_n = n;
        return 0;
}

static char *join_path(const char *parent, const char *name) {
        char *path;

        return asprintf(&path, "%s/%s", streq(parent, "/") ? "" : parent, name) < 0 ? NULL : path;
}

/* Takes over `path`. */
static int add_cgroup(Walk *w, char *path, size_t parent, size_t *ret) {
        Snapshot *snapshot = w->snapshot;

        int r = ARRAY_RESERVE(snapshot->cgroups, snapshot->allocated_cgroups, snapshot->n_cgroups + 1);
        if (r < 0) {
                free(path);
                return r;
        }
        snapshot->cgroups[snapshot->n_cgroups] = (CgroupSample){.path = path, .parent = parent};
        *ret = snapshot->n_cgroups++;
        return 0;
}

static void drop_last_cgroup(Snapshot *snapshot) {
        CgroupSample *c = &snapshot->cgroups[--snapshot->n_cgroups];

        snapshot->n_threads -= c->n_threads;
        snapshot->n_processes -= c->n_processes;
        free(c->path);
        cpuset_free(c->cpus);
        cpuset_free(c->effective);
}

/* All of it from the snapshot before. */
static int carry(Walk *w, size_t index, const CgroupSample *before, SampleWant want) {
        CgroupSample *c = &w->snapshot->cgroups[index];

        int r = before_take_cgroup(before, c);
        c->carried++;
        c->slept = true;
        if (r >= 0 && want != SAMPLE_CGROUP)
                r = before_take_threads(w->sampler, w->snapshot, index, before);
        return r < 0 ? r : 1;
}

/* Threads stand for cpu.stat where they were wanted in its place and could be listed; but not for its throttling. */
static bool needs_cpu_stat(const CgroupSample *c, SampleWant want) {
        return want != SAMPLE_THREADS || !c->leaf || !(c->have & CGROUP_HAVE_THREADS) || has_quota(c);
}

/* The cgroup itself: 1: it is in the snapshot, 0: it has gone, -ENOMEM. */
static int visit(Walk *w, size_t index, int fd, bool leaf) {
        Sampler *s = w->sampler;
        CgroupSample *c = &w->snapshot->cgroups[index];

        c->leaf = leaf;
        if (s->live_cgroup)
                (void) dir_facts(fd, "", &c->id, NULL);
        if (read_text(s, fd, "cpu.pressure"))
                psi_parse(s->buf.text, s->buf.len, &c->counts);
        SampleWant want = w->wants ? w->wants(w->snapshot, index, w->userdata) : SAMPLE_CGROUP;
        const CgroupSample *before = before_cgroup(s, c);
        if (before_rests(s, index, before, c, want))
                return carry(w, index, before, want);

        int r = read_settings(s, w->snapshot, fd, c);
        if (r >= 0 && want != SAMPLE_CGROUP)
                r = threads_sample(s, w->snapshot, index, fd);
        if (r < 0)
                return r;
        r = needs_cpu_stat(c, want) ? read_cpu_stat(s, fd, c) : 1;
        c->slept = c->slept || before_slept(before, c);
        if (r <= 0)
                return r;
        r = processes_sample(s, w->snapshot, index);
        return r < 0 ? r : 1;
}

/* Takes over `path`. */
static int walk(Walk *w, int fd, char *path, size_t parent, unsigned depth) {
        _cleanup_filebuf_ FileBuf buf = {};
        _cleanup_free_ char **names = NULL;
        size_t n, index;

        int r = add_cgroup(w, path, parent, &index);
        if (r < 0)
                return r;
        r = cgroups_children(w->sampler, fd, &buf, &names, &n);
        if (r < 0)
                return r;
        r = visit(w, index, fd, n == 0);
        if (r == 0)
                drop_last_cgroup(w->snapshot);
        if (r <= 0 || depth == DEPTH_MAX)
                return r;
        for (size_t i = 0; i < n; i++) {
                _cleanup_close_ int child = dir_open(fd, names[i]);
                if (child < 0)
                        continue;
                char *child_path = join_path(w->snapshot->cgroups[index].path, names[i]);
                if (!child_path)
                        return -ENOMEM;
                r = walk(w, child, child_path, index, depth + 1);
                if (r < 0)
                        return r;
        }
        return 0;
}

int cgroups_sample(Sampler *s, Snapshot *snapshot, sampler_wants_t wants, void *userdata) {
        Walk w = {.sampler = s, .snapshot = snapshot, .wants = wants, .userdata = userdata};
        char *path = strdup("/");
        if (!path)
                return -ENOMEM;

        int r = walk(&w, s->cgroup_fd, path, CGROUP_NONE, 0);
        if (r < 0)
                return r;
        return snapshot->n_cgroups > 0 ? 0 : -ENODEV;
}
