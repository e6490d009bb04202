/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The machine's topology, read through hwloc: of the running machine, of an XML export, or of a folder that looks like
 * one. What hwloc does not keep (isolated, nohz_full, the kernel's release) comes from the files themselves, where
 * there are any: below the root, or in the first frame of the recording that the XML belongs to.
 *
 * Live, two flags matter. INCLUDE_DISALLOWED: CPUs outside our own cpuset are CPUs all the same. DONT_CHANGE_BINDING:
 * hwloc's x86 part would else hop over all CPUs to ask each one, which is just what isolated ones must be spared. */

#include "sample/topology.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/utsname.h>

#include "base/cleanup.h"
#include "io/file.h"
#include "parse/cgroup-mode.h"
#include "parse/cpulist.h"
#include "sample/topology-hwloc.h"

#define SYS_CPU "sys/devices/system/cpu"
#define CGROUP_MODE "sys/kernel/debug/sched/cgroup_mode"

/* hwloc is told of another root by variables of the environment only. */
typedef struct Environment {
        struct {
                const char *name;
                char *before;
        } set[3];
        size_t n;
} Environment;

static int environment_set(Environment *e, const char *name, const char *value) {
        assert(e->n < ELEMENTSOF(e->set));
        const char *before = getenv(name);
        char *copy = before ? strdup(before) : NULL;
        if (before && !copy)
                return -ENOMEM;

        e->set[e->n].name = name;
        e->set[e->n++].before = copy;
        return setenv(name, value, 1) < 0 ? -errno : 0;
}

static void environment_restore(Environment *e) {
        while (e->n > 0) {
                e->n--;
                if (e->set[e->n].before)
                        (void) setenv(e->set[e->n].name, e->set[e->n].before, 1);
                else
                        (void) unsetenv(e->set[e->n].name);
                free(e->set[e->n].before);
        }
}

static void hwloc_destroyp(hwloc_topology_t *t) {
        if (*t)
                hwloc_topology_destroy(*t);
}

#define _cleanup_hwloc_ _cleanup_(hwloc_destroyp)

static int load_error(void) {
        return errno > 0 && errno != ENOSYS ? -errno : -EINVAL;
}

static int hwloc_load(const char *xml, hwloc_topology_t *ret) {
        _cleanup_hwloc_ hwloc_topology_t t = NULL;

        if (hwloc_topology_init(&t) < 0)
                return -ENOMEM;
        if (xml && hwloc_topology_set_xml(t, xml) < 0)
                return load_error();
        if (hwloc_topology_set_flags(t, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED |
                                                HWLOC_TOPOLOGY_FLAG_DONT_CHANGE_BINDING) < 0)
                return load_error();
        errno = 0;
        if (hwloc_topology_load(t) < 0)
                return load_error();

        *ret = TAKE_PTR(t);
        return 0;
}

/* "linux" alone: the x86 component would mix the running machine in. */
static int hwloc_load_root(const char *root, hwloc_topology_t *ret) {
        _cleanup_(environment_restore) Environment e = {};
        int r = environment_set(&e, "HWLOC_COMPONENTS", "linux,stop");
        if (r == 0)
                r = environment_set(&e, "HWLOC_FSROOT", root);
        if (r == 0)
                r = environment_set(&e, "HWLOC_THISSYSTEM", "0");
        return r < 0 ? r : hwloc_load(NULL, ret);
}

/* The folder whose files go with the topology. -ENOENT where there is none. */
static int files_open(TopologySource source, const char *name) {
        const char *slash;

        switch (source) {
        case TOPOLOGY_LIVE:
                return dir_open(AT_FDCWD, "/");
        case TOPOLOGY_ROOT:
                return dir_open(AT_FDCWD, name);
        case TOPOLOGY_XML:
                break;
        }

        _cleanup_free_ char *frame = NULL;
        slash = strrchr(name, '/');
        if (asprintf(&frame, "%.*sframes/0000", slash ? (int) (slash + 1 - name) : 0, name) < 0)
                return -ENOMEM;
        return dir_open(AT_FDCWD, frame);
}

static bool has_cpus(int root_fd) {
        struct stat st;
        return fstatat(root_fd, SYS_CPU, &st, 0) == 0 && S_ISDIR(st.st_mode);
}

int topology_read_cpus(int root_fd, const char *name, Cpuset **ret) {
        _cleanup_filebuf_ FileBuf b = {};
        int r = file_read(root_fd, name, &b);
        if (r == -ENOMEM)
                return r;
        if (r < 0)
                return 0;

        r = cpulist_parse(b.text, b.len, ret);
        return r == -ENOMEM ? r : 0;
}

static int read_release(int root_fd, char **ret) {
        _cleanup_filebuf_ FileBuf b = {};
        int r = file_read(root_fd, "proc/sys/kernel/osrelease", &b);
        if (r == -ENOMEM)
                return r;
        if (r < 0 || b.len == 0)
                return 0;

        *ret = strndup(b.text, strcspn(b.text, "\n"));
        return *ret ? 0 : -ENOMEM;
}

/* Where no file told the kernel's release. */
static int guess_release(Topology *t, TopologySource source, hwloc_topology_t hwloc) {
        struct utsname u;
        const char *release = hwloc_obj_get_info_by_name(hwloc_get_root_obj(hwloc), "OSRelease");
        if (source == TOPOLOGY_LIVE && uname(&u) == 0)
                release = u.release;
        if (!release)
                return 0;

        t->kernel_release = strdup(release);
        return t->kernel_release ? 0 : -ENOMEM;
}

static int add_files(Topology *t, int root_fd) {
        int r = topology_read_cpus(root_fd, SYS_CPU "/isolated", &t->isolated);
        if (r == 0)
                r = topology_read_cpus(root_fd, SYS_CPU "/nohz_full", &t->nohz_full);
        if (r == 0)
                r = read_release(root_fd, &t->kernel_release);
        return r;
}

/* A kernel without the file weighs whole groups; one that does not let us see it (lockdown, no debugfs) does as its
 * release does by default. */
static int add_cgroup_mode(Topology *t, int root_fd) {
        _cleanup_filebuf_ FileBuf b = {};
        bool new = topology_kernel_at_least(t, 7, 3);

        int r = root_fd >= 0 ? file_read(root_fd, CGROUP_MODE, &b) : -ENOENT;
        if (r == -ENOMEM)
                return r;
        if (r == 0 && cgroup_mode_parse(b.text, b.len, &t->cgroup_mode) == 0)
                return 0;
        t->cgroup_mode = new ? CGROUP_MODE_CONCUR : CGROUP_MODE_SMP;
        t->cgroup_mode_assumed = new || r != -ENOENT || !t->kernel_release;
        return 0;
}

static int add_hwloc(Topology *t, hwloc_topology_t hwloc, int root_fd) {
        t->cpus = cpuset_copy(hwloc_topology_get_topology_cpuset(hwloc));
        if (!t->cpus)
                return -ENOMEM;
        if (hwloc_bitmap_last(t->cpus) > (int) CPUSET_CPU_MAX || cpuset_empty(t->cpus))
                return -EINVAL;

        int r = topology_add_nodes(t, hwloc);
        if (r == 0)
                r = topology_add_kinds(t, hwloc, root_fd);
        if (r == 0)
                r = topology_add_domains(t, hwloc);
        return r;
}

int topology_load(TopologySource source, const char *name, Topology **ret) {
        _cleanup_close_ int root_fd = files_open(source, name);
        if (root_fd == -ENOMEM || (source != TOPOLOGY_XML && root_fd < 0))
                return root_fd;
        if (source == TOPOLOGY_ROOT && !has_cpus(root_fd))
                return -EINVAL; /* hwloc would invent a machine of one CPU */

        _cleanup_hwloc_ hwloc_topology_t hwloc = NULL;
        int r = source == TOPOLOGY_ROOT ? hwloc_load_root(name, &hwloc)
                                        : hwloc_load(source == TOPOLOGY_XML ? name : NULL, &hwloc);
        if (r < 0)
                return r;

        _cleanup_topology_ Topology *t = calloc(1, sizeof(Topology));
        if (!t)
                return -ENOMEM;
        r = add_hwloc(t, hwloc, root_fd);
        if (r == 0 && root_fd >= 0)
                r = add_files(t, root_fd);
        if (r == 0 && !t->kernel_release)
                r = guess_release(t, source, hwloc);
        if (r == 0)
                r = add_cgroup_mode(t, root_fd);
        if (r < 0)
                return r;

        *ret = TAKE_PTR(t);
        return 0;
}

int topology_export(const char *path) {
        _cleanup_hwloc_ hwloc_topology_t hwloc = NULL;
        int r = hwloc_load(NULL, &hwloc);
        if (r < 0)
                return r;

        errno = 0;
        return hwloc_topology_export_xml(hwloc, path, 0) < 0 ? load_error() : 0;
}
