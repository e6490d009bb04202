/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Walks from the root towards the cgroup; at each level the capacity that arrived from above is poured over the
 * siblings: each takes at most what it wants, and what one leaves rises the others' level (max-min fairness with
 * weights). */

#include "model/fair-share.h"

#include <stdlib.h>

#define WEIGHT_DEFAULT 100

static uint64_t own_demand(const Delta *delta, size_t i) {
        const CgroupDelta *g = &delta->cgroups[i];
        if (counts_has(&g->threads, THREAD_RUN_NSEC) && counts_has(&g->threads, THREAD_DELAY_NSEC)) {
                uint64_t delay = counts_get(&g->threads, THREAD_DELAY_NSEC);
                uint64_t throttled = g->throttled_known ? g->throttled_usec * NSEC_PER_USEC : 0;
                uint64_t waits = delay > throttled ? delay - throttled : 0;
                return (counts_get(&g->threads, THREAD_RUN_NSEC) + waits) / MAX(delta->dt_usec, (usec_t) 1);
        }
        return counts_get(&g->counts, CGROUP_USAGE_USEC) * 1000 / MAX(delta->dt_usec, (usec_t) 1);
}

uint64_t *fair_share_demands(const Delta *delta) {
        const Snapshot *s = delta->snapshot;
        uint64_t *demands = calloc(MAX(s->n_cgroups, (size_t) 1), sizeof(*demands));
        if (!demands)
                return NULL;
        /* Children stand behind their parents, so that from the end on every subtree is complete when it is added. */
        for (size_t i = s->n_cgroups; i-- > 1;) {
                if (s->cgroups[i].leaf)
                        demands[i] = own_demand(delta, i);
                demands[s->cgroups[i].parent] += demands[i];
        }
        return demands;
}

static uint64_t weight_of(const CgroupSample *c) {
        return c->have & CGROUP_HAVE_WEIGHT ? MAX(c->weight, UINT64_C(1)) : WEIGHT_DEFAULT;
}

/* Pours capacity over the children of `parent`; what `child` gets. A child whose weighted part is more than it wants
 * takes what it wants and leaves; the others share the rest, until nobody leaves. */
static uint64_t pour(const Delta *delta, const uint64_t *demands, size_t parent, size_t child, uint64_t capacity) {
        const Snapshot *s = delta->snapshot;
        uint64_t level_weight = 0, level_capacity = capacity,
                 level = 0; /* level: thousandths per weight unit, * 1000 */

        for (;;) {
                uint64_t weights = 0, left = capacity;
                for (size_t i = parent + 1; i < s->n_cgroups; i++) {
                        if (s->cgroups[i].parent != parent)
                                continue;
                        if (demands[i] * 1000 <= level * weight_of(&s->cgroups[i]))
                                left -= MIN(left, demands[i]);
                        else
                                weights += weight_of(&s->cgroups[i]);
                }
                if (weights == 0 || (weights == level_weight && left == level_capacity))
                        break;
                level_weight = weights, level_capacity = left;
                level = left * 1000 / weights;
        }
        return MIN(demands[child], level * weight_of(&s->cgroups[child]) / 1000);
}

uint64_t fair_share(const Delta *delta, const uint64_t *demands, size_t cgroup, unsigned n_cpus) {
        const Snapshot *s = delta->snapshot;
        size_t path[64], depth = 0; /* cgroup.max.depth has no limit, but nothing sane is deeper */

        for (size_t i = cgroup; i != CGROUP_NONE && depth < ELEMENTSOF(path); i = s->cgroups[i].parent)
                path[depth++] = i;

        uint64_t capacity = (uint64_t) n_cpus * 1000;
        for (; depth > 1; depth--) {
                size_t parent = path[depth - 1], child = path[depth - 2];
                if (!(s->cgroups[parent].subtree_control & CONTROLLER_CPU))
                        /* Single tasks from here on down: everybody the same part of what he wants. */
                        return demands[parent] <= capacity ? demands[cgroup]
                                                           : capacity * demands[cgroup] / demands[parent];
                capacity = pour(delta, demands, parent, child, capacity);
        }
        return MIN(capacity, demands[cgroup]);
}
