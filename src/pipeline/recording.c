/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Copies what the sampler reads, byte by byte and under its own path, so that a bug report can be replayed by the very
 * code that will run on the machine. Only a file that could be read is copied: what is absent on the machine is absent
 * in the frame too. The cgroup2 tree always goes to sys/fs/cgroup, wherever it is mounted (that is where a sampler
 * looks in a folder without mountinfo). What does not change in between (topology, debugfs) is in frame 0000 only. */

#include "pipeline/recording.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "io/file.h"
#include "sample/sampler.h"
#include "sample/topology.h"

/* A real cgroup tree is 6 or 7 deep (a container's process in a user's session); the kernel's own limit is a length of
 * path. */
#define CGROUP_DEPTH_MAX 64
#define PATH_LENGTH_MAX 4096

struct Recording {
        char *folder; /* for messages */
        int frames_fd;
        Sampler *sampler; /* knows where the cgroups are */
        unsigned n;
        FileBuf buf;
};

/* What one frame is copied from and to. */
typedef struct Copy {
        Recording *recording;
        int root_fd, frame_fd;
} Copy;

static const char *const machine_files[] = {
        "proc/stat",
        "proc/schedstat",
        "proc/pressure/cpu",
        "proc/pressure/io",
        "proc/pressure/memory",
        "proc/sys/kernel/osrelease",
        "proc/sys/kernel/sched_schedstats",
        "sys/devices/system/cpu/online",
        "sys/kernel/sched_ext/state",
        "sys/kernel/sched_ext/root/ops",
};

/* Only in frame 0000. */
static const char *const constant_files[] = {
        "proc/cmdline",
        "proc/cpuinfo",
        "proc/meminfo",
        "proc/version",
        "sys/devices/cpu_atom/cpus",
        "sys/devices/cpu_core/cpus",
};

static const char *const cgroup_files[] = {
        "cgroup.controllers",
        "cgroup.procs",
        "cgroup.subtree_control",
        "cgroup.threads",
        "cgroup.type",
        "cpu.idle",
        "cpu.max",
        "cpu.pressure",
        "cpu.stat",
        "cpu.stat.local",
        "cpu.weight",
        "cpuset.cpus",
        "cpuset.cpus.effective",
        "cpuset.cpus.partition",
        "memory.numa_stat",
};

static const char *const process_files[] = {"cgroup", "comm", "stat", "status"};
static const char *const thread_files[] = {"sched", "schedstat", "stat", "status"};

/* 0, or -errno of the first folder that could not be made. */
static int make_parents(int dirfd, const char *name) {
        char path[PATH_LENGTH_MAX];

        if (strlen(name) >= sizeof(path))
                return -ENAMETOOLONG;
        (void) strcpy(path, name);
        for (char *slash = strchr(path, '/'); slash; slash = strchr(slash + 1, '/')) {
                *slash = '\0';
                if (mkdirat(dirfd, path, 0755) < 0 && errno != EEXIST)
                        return -errno;
                *slash = '/';
        }
        return 0;
}

static int open_new(int dirfd, const char *name) {
        int fd = openat(dirfd, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0644);
        if (fd >= 0 || errno != ENOENT)
                return fd >= 0 ? fd : -errno;

        int r = make_parents(dirfd, name);
        if (r < 0)
                return r;
        fd = openat(dirfd, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0644);
        return fd >= 0 ? fd : -errno;
}

static int write_new(int dirfd, const char *name, const char *text, size_t len) {
        _cleanup_close_ int fd = open_new(dirfd, name);
        if (fd < 0)
                return fd;

        for (size_t done = 0; done < len;) {
                ssize_t n = write(fd, text + done, len - done);
                if (n < 0 && errno == EINTR)
                        continue;
                if (n < 0)
                        return -errno;
                done += (size_t) n;
        }
        return 0;
}

/* `name` below dirfd becomes `to` in the frame. A file that can't be read is none; one that is there already was on two
 * lists (the CPUs that are online). */
static int copy_file(Copy *c, int dirfd, const char *name, const char *to) {
        FileBuf *b = &c->recording->buf;

        int r = file_read(dirfd, name, b);
        if (r == -ENOMEM)
                return r;
        if (r < 0)
                return 0;
        r = write_new(c->frame_fd, to, b->text, b->len);
        return r == -EEXIST ? 0 : r;
}

/* Files of one folder: dirfd/NAME become to/NAME. */
static int copy_files(Copy *c, int dirfd, const char *to, const char *const names[], size_t n_names) {
        char path[PATH_LENGTH_MAX];

        for (size_t i = 0; i < n_names; i++) {
                int n = snprintf(path, sizeof(path), "%s/%s", to, names[i]);
                if (n < 0 || (size_t) n >= sizeof(path))
                        return -ENAMETOOLONG;
                int r = copy_file(c, dirfd, names[i], path);
                if (r < 0)
                        return r;
        }
        return 0;
}

static int copy_paths(Copy *c, const char *const paths[], size_t n_paths) {
        for (size_t i = 0; i < n_paths; i++) {
                int r = copy_file(c, c->root_fd, paths[i], paths[i]);
                if (r < 0)
                        return r;
        }
        return 0;
}

/* Does something with a folder that is open, and has the name `to` in the frame. */
typedef int (*visit_t)(Copy *c, int dirfd, const char *to, unsigned depth);

static bool is_number(const char *name) {
        return name[0] != '\0' && strspn(name, "0123456789") == strlen(name);
}

static bool is_any(const char *name) {
        return true;
}

/* Visits the folders in dirfd whose name suits. One that has vanished is passed over. */
static int visit_folders(Copy *c, int dirfd, const char *to, bool (*suits)(const char *name), visit_t visit,
                         unsigned depth) {
        _cleanup_filebuf_ FileBuf names = {};
        char path[PATH_LENGTH_MAX];

        int r = dir_list_folders(dirfd, &names);
        if (r < 0)
                return r == -ENOMEM ? r : 0;

        for (const char *name = names.text; name < names.text + names.len; name += strlen(name) + 1) {
                int n = snprintf(path, sizeof(path), "%s/%s", to, name);
                if (!suits(name) || n < 0 || (size_t) n >= sizeof(path))
                        continue;

                _cleanup_close_ int fd = dir_open(dirfd, name);
                if (fd < 0)
                        continue;
                r = visit(c, fd, path, depth + 1);
                if (r < 0)
                        return r;
        }
        return 0;
}

static int copy_thread(Copy *c, int dirfd, const char *to, unsigned depth) {
        return copy_files(c, dirfd, to, thread_files, ELEMENTSOF(thread_files));
}

static int copy_process(Copy *c, int dirfd, const char *to, unsigned depth) {
        char path[PATH_LENGTH_MAX];

        int r = copy_files(c, dirfd, to, process_files, ELEMENTSOF(process_files));
        if (r < 0)
                return r;

        _cleanup_close_ int fd = dir_open(dirfd, "task");
        if (fd < 0)
                return 0;
        (void) snprintf(path, sizeof(path), "%.64s/task", to);
        return visit_folders(c, fd, path, is_number, copy_thread, depth);
}

static int copy_processes(Copy *c) {
        _cleanup_close_ int fd = dir_open(c->root_fd, "proc");
        return fd < 0 ? 0 : visit_folders(c, fd, "proc", is_number, copy_process, 0);
}

static int copy_cgroup(Copy *c, int dirfd, const char *to, unsigned depth) {
        int r = copy_files(c, dirfd, to, cgroup_files, ELEMENTSOF(cgroup_files));
        if (r < 0 || depth >= CGROUP_DEPTH_MAX)
                return r;
        return visit_folders(c, dirfd, to, is_any, copy_cgroup, depth);
}

/* All files of a folder; its folders where depth is left. */
static int copy_folder(Copy *c, int dirfd, const char *to, unsigned depth_left);

static int copy_entry(Copy *c, int dirfd, const char *to, const struct dirent *entry, unsigned depth_left) {
        char path[PATH_LENGTH_MAX];
        int n = snprintf(path, sizeof(path), "%s/%s", to, entry->d_name);
        if (n < 0 || (size_t) n >= sizeof(path))
                return 0;

        if (entry->d_type == DT_REG)
                return copy_file(c, dirfd, entry->d_name, path);
        if (entry->d_type != DT_DIR || entry->d_name[0] == '.' || depth_left == 0)
                return 0;

        _cleanup_close_ int fd = dir_open(dirfd, entry->d_name);
        return fd < 0 ? 0 : copy_folder(c, fd, path, depth_left - 1);
}

/* Power management and errata are no topology; sched/debug is a dump of every run queue, megabytes of it. */
static bool is_left_out(const char *name) {
        static const char *const names[] = {"power", "vulnerabilities", "hotplug", "crash_notes", "microcode", "debug"};

        for (size_t i = 0; i < ELEMENTSOF(names); i++)
                if (streq(name, names[i]))
                        return true;
        return false;
}

static int copy_folder(Copy *c, int dirfd, const char *to, unsigned depth_left) {
        int copied = fcntl(dirfd, F_DUPFD_CLOEXEC, 3);
        if (copied < 0)
                return -errno;
        _cleanup_closedir_ DIR *d = fdopendir(copied);
        if (!d) {
                (void) close(copied);
                return -errno;
        }

        for (const struct dirent *entry = readdir(d); entry; entry = readdir(d)) {
                if (is_left_out(entry->d_name))
                        continue;
                int r = copy_entry(c, dirfd, to, entry, depth_left);
                if (r < 0)
                        return r;
        }
        return 0;
}

/* What holds for the whole recording. Depth: cpu/cpu0/cache/index0, node/node0, sched/domains/cpu0/domain0. */
static int copy_constants(Copy *c) {
        static const char *const folders[] = {"sys/devices/system/cpu", "sys/devices/system/node",
                                              "sys/kernel/debug/sched"};

        for (size_t i = 0; i < ELEMENTSOF(folders); i++) {
                _cleanup_close_ int fd = dir_open(c->root_fd, folders[i]);
                int r = fd < 0 ? 0 : copy_folder(c, fd, folders[i], 3);
                if (r < 0)
                        return r;
        }
        return copy_paths(c, constant_files, ELEMENTSOF(constant_files));
}

static int copy_frame(Copy *c, usec_t now_usec) {
        char clock_text[64];
        int len = snprintf(clock_text, sizeof(clock_text), "monotonic_usec %" PRIu64 "\n", now_usec);
        int r = write_new(c->frame_fd, "clock", clock_text, (size_t) len);
        if (r < 0)
                return r;

        r = copy_paths(c, machine_files, ELEMENTSOF(machine_files));
        if (r < 0)
                return r;
        r = copy_cgroup(c, sampler_cgroup_fd(c->recording->sampler), "sys/fs/cgroup", 0);
        if (r < 0)
                return r;
        r = copy_processes(c);
        if (r < 0 || c->recording->n > 0)
                return r;
        return copy_constants(c);
}

int recording_take(Recording *r, int root_fd, usec_t now_usec, char ret_frame[static FRAME_NAME_MAX], char **ret_why) {
        char name[FRAME_NAME_MAX], unfinished[FRAME_NAME_MAX + 1];
        (void) snprintf(name, sizeof(name), "%04u", r->n);
        (void) snprintf(unfinished, sizeof(unfinished), ".%s", name);

        int k = sampler_set_root(r->sampler, root_fd);
        if (k >= 0)
                k = mkdirat(r->frames_fd, unfinished, 0755) < 0 ? -errno : 0;
        if (k >= 0) {
                _cleanup_close_ int fd = dir_open(r->frames_fd, unfinished);
                k = fd < 0 ? fd : copy_frame(&(Copy){.recording = r, .root_fd = root_fd, .frame_fd = fd}, now_usec);
        }
        if (k >= 0)
                k = renameat(r->frames_fd, unfinished, r->frames_fd, name) < 0 ? -errno : 0;
        if (k < 0) {
                if (asprintf(ret_why, "%s/frames/%s: %s", r->folder, name, strerror(-k)) < 0)
                        *ret_why = NULL;
                return k;
        }

        r->n++;
        (void) strcpy(ret_frame, name);
        return 0;
}

static bool folder_is_empty(int dirfd) {
        int copied = fcntl(dirfd, F_DUPFD_CLOEXEC, 3);
        _cleanup_closedir_ DIR *d = copied < 0 ? NULL : fdopendir(copied);
        if (!d)
                return false;

        for (const struct dirent *entry = readdir(d); entry; entry = readdir(d))
                if (!streq(entry->d_name, ".") && !streq(entry->d_name, ".."))
                        return false;
        return true;
}

static int make_folder(Recording *r) {
        if (mkdir(r->folder, 0755) < 0 && errno != EEXIST)
                return -errno;

        _cleanup_close_ int fd = dir_open(AT_FDCWD, r->folder);
        if (fd < 0)
                return fd;
        if (!folder_is_empty(fd))
                return -ENOTEMPTY;
        if (mkdirat(fd, "frames", 0755) < 0)
                return -errno;
        r->frames_fd = dir_open(fd, "frames");
        return MIN(r->frames_fd, 0);
}

static int write_topology(const Recording *r) {
        char path[PATH_LENGTH_MAX];
        int n = snprintf(path, sizeof(path), "%s/topology.xml", r->folder);
        return n < 0 || (size_t) n >= sizeof(path) ? -ENAMETOOLONG : topology_export(path);
}

int recording_new(int root_fd, const char *folder, Recording **ret, char **ret_why) {
        _cleanup_(recording_freep) Recording *r = malloc(sizeof(*r));
        if (!r)
                return -ENOMEM;
        *r = (Recording){.folder = strdup(folder), .frames_fd = -1};
        if (!r->folder)
                return -ENOMEM;

        int k = sampler_new(root_fd, &r->sampler, ret_why);
        if (k < 0)
                return k;
        k = make_folder(r);
        if (k >= 0)
                k = write_topology(r);
        if (k < 0) {
                if (asprintf(ret_why, "%s: %s", folder, strerror(-k)) < 0)
                        *ret_why = NULL;
                return k;
        }

        *ret = TAKE_PTR(r);
        return 0;
}

Recording *recording_free(Recording *r) {
        if (!r)
                return NULL;

        filebuf_done(&r->buf);
        (void) sampler_free(r->sampler);
        if (r->frames_fd >= 0)
                (void) close(r->frames_fd);
        free(r->folder);
        free(r);
        return NULL;
}
