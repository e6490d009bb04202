/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Which CPUs a pin takes. Whole domains only: of a domain, all that is available to the target, so that a cache is the
 * target's or the others', never cut in two. Levels are tried from the finest upwards; at each one first the domains
 * that no other target of placerd has, then all; of each, core types from the most capable downwards, since a need
 * measured on fast cores does not fit into as many slow ones.
 *
 * What must hold: the need, the quota's ceiling and min-cpus fit into the union's CPUs, and one domain stays outside of
 * it. What others use only ranks domains. A domain is refused for its size alone: how much of the others' load is still
 * there once the target has moved in is not known before the trial. */

#include "decide/pin.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "decide/pin-union.h"

#define MILLI 1000U

/* Why a level gives nothing; the larger one is the better explanation. */
typedef enum LevelResult {
        LEVEL_ABSENT,
        LEVEL_SINGLE, /* one domain only */
        LEVEL_SMALL,  /* no union is large enough */
        LEVEL_FOUND,
} LevelResult;

/* The available domains of one level. */
typedef struct Candidates {
        Candidate *items;
        size_t n;
} Candidates;

static void candidates_done(Candidates *c) {
        for (size_t i = 0; i < c->n; i++)
                cpuset_free(c->items[i].cpus);
        free(c->items);
}

static const char *level_noun(DomainLevel level) {
        return level == DOMAIN_LLC ? "cache domain" : domain_level_name(level);
}

static uint64_t ceil_cpus(uint64_t milli) {
        return milli / MILLI + (milli % MILLI > 0);
}

static uint64_t quota_cpus(const PinRequest *q) {
        return q->have_quota ? ceil_cpus(q->quota_milli) : 0;
}

static uint64_t required_cpus(const PinRequest *q) {
        uint64_t n = MAX(ceil_cpus(q->need_milli), quota_cpus(q));
        n = MAX(n, (uint64_t) q->policy->min_cpus);
        return MAX(n, UINT64_C(1));
}

#define WANT_MAX 64

/* "needs 5.2 CPUs": what asks for most. Tenths are rounded up, so that "needs 4.0" is never refused by 4. */
static const char *format_want(const PinRequest *q, char buf[static WANT_MAX]) {
        uint64_t need = ceil_cpus(q->need_milli), quota = quota_cpus(q);

        if (q->policy->min_cpus > need && q->policy->min_cpus > quota)
                (void) snprintf(buf, WANT_MAX, "min-cpus is %u", q->policy->min_cpus);
        else {
                uint64_t milli = need < quota ? q->quota_milli : q->need_milli;
                uint64_t tenths = milli / 100 + (milli % 100 > 0);
                (void) snprintf(buf, WANT_MAX, "%s %" PRIu64 ".%" PRIu64 " CPUs",
                                need < quota ? "its quota is" : "needs", tenths / 10, tenths % 10);
        }
        return buf;
}

/* In ROOM_STEP_MILLI, to the nearest one: an idle domain stays one while others use a little of it. A CPU of which
 * nothing is known counts as free. */
static unsigned room_steps(const PinRequest *q, const Cpuset *cpus) {
        uint64_t room = 0;

        CPUSET_FOREACH (cpu, cpus) {
                uint64_t others = q->others_milli && (size_t) cpu < q->n_others ? q->others_milli[cpu] : 0;
                room += MILLI - MIN(others, (uint64_t) MILLI);
        }
        return (unsigned) ((room + ROOM_STEP_MILLI / 2) / ROOM_STEP_MILLI);
}

static int add_candidate(const PinRequest *q, const Domain *domain, Candidates *c) {
        _cleanup_cpuset_ Cpuset *cpus = cpuset_copy(domain->cpus);
        if (!cpus)
                return -ENOMEM;
        int r = cpuset_and(cpus, q->available);
        if (r < 0 || cpuset_empty(cpus))
                return r;

        c->items[c->n++] = (Candidate){
                .domain = domain,
                .n_cpus = cpuset_count(cpus),
                .room_steps = room_steps(q, cpus),
                .taken = q->taken && cpuset_intersects(cpus, q->taken),
        };
        c->items[c->n - 1].cpus = TAKE_PTR(cpus);
        return 0;
}

static int collect(const PinRequest *q, const Domain *domains, size_t n, Candidates *c) {
        c->items = calloc(n, sizeof(*c->items));
        if (!c->items)
                return -ENOMEM;

        for (size_t i = 0; i < n; i++) {
                int r = add_candidate(q, domains + i, c);
                if (r < 0)
                        return r;
        }
        return 0;
}

static size_t count_free(const Candidates *c) {
        size_t n = 0;
        for (size_t i = 0; i < c->n; i++)
                n += !c->items[i].taken;
        return n;
}

/* The candidates of one core type, borrowed, into `ret`, which has room for all. */
static size_t filter(const Candidates *c, unsigned kind, bool with_taken, Candidate *ret) {
        size_t n = 0;
        for (size_t i = 0; i < c->n; i++)
                if (c->items[i].domain->kind == kind && (with_taken || !c->items[i].taken))
                        ret[n++] = c->items[i];
        return n;
}

/* Leaves *ret NULL where there is no union. */
static int search(const PinRequest *q, const Candidates *c, Cpuset **ret) {
        _cleanup_free_ Candidate *some = calloc(c->n, sizeof(*some));
        if (!some)
                return -ENOMEM;

        for (int with_taken = 0; with_taken <= 1; with_taken++)
                for (unsigned kind = 0; kind < q->topology->n_kinds; kind++) {
                        size_t n_free = count_free(c), n = filter(c, kind, with_taken, some);
                        UnionNeed need = {
                                .n_cpus = required_cpus(q),
                                .milli = q->need_milli,
                                .max_domains = c->n - 1,
                                /* Room alone is no reason to leave the rest without a domain of its own. */
                                .max_for_room = with_taken || n_free == 0 ? 0 : n_free - 1,
                        };
                        int r = union_choose(some, n, &need, ret);
                        if (r < 0 || *ret)
                                return r;
                }
        return 0;
}

static int compare_unsigned_descending(const void *a, const void *b) {
        unsigned x = *(const unsigned *) a, y = *(const unsigned *) b;
        return x > y ? -1 : x < y;
}

/* CPUs of the largest union that leaves a domain, 0 where all mix core types. -ENOMEM. */
static int largest_union(const Topology *t, const Candidates *c, uint64_t *ret) {
        _cleanup_free_ unsigned *sizes = calloc(c->n, sizeof(*sizes));
        if (!sizes)
                return -ENOMEM;

        uint64_t best = 0;
        for (unsigned kind = 0; kind < t->n_kinds; kind++) {
                size_t n = 0;
                uint64_t sum = 0;
                for (size_t i = 0; i < c->n; i++)
                        if (c->items[i].domain->kind == kind)
                                sizes[n++] = c->items[i].n_cpus;
                qsort(sizes, n, sizeof(*sizes), compare_unsigned_descending);
                for (size_t i = 0; i < MIN(n, c->n - 1); i++)
                        sum += sizes[i];
                best = MAX(best, sum);
        }
        *ret = best;
        return 0;
}

static int refuse_small(const PinRequest *q, DomainLevel level, const Candidates *c, Refusal *ret) {
        char want[WANT_MAX];
        uint64_t n_cpus;
        int r = largest_union(q->topology, c, &n_cpus);
        if (r < 0)
                return r;

        if (n_cpus == 0)
                refusal_set(ret, 0, "every %s mixes core types", level_noun(level));
        else
                refusal_set(ret, 0, "%s, the largest union of %ss that leaves one to the rest has %" PRIu64,
                            format_want(q, want), level_noun(level), n_cpus);
        return 0;
}

static void refuse_single(DomainLevel level, size_t n_machine, size_t n_available, Refusal *ret) {
        if (n_available == 0)
                refusal_set(ret, 0, "no CPU of any %s is available", level_noun(level));
        else if (n_machine == 1)
                refusal_set(ret, 0, "only one %s: nothing to pin to", level_noun(level));
        else
                refusal_set(ret, 0, "only one %s of %zu is available: nothing to pin to", level_noun(level), n_machine);
}

/* *ret_cpus is set with LEVEL_FOUND, *ret_refusal with the others but LEVEL_ABSENT. */
static int choose_level(const PinRequest *q, DomainLevel level, LevelResult *ret, Cpuset **ret_cpus,
                        Refusal *ret_refusal) {
        const Domain *domains;
        size_t n = topology_level(q->topology, level, &domains);
        if (n == 0) {
                *ret = LEVEL_ABSENT;
                return 0;
        }

        _cleanup_(candidates_done) Candidates c = {};
        int r = collect(q, domains, n, &c);
        if (r < 0)
                return r;
        if (c.n < 2) {
                refuse_single(level, n, c.n, ret_refusal);
                *ret = LEVEL_SINGLE;
                return 0;
        }

        r = search(q, &c, ret_cpus);
        if (r < 0)
                return r;
        *ret = *ret_cpus ? LEVEL_FOUND : LEVEL_SMALL;
        return *ret_cpus ? 0 : refuse_small(q, level, &c, ret_refusal);
}

static bool level_wanted(PinMode pin, DomainLevel level) {
        switch (pin) {
        case PIN_AUTO:
                return true;
        case PIN_LLC:
                return level == DOMAIN_LLC;
        case PIN_NODE:
                return level == DOMAIN_NODE;
        case PIN_PACKAGE:
                return level == DOMAIN_PACKAGE;
        case PIN_NEVER:
        case PIN_CPUS:
                break;
        }
        return false;
}

static int choose_domains(const PinRequest *q, Cpuset **ret_cpus, Refusal *ret_refusal) {
        LevelResult reason = LEVEL_ABSENT;

        for (DomainLevel level = 0; level < _DOMAIN_LEVEL_MAX; level++) {
                if (!level_wanted(q->policy->pin, level))
                        continue;

                LevelResult result = LEVEL_ABSENT;
                Cpuset *cpus = NULL;
                Refusal refusal = {};
                int r = choose_level(q, level, &result, &cpus, &refusal);
                if (r < 0)
                        return r;
                if (result == LEVEL_FOUND) {
                        *ret_cpus = cpus;
                        *ret_refusal = (Refusal){};
                        return 0;
                }
                if (result > reason) {
                        *ret_refusal = refusal;
                        reason = result;
                }
        }

        if (reason == LEVEL_ABSENT)
                refusal_set(ret_refusal, 0, "the machine has no domains of the level that pin= asks for");
        return 0;
}

/* pin=CPULIST: the administrator's own choice, cut to what is available. */
static int choose_listed(const PinRequest *q, Cpuset **ret_cpus, Refusal *ret_refusal) {
        _cleanup_cpuset_ Cpuset *cpus = cpuset_copy(q->policy->pin_cpus);
        _cleanup_free_ char *list = cpuset_format_list(q->policy->pin_cpus);
        char want[WANT_MAX];
        if (!cpus || !list)
                return -ENOMEM;
        int r = cpuset_and(cpus, q->available);
        if (r < 0)
                return r;

        if (cpuset_empty(cpus))
                refusal_set(ret_refusal, 0, "no CPU of pin=%.100s is available", list);
        else if (cpuset_count(cpus) < required_cpus(q))
                refusal_set(ret_refusal, 0, "%s, pin=%.100s has %u that are available", format_want(q, want), list,
                            cpuset_count(cpus));
        else if (cpuset_equal(cpus, q->available))
                refusal_set(ret_refusal, 0, "pin=%.100s has every CPU that is available: nothing to pin to", list);
        else
                *ret_cpus = TAKE_PTR(cpus);
        return 0;
}

int pin_choose(const PinRequest *request, Cpuset **ret_cpus, Refusal *ret_refusal) {
        Cpuset *cpus = NULL;
        Refusal refusal = {};
        int r = 0;

        if (request->policy->pin == PIN_NEVER)
                refusal_set(&refusal, 0, "pin=never");
        else if (request->policy->pin == PIN_CPUS)
                r = choose_listed(request, &cpus, &refusal);
        else
                r = choose_domains(request, &cpus, &refusal);
        if (r < 0)
                return r;

        *ret_cpus = cpus;
        *ret_refusal = refusal;
        return 0;
}
