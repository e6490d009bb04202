/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Core types. hwloc tells CPUs apart by everything that it finds: the core type (cpu_core and cpu_atom, or the
 * processor itself), the kernel's cpu_capacity, and frequencies. But the two favoured cores of a desktop processor,
 * which may clock 5 % higher, are no type of their own: who pins to them squeezes 32 CPUs' worth of threads onto 4. So
 * what differs by at most a tenth, in frequency or in capacity (which newer kernels derive from it), is one type.
 *
 * Where some CPUs are in no kind, nothing is known of types, and the machine is treated as uniform. */

#include "sample/topology-hwloc.h"

#include <errno.h>
#include <stdlib.h>

#include "base/numbers.h"

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

static int set_uniform(Topology *t) {
        while (t->n_kinds > 0)
                cpuset_free(t->kinds[--t->n_kinds]);
        t->kinds[0] = cpuset_copy(t->cpus);
        if (!t->kinds[0])
                return -ENOMEM;
        t->n_kinds = 1;
        return 0;
}

int topology_add_kinds(Topology *t, hwloc_topology_t hwloc) {
        int n = hwloc_cpukinds_get_nr(hwloc, 0);
        n = MAX(n, 0); /* -1: not supported */

        _cleanup_cpuset_ Cpuset *covered = cpuset_new();
        t->kinds = calloc((size_t) n + 1, sizeof(*t->kinds));
        if (!covered || !t->kinds)
                return -ENOMEM;

        if (n > 0) {
                int r = read_kinds(t, hwloc, (unsigned) n, covered);
                if (r < 0)
                        return r;
        }

        t->kinds_known = n > 0 && cpuset_equal(covered, t->cpus);
        return t->kinds_known ? 0 : set_uniform(t);
}
