/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Walks from the root towards the cgroup; at each level the capacity that arrived from above is poured over the
 * siblings: each takes at most what it wants, and what one leaves rises the others' level (max-min fairness with
 * weights).
 *
 * A level is kept in billionths of a thousandth of a CPU for each unit of pull: pulls reach 10^11 (weight 10000 on
 * 8192 CPUs), and the smallest part of a large machine must not vanish in rounding. */

#include "model/fair-share.h"

#include <stdlib.h>

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

/* Thousandths of a weight, as the kernel's mode has it (see CgroupMode). An idle group weighs less than any other. */
static uint64_t pull_of(const Competition *c, size_t i) {
        const CgroupSample *g = &c->snapshot->cgroups[i];
        uint64_t weight = i == c->raised ? c->weight : g->have & CGROUP_HAVE_WEIGHT ? g->weight : WEIGHT_DEFAULT;
        uint64_t all = (uint64_t) MAX(c->n_cpus, 1U) * 1000, active = MAX(c->demands[i], UINT64_C(1000));

        weight = g->have & CGROUP_HAVE_IDLE && g->idle ? 1 : MAX(weight, UINT64_C(1));
        switch (c->mode) {
        case CGROUP_MODE_SMP:
                return weight * 1000;
        case CGROUP_MODE_UP:
        case CGROUP_MODE_CONCUR:
                return weight * MIN(active, all);
        case CGROUP_MODE_MAX:
                return weight * all;
        case CGROUP_MODE_TASKS:
                return weight * active;
        case _CGROUP_MODE_MAX:
                break;
        }
        assert(false);
        return 0;
}

#define LEVEL_SCALE UINT64_C(1000000000)

/* a * b / c, saturating. */
static uint64_t scale(uint64_t a, uint64_t b, uint64_t c) {
        __extension__ unsigned __int128 product = (__extension__(unsigned __int128) a) * b / c;
        return product > UINT64_MAX ? UINT64_MAX : (uint64_t) product;
}

/* Pours capacity over the children of `parent`; what `child` gets. A child whose weighted part is more than it wants
 * takes what it wants and leaves; the others share the rest, until nobody leaves. */
static uint64_t pour(const Competition *c, size_t parent, size_t child, uint64_t capacity) {
        const Snapshot *s = c->snapshot;
        uint64_t level_pulls = 0, level_capacity = capacity, level = 0;

        for (;;) {
                uint64_t pulls = 0, left = capacity;
                for (size_t i = parent + 1; i < s->n_cgroups; i++) {
                        if (s->cgroups[i].parent != parent)
                                continue;
                        if (c->demands[i] <= scale(level, pull_of(c, i), LEVEL_SCALE))
                                left -= MIN(left, c->demands[i]);
                        else
                                pulls += pull_of(c, i);
                }
                if (pulls == 0 || (pulls == level_pulls && left == level_capacity))
                        break;
                level_pulls = pulls, level_capacity = left;
                level = scale(left, LEVEL_SCALE, pulls);
        }
        return MIN(c->demands[child], scale(level, pull_of(c, child), LEVEL_SCALE));
}

/* Do the children of `parent` compete as groups? */
static bool by_weight(const Competition *c, size_t parent) {
        return c->snapshot->cgroups[parent].subtree_control & CONTROLLER_CPU ||
               (c->raised != CGROUP_NONE && c->raised != parent && snapshot_is_below(c->snapshot, c->raised, parent));
}

uint64_t fair_share(const Competition *c, size_t cgroup) {
        const Snapshot *s = c->snapshot;
        const uint64_t *demands = c->demands;
        size_t path[65], depth = 0; /* the walk through the tree goes 64 below the root, no deeper */

        for (size_t i = cgroup; i != CGROUP_NONE && depth < ELEMENTSOF(path); i = s->cgroups[i].parent)
                path[depth++] = i;

        uint64_t capacity = (uint64_t) c->n_cpus * 1000;
        for (; depth > 1; depth--) {
                size_t parent = path[depth - 1], child = path[depth - 2];
                if (!by_weight(c, parent))
                        /* Single tasks from here on down: everybody the same part of what he wants. */
                        return demands[parent] <= capacity ? demands[cgroup]
                                                           : capacity * demands[cgroup] / demands[parent];
                capacity = pour(c, parent, child, capacity);
        }
        return MIN(capacity, demands[cgroup]);
}
