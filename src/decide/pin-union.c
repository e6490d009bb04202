/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Of the unions with the fewest domains, the best one is, in this order: the one that shares fewest domains with other
 * targets, has free room for the need, lies closest together (threads of one group talk across it), has most free room,
 * has the lowest CPU.
 *
 * Neither all unions are looked at nor is anything random. For each place that could hold a union (a node in a
 * package, a node, a package, the machine) the domains are taken in the order of their rank, each one only if the
 * largest of the others could still make up for what it is too small: the first union in the order of ranks. */

#include "decide/pin-union.h"

#include <errno.h>
#include <stdlib.h>

/* How close together a union lies, the closest first. */
typedef enum Scope {
        SCOPE_NODE_AND_PACKAGE,
        SCOPE_NODE,
        SCOPE_PACKAGE,
        SCOPE_MACHINE,
        _SCOPE_MAX,
} Scope;

/* The candidates of one place, and which of them are in the union that is being made. */
typedef struct Pool {
        const Candidate **by_rank, **by_size;
        size_t n;
        const Candidate *base; /* all candidates */
        size_t n_base;
        bool *used; /* of all candidates */
} Pool;

typedef struct Choice {
        Cpuset *cpus; /* NULL: none yet */
        uint64_t room_milli;
        size_t n_taken;
        Scope scope;
} Choice;

static void pool_done(Pool *p) {
        free(p->by_rank);
        free(p->by_size);
        free(p->used);
}

static int pool_init(Pool *p, const Candidate *candidates, size_t n) {
        *p = (Pool){
                .by_rank = calloc(n, sizeof(const Candidate *)),
                .by_size = calloc(n, sizeof(const Candidate *)),
                .used = calloc(n, sizeof(*p->used)),
                .base = candidates,
                .n_base = n,
        };
        return p->by_rank && p->by_size && p->used ? 0 : -ENOMEM;
}

/* Candidates stand by lowest CPU: their addresses decide between equals. */
static int compare_rank(const void *a, const void *b) {
        const Candidate *x = *(const Candidate *const *) a, *y = *(const Candidate *const *) b;

        if (x->taken != y->taken)
                return x->taken ? 1 : -1;
        if (x->room_steps != y->room_steps)
                return x->room_steps > y->room_steps ? -1 : 1;
        return x < y ? -1 : x > y;
}

static int compare_size(const void *a, const void *b) {
        const Candidate *x = *(const Candidate *const *) a, *y = *(const Candidate *const *) b;

        if (x->n_cpus != y->n_cpus)
                return x->n_cpus > y->n_cpus ? -1 : 1;
        return x < y ? -1 : x > y;
}

static bool same_known(int a, int b) {
        return a >= 0 && a == b;
}

static bool in_scope(const Domain *a, const Domain *b, Scope scope) {
        switch (scope) {
        case SCOPE_NODE_AND_PACKAGE:
                return same_known(a->node, b->node) && same_known(a->package, b->package);
        case SCOPE_NODE:
                return same_known(a->node, b->node);
        case SCOPE_PACKAGE:
                return same_known(a->package, b->package);
        case SCOPE_MACHINE:
        case _SCOPE_MAX:
                break;
        }
        return true;
}

/* Fills the pool with all candidates at the place of candidates[anchor]. False where an earlier one stands for it. */
static bool pool_fill(Pool *p, size_t anchor, Scope scope) {
        p->n = 0;
        memset(p->used, 0, p->n_base * sizeof(*p->used));
        for (size_t i = 0; i < p->n_base; i++) {
                if (!in_scope(p->base[anchor].domain, p->base[i].domain, scope))
                        continue;
                if (i < anchor)
                        return false;
                p->by_rank[p->n] = p->by_size[p->n] = p->base + i;
                p->n++;
        }
        qsort(p->by_rank, p->n, sizeof(const Candidate *), compare_rank);
        qsort(p->by_size, p->n, sizeof(const Candidate *), compare_size);
        return true;
}

/* CPUs of the k largest that are not used. */
static uint64_t largest(const Pool *p, size_t k) {
        uint64_t sum = 0;

        for (size_t i = 0; i < p->n && k > 0; i++)
                if (!p->used[p->by_size[i] - p->base]) {
                        sum += p->by_size[i]->n_cpus;
                        k--;
                }
        return sum;
}

/* Uses the first in rank with which k domains can still reach n_cpus. NULL where there is none. */
static const Candidate *use_next(Pool *p, size_t k, uint64_t n_cpus) {
        for (size_t i = 0; i < p->n; i++) {
                const Candidate *c = p->by_rank[i];
                bool *used = p->used + (c - p->base);
                if (*used)
                        continue;
                *used = true;
                if (c->n_cpus + largest(p, k - 1) >= n_cpus)
                        return c;
                *used = false;
        }
        return NULL;
}

/* The first union of k domains in the order of ranks. choice->cpus stays NULL where the pool has none. */
static int take(Pool *p, size_t k, uint64_t n_cpus, Choice *choice) {
        if (p->n < k)
                return 0;

        _cleanup_cpuset_ Cpuset *cpus = cpuset_new();
        if (!cpus)
                return -ENOMEM;

        for (; k > 0; k--) {
                const Candidate *c = use_next(p, k, n_cpus);
                if (!c)
                        return 0;
                int r = cpuset_or(cpus, c->cpus);
                if (r < 0)
                        return r;
                n_cpus -= MIN(n_cpus, (uint64_t) c->n_cpus);
                choice->room_milli += (uint64_t) c->room_steps * ROOM_STEP_MILLI;
                choice->n_taken += c->taken;
        }
        choice->cpus = TAKE_PTR(cpus);
        return 0;
}

static bool roomy(const Choice *c, const UnionNeed *need) {
        return c->room_milli >= need->milli;
}

static bool better(const Choice *a, const Choice *b, const UnionNeed *need) {
        if (!a->cpus || !b->cpus)
                return a->cpus;
        if (a->n_taken != b->n_taken)
                return a->n_taken < b->n_taken;
        if (roomy(a, need) != roomy(b, need))
                return roomy(a, need);
        if (a->scope != b->scope)
                return a->scope < b->scope;
        if (a->room_milli != b->room_milli)
                return a->room_milli > b->room_milli;
        return hwloc_bitmap_first(a->cpus) < hwloc_bitmap_first(b->cpus);
}

/* Keeps the better one of both in *best. */
static void keep_better(Choice *best, Choice *other, const UnionNeed *need) {
        if (better(other, best, need)) {
                cpuset_free(best->cpus);
                *best = *other;
                other->cpus = NULL;
        }
        cpuset_free(other->cpus);
}

static int best_of_size(Pool *p, size_t k, const UnionNeed *need, Choice *best) {
        /* A single domain is as close together as can be, wherever it is. */
        for (Scope scope = k == 1 ? SCOPE_MACHINE : 0; scope < _SCOPE_MAX; scope++)
                for (size_t anchor = 0; anchor < p->n_base; anchor++) {
                        if (!pool_fill(p, anchor, scope))
                                continue;
                        Choice choice = {.scope = scope};
                        int r = take(p, k, need->n_cpus, &choice);
                        if (r < 0)
                                return r;
                        keep_better(best, &choice, need);
                }
        return 0;
}

/* The least number of domains that can hold n_cpus; 0 where all together can't. */
static size_t fewest(Pool *p, const UnionNeed *need) {
        (void) pool_fill(p, 0, SCOPE_MACHINE);
        for (size_t k = 1; k <= MIN(p->n, need->max_domains); k++)
                if (largest(p, k) >= need->n_cpus)
                        return k;
        return 0;
}

/* What others use now is no reason to take more: they may move away, and the trial judges. Only where less than two
 * thirds of the need have free room is one more domain taken, if that gives room for all of it. (At half, no second
 * domain of the same kind could ever help: the first one taken has the most room.) */
static int widen(Pool *p, size_t k, const UnionNeed *need, Choice *best) {
        if (best->room_milli >= need->milli / 3 * 2 || k + 1 > need->max_for_room)
                return 0;

        Choice wider = {};
        int r = best_of_size(p, k + 1, need, &wider);
        if (r == 0 && wider.cpus && roomy(&wider, need) && wider.n_taken <= best->n_taken) {
                cpuset_free(best->cpus);
                *best = wider;
                return 0;
        }
        cpuset_free(wider.cpus);
        return r;
}

static int choose(Pool *p, const UnionNeed *need, Choice *best) {
        size_t k = fewest(p, need);
        if (k == 0)
                return 0;
        int r = best_of_size(p, k, need, best);
        return r < 0 ? r : widen(p, k, need, best);
}

int union_choose(const Candidate *candidates, size_t n, const UnionNeed *need, Cpuset **ret) {
        Choice best = {};
        if (n > 0) {
                _cleanup_(pool_done) Pool pool = {};
                int r = pool_init(&pool, candidates, n);
                if (r == 0)
                        r = choose(&pool, need, &best);
                if (r < 0) {
                        cpuset_free(best.cpus);
                        return r;
                }
        }
        *ret = best.cpus;
        return 0;
}
