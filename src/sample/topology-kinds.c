/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Core types. On Intel's hybrid processors the kernel has a folder for the performance counters of each, cpu_core and
 * cpu_atom, which names the CPUs. (hwloc 2.9 does not read it, and asks the processor only when it may move about.)
 *
 * Elsewhere hwloc tells CPUs apart by what else it finds: the kernel's cpu_capacity, and frequencies. But the two
 * favoured cores of a desktop processor, which may clock 5 % higher, are no type of their own: who pins to them
 * squeezes 32 CPUs' worth of threads onto 4. So what differs by at most a tenth, in frequency or in capacity (which
 * newer kernels derive from it), is one type.
 *
 * Where some CPUs are in no kind, nothing is known of types, and the machine is treated as uniform. */

#include "sample/topology-hwloc.h"

#include <errno.h>
#include <stdlib.h>

#include "base/numbers.h"

#define KIND_FILES 3

/* What hwloc says of one kind; 0 or NULL where it does not say it. Texts belong to hwloc. */
typedef struct Traits {
        const char *core_type;
        uint64_t capacity, frequency_max, frequency_base;
} Traits;

static uint64_t number_or_zero(const char *text) {
        uint64_t value = 0;
        return number_parse_u64(text, strlen(text), &value) < 0 ? 0 : value;
}

static Traits traits_read(const struct hwloc_info_s *infos, unsigned n) {
        Traits t = {};

        for (unsigned i = 0; i < n; i++) {
                if (streq(infos[i].name, "CoreType"))
                        t.core_type = infos[i].value;
                else if (streq(infos[i].name, "LinuxCapacity"))
                        t.capacity = number_or_zero(infos[i].value);
                else if (streq(infos[i].name, "FrequencyMaxMHz"))
                        t.frequency_max = number_or_zero(infos[i].value);
                else if (streq(infos[i].name, "FrequencyBaseMHz"))
                        t.frequency_base = number_or_zero(infos[i].value);
        }
        return t;
}

/* Within a tenth of the larger one. Unknown is like unknown only. */
static bool close_to(uint64_t a, uint64_t b) {
        return MIN(a, b) * 10 >= MAX(a, b) * 9;
}

/* The base frequency is looked at only where there is no maximum: it is often filled in for some CPUs only. */
static bool same_type(const Traits *a, const Traits *b) {
        if (!streq_ptr(a->core_type, b->core_type) || !close_to(a->capacity, b->capacity))
                return false;
        if (a->frequency_max == 0 && b->frequency_max == 0)
                return close_to(a->frequency_base, b->frequency_base);
        return close_to(a->frequency_max, b->frequency_max);
}

/* Puts the CPUs into the first type that they are like, else into a new one. */
static int add_kind(Topology *t, Traits *traits, const Traits *new_traits, const Cpuset *cpus) {
        for (size_t i = 0; i < t->n_kinds; i++)
                if (same_type(traits + i, new_traits))
                        return cpuset_or(t->kinds[i], cpus);

        Cpuset *own = cpuset_copy(cpus);
        if (!own)
                return -ENOMEM;
        traits[t->n_kinds] = *new_traits;
        t->kinds[t->n_kinds++] = own;
        return 0;
}

/* hwloc lists the least capable kind first. */
static int read_kinds(Topology *t, hwloc_topology_t hwloc, unsigned n, Cpuset *covered) {
        Traits *traits = calloc(n, sizeof(*traits));
        Cpuset *cpus = cpuset_new();
        int r = traits && cpus ? 0 : -ENOMEM;

        for (unsigned i = n; r == 0 && i-- > 0;) {
                struct hwloc_info_s *infos;
                unsigned n_infos;
                if (hwloc_cpukinds_get_info(hwloc, i, cpus, NULL, &n_infos, &infos, 0) < 0)
                        continue;
                r = cpuset_and(cpus, t->cpus);
                if (r < 0 || cpuset_empty(cpus))
                        continue;
                Traits new_traits = traits_read(infos, n_infos);
                r = add_kind(t, traits, &new_traits, cpus);
                if (r == 0)
                        r = cpuset_or(covered, cpus);
        }

        cpuset_free(cpus);
        free(traits);
        return r;
}

static void drop_kinds(Topology *t) {
        while (t->n_kinds > 0)
                cpuset_free(t->kinds[--t->n_kinds]);
}

static int set_uniform(Topology *t) {
        t->kinds[0] = cpuset_copy(t->cpus);
        if (!t->kinds[0])
                return -ENOMEM;
        t->n_kinds = 1;
        return 0;
}

/* True where the folders were there and name every CPU. */
static int read_counters(Topology *t, int root_fd, bool *ret) {
        /* The most capable first. */
        static const char *const files[KIND_FILES] = {
                "sys/devices/cpu_core/cpus",
                "sys/devices/cpu_atom/cpus",
                "sys/devices/cpu_lowpower/cpus",
        };
        _cleanup_cpuset_ Cpuset *covered = cpuset_new();
        int r = covered ? 0 : -ENOMEM;

        for (size_t i = 0; r == 0 && root_fd >= 0 && i < KIND_FILES; i++) {
                _cleanup_cpuset_ Cpuset *cpus = NULL;
                r = topology_read_cpus(root_fd, files[i], &cpus);
                if (r == 0 && cpus)
                        r = cpuset_and(cpus, t->cpus);
                if (r < 0 || !cpus || cpuset_empty(cpus) || cpuset_intersects(cpus, covered))
                        continue;
                r = cpuset_or(covered, cpus);
                t->kinds[t->n_kinds++] = TAKE_PTR(cpus);
        }
        if (r < 0)
                return r;

        *ret = cpuset_equal(covered, t->cpus);
        if (!*ret)
                drop_kinds(t);
        return 0;
}

/* The same from hwloc's kinds. */
static int read_hwloc(Topology *t, hwloc_topology_t hwloc, unsigned n, bool *ret) {
        _cleanup_cpuset_ Cpuset *covered = cpuset_new();
        if (!covered)
                return -ENOMEM;
        int r = n > 0 ? read_kinds(t, hwloc, n, covered) : 0;
        if (r < 0)
                return r;

        *ret = cpuset_equal(covered, t->cpus);
        if (!*ret)
                drop_kinds(t);
        return 0;
}

int topology_add_kinds(Topology *t, hwloc_topology_t hwloc, int root_fd) {
        int n = hwloc_cpukinds_get_nr(hwloc, 0);
        n = MAX(n, 0); /* -1: not supported */

        t->kinds = calloc(MAX((size_t) n, (size_t) KIND_FILES), sizeof(*t->kinds));
        if (!t->kinds)
                return -ENOMEM;

        int r = read_counters(t, root_fd, &t->kinds_known);
        if (r == 0 && !t->kinds_known)
                r = read_hwloc(t, hwloc, (unsigned) n, &t->kinds_known);
        if (r == 0 && !t->kinds_known)
                r = set_uniform(t);
        return r;
}
