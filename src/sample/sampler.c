/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The sampler itself: where it reads (a root, and the cgroup2 mount below it), and one Snapshot after the other. The
 * running machine and a recording go the same way; what only a real file system can tell (cgroup ids, numbers of links)
 * is used where there is one. */

#include "sample/sampler.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "parse/cgroup-files.h"
#include "parse/cpu-stat.h"
#include "parse/mountinfo.h"
#include "sample/sampler-internal.h"

#define USUAL_PLACE "sys/fs/cgroup"

static int _printf_(3, 4) refuse(char **ret_why, int error, const char *format, ...) {
        va_list args;
        char *why;

        va_start(args, format);
        int n = vasprintf(&why, format, args);
        va_end(args);
        if (n < 0)
                return -ENOMEM;
        *ret_why = why;
        return error;
}

/* Paths of mountinfo are absolute; ours are below root_fd. */
static const char *below_root(const char *path) {
        path += strspn(path, "/");
        return *path == '\0' ? "." : path;
}

static int check_mounts(const CgroupMounts *m, char **ret_why) {
        if (!m->cgroup2 && m->v1)
                return refuse(ret_why, -ENOENT, "This machine has cgroup v1 only; placerd needs cgroup2.");
        if (!m->cgroup2)
                return refuse(ret_why, -ENOENT, "No cgroup2 is mounted here.");
        if (m->v1_cpu || m->v1_cpuset)
                return refuse(ret_why, -EOPNOTSUPP,
                              "The %s controller is on cgroup v1, so cgroup2 in %s can't have it; placerd needs both "
                              "cpu and cpuset there.",
                              m->v1_cpu ? "cpu" : "cpuset", m->cgroup2);
        return 0;
}

/* *ret_place is below the root, newly allocated. */
static int find_cgroup2(Sampler *s, char **ret_place, char **ret_why) {
        _cleanup_cgroup_mounts_ CgroupMounts mounts = {};
        const char *place = USUAL_PLACE;

        int r = file_read(s->proc_fd, "self/mountinfo", &s->buf);
        if (r >= 0) {
                r = mountinfo_parse(s->buf.text, s->buf.len, &mounts);
                if (r < 0)
                        return r;
                r = check_mounts(&mounts, ret_why);
                if (r < 0)
                        return r;
                place = below_root(mounts.cgroup2);
        }
        *ret_place = strdup(place);
        return *ret_place ? 0 : -ENOMEM;
}

static int check_cgroup2(Sampler *s, char **ret_why) {
        Counts counts = {};

        int r = file_read(s->cgroup_fd, "cgroup.controllers", &s->buf);
        if (r < 0)
                return refuse(ret_why, r, "/%s is no cgroup2: cgroup.controllers can't be read: %s", s->cgroup_place,
                              strerror(-r));
        unsigned controllers = controllers_parse(s->buf.text, s->buf.len);
        if (!(controllers & CONTROLLER_CPU) || !(controllers & CONTROLLER_CPUSET))
                return refuse(ret_why, -EOPNOTSUPP, "cgroup2 in /%s has no %s controller.", s->cgroup_place,
                              controllers & CONTROLLER_CPU ? "cpuset" : "cpu");
        r = file_read(s->cgroup_fd, "cpu.stat", &s->buf);
        if (r >= 0)
                cpu_stat_parse(s->buf.text, s->buf.len, &counts);
        if (!counts_has(&counts, CGROUP_USAGE_USEC))
                return refuse(ret_why, -EOPNOTSUPP, "cgroup2 in /%s has no cpu accounting: cpu.stat is missing.",
                              s->cgroup_place);
        return 0;
}

static void replace_fd(int *fd, int new_fd) {
        closep(fd);
        *fd = new_fd;
}

static int open_root(Sampler *s, int root_fd) {
        int fd = fcntl(root_fd, F_DUPFD_CLOEXEC, 3);
        if (fd < 0)
                return -errno;
        replace_fd(&s->root_fd, fd);

        fd = dir_open(s->root_fd, "proc");
        if (fd < 0)
                return fd;
        replace_fd(&s->proc_fd, fd);
        s->live_proc = dir_file_system(s->proc_fd) == FILE_SYSTEM_PROC;
        return 0;
}

static int open_cgroup2(Sampler *s) {
        int fd = dir_open(s->root_fd, s->cgroup_place);
        if (fd < 0)
                return fd;
        replace_fd(&s->cgroup_fd, fd);
        s->live_cgroup = dir_file_system(s->cgroup_fd) == FILE_SYSTEM_CGROUP2;
        return 0;
}

static int start(Sampler *s, int root_fd, char **ret_why) {
        int r = open_root(s, root_fd);
        if (r < 0)
                return refuse(ret_why, r, "/proc can't be opened: %s", strerror(-r));
        r = find_cgroup2(s, &s->cgroup_place, ret_why);
        if (r < 0)
                return r;
        r = open_cgroup2(s);
        if (r < 0)
                return refuse(ret_why, r, "/%s can't be opened: %s", s->cgroup_place, strerror(-r));
        return check_cgroup2(s, ret_why);
}

int sampler_new(int root_fd, Sampler **ret, char **ret_why) {
        _cleanup_free_ char *why = NULL;

        Sampler *s = calloc(1, sizeof(*s));
        if (!s)
                return -ENOMEM;
        s->root_fd = s->proc_fd = s->cgroup_fd = -1;
        int r = start(s, root_fd, &why);
        if (r < 0) {
                sampler_free(s);
                if (ret_why)
                        *ret_why = TAKE_PTR(why);
                return r;
        }
        *ret = s;
        return 0;
}

Sampler *sampler_free(Sampler *s) {
        if (!s)
                return NULL;
        closep(&s->root_fd);
        closep(&s->proc_fd);
        closep(&s->cgroup_fd);
        free(s->cgroup_place);
        filebuf_done(&s->buf);
        filebuf_done(&s->tasks);
        free(s->ids);
        cpuset_free(s->online);
        taskstats_free(s->taskstats);
        process_events_free(s->events);
        free(s);
        return NULL;
}

int sampler_set_root(Sampler *s, int root_fd) {
        int r = open_root(s, root_fd);
        return r < 0 ? r : open_cgroup2(s);
}

int sampler_root_fd(const Sampler *s) {
        return s->root_fd;
}

int sampler_cgroup_fd(const Sampler *s) {
        return s->cgroup_fd;
}

int sampler_take(Sampler *s, usec_t now_usec, const Snapshot *before, sampler_wants_t wants, void *userdata,
                 Snapshot **ret) {
        _cleanup_snapshot_ Snapshot *snapshot = calloc(1, sizeof(*snapshot));
        if (!snapshot)
                return -ENOMEM;

        snapshot->monotonic_usec = now_usec;
        s->no_sched = false;
        s->before = before;
        s->n_taken++;
        int r = process_events_drain(s->events);
        if (r >= 0)
                r = system_sample(s, snapshot);
        if (r >= 0)
                r = cgroups_sample(s, snapshot, wants, userdata);
        s->before = NULL;
        if (r < 0)
                return r;
        *ret = TAKE_PTR(snapshot);
        return 0;
}
