/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Nodes and domains. For each level every CPU is asked who shares it: the highest cache on its path to the root, its
 * cluster, its node, its package. Domains of a level never overlap, so each answer takes its CPUs off the list.
 *
 * A cache is known by its CPUs, not by a number (id files are missing on many machines), and it is cut at node
 * borders: with sub-NUMA clustering one L3 lies over several nodes. Where there is no L3, the L2 is the last level.
 * hwloc drops a cluster that has just the CPUs of a cache, which is then the domain anyway. */

#include "sample/topology-hwloc.h"

#include <errno.h>
#include <stdlib.h>

#include "base/array.h"

static int compare_nodes(const void *a, const void *b) {
        const Node *x = a, *y = b;
        return x->id < y->id ? -1 : x->id > y->id;
}

int topology_add_nodes(Topology *t, hwloc_topology_t hwloc) {
        size_t allocated = 0;

        for (hwloc_obj_t o = NULL; (o = hwloc_get_next_obj_by_type(hwloc, HWLOC_OBJ_NUMANODE, o));) {
                int r = ARRAY_RESERVE(t->nodes, allocated, t->n_nodes + 1);
                if (r < 0)
                        return r;
                Cpuset *cpus = o->cpuset ? cpuset_copy(o->cpuset) : cpuset_new();
                if (!cpus)
                        return -ENOMEM;
                t->nodes[t->n_nodes++] = (Node){
                        .id = o->os_index,
                        .cpus = cpus,
                        .memory_bytes = o->attr->numanode.local_memory,
                };
                r = cpuset_and(cpus, t->cpus);
                if (r < 0)
                        return r;
        }

        if (t->n_nodes > 0)
                qsort(t->nodes, t->n_nodes, sizeof(Node), compare_nodes);
        return 0;
}

/* The smallest node that has the CPU; of equals (two kinds of memory at the same CPUs) the first. */
static const Node *node_of(const Topology *t, unsigned cpu) {
        const Node *best = NULL;

        for (size_t i = 0; i < t->n_nodes; i++) {
                const Node *n = t->nodes + i;
                if (cpuset_has(n->cpus, cpu) && (!best || cpuset_count(n->cpus) < cpuset_count(best->cpus)))
                        best = n;
        }
        return best;
}

static hwloc_obj_t ancestor(hwloc_topology_t hwloc, unsigned cpu, DomainLevel level) {
        hwloc_obj_t found = NULL, o = hwloc_get_pu_obj_by_os_index(hwloc, cpu);

        for (; o; o = o->parent)
                if (level == DOMAIN_LLC && hwloc_obj_type_is_dcache(o->type))
                        found = o; /* the highest one */
                else if (level == DOMAIN_CLUSTER && o->type == HWLOC_OBJ_GROUP && streq_ptr(o->subtype, "Cluster"))
                        return o;
                else if (level == DOMAIN_PACKAGE && o->type == HWLOC_OBJ_PACKAGE)
                        return o;
        return found;
}

/* Leaves of `cpus` what is in the node of `cpu`, or in no node, like `cpu`. */
static int cut_at_node(const Topology *t, unsigned cpu, Cpuset *cpus) {
        const Node *node = node_of(t, cpu);
        if (node)
                return cpuset_and(cpus, node->cpus);

        int r = 0;
        for (size_t i = 0; r == 0 && i < t->n_nodes; i++)
                r = cpuset_andnot(cpus, t->nodes[i].cpus);
        return r;
}

/* Who shares `level` with `cpu`: *ret is NULL where the level does not exist there. */
static int sharers(const Topology *t, hwloc_topology_t hwloc, unsigned cpu, DomainLevel level, Cpuset **ret) {
        const Cpuset *all;
        if (level == DOMAIN_NODE) {
                const Node *node = node_of(t, cpu);
                all = node ? node->cpus : NULL;
        } else {
                hwloc_obj_t o = ancestor(hwloc, cpu, level);
                all = o ? o->cpuset : NULL;
        }

        if (!all) {
                *ret = NULL;
                return 0;
        }

        _cleanup_cpuset_ Cpuset *cpus = cpuset_copy(all);
        if (!cpus)
                return -ENOMEM;
        int r = cpuset_and(cpus, t->cpus);
        if (r == 0 && level == DOMAIN_LLC)
                r = cut_at_node(t, cpu, cpus);
        if (r < 0)
                return r;
        *ret = TAKE_PTR(cpus);
        return 0;
}

static int node_of_all(const Topology *t, const Cpuset *cpus) {
        const Node *node = node_of(t, (unsigned) hwloc_bitmap_first(cpus));
        return node && cpuset_subset(cpus, node->cpus) ? (int) node->id : -1;
}

static int package_of_all(hwloc_topology_t hwloc, const Cpuset *cpus) {
        hwloc_obj_t o = ancestor(hwloc, (unsigned) hwloc_bitmap_first(cpus), DOMAIN_PACKAGE);
        if (!o || o->os_index == HWLOC_UNKNOWN_INDEX || !cpuset_subset(cpus, o->cpuset))
                return -1;
        return (int) o->os_index;
}

static unsigned kind_of_all(const Topology *t, const Cpuset *cpus) {
        for (unsigned i = 0; i < t->n_kinds; i++)
                if (cpuset_subset(cpus, t->kinds[i]))
                        return i;
        return KIND_MIXED;
}

static int add_level(Topology *t, hwloc_topology_t hwloc, DomainLevel level, size_t *allocated) {
        _cleanup_cpuset_ Cpuset *left = cpuset_copy(t->cpus);
        if (!left)
                return -ENOMEM;

        CPUSET_FOREACH (cpu, t->cpus) {
                if (!cpuset_has(left, (unsigned) cpu))
                        continue;

                int r = ARRAY_RESERVE(t->domains, *allocated, t->n_domains + 1);
                if (r < 0)
                        return r;
                Cpuset *cpus;
                r = sharers(t, hwloc, (unsigned) cpu, level, &cpus);
                if (r < 0)
                        return r;
                if (!cpus)
                        continue;

                t->domains[t->n_domains++] = (Domain){
                        .level = level,
                        .cpus = cpus,
                        .node = node_of_all(t, cpus),
                        .package = package_of_all(hwloc, cpus),
                        .kind = kind_of_all(t, cpus),
                };
                r = cpuset_andnot(left, cpus);
                if (r < 0)
                        return r;
        }
        return 0;
}

int topology_add_domains(Topology *t, hwloc_topology_t hwloc) {
        size_t allocated = 0;

        for (DomainLevel level = 0; level < _DOMAIN_LEVEL_MAX; level++) {
                int r = add_level(t, hwloc, level, &allocated);
                if (r < 0)
                        return r;
        }
        return 0;
}
