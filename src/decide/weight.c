/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* How much weight, and when none. A weight only compares siblings, so whether it helps depends on who stands beside the
 * group, and beside the groups above it: all of that is in model/fair-share, which is asked what the group would be due
 * with one weight or another. What comes out is a prediction, and the trial has the last word; what the prediction
 * alone forbids is what nobody should have to go through for a trial: a service that asks for latency loses its CPU
 * time, two of our own services are played off against each other, or a quota would take back what the weight gives. */

#include "decide/weight.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/cleanup.h"

#define MILLI 1000U
#define COVER_PERMILLE 1100
/* Above this part of a quota, more CPU time is mostly more throttling. */
#define QUOTA_PERMILLE 800
/* The least that usage must rise by for the trial to count (model/verdict.h, GAIN_UP_BY_TENTH). */
#define WORTH_PERMILLE 1100

/* As if the group wanted this much; what is above it wants as much more. */
static uint64_t *demands_with(const WeightRequest *q, uint64_t demand_milli) {
        const Snapshot *s = q->competition.snapshot;
        uint64_t *demands = calloc(s->n_cgroups, sizeof(*demands));
        if (!demands)
                return NULL;
        memcpy(demands, q->competition.demands, s->n_cgroups * sizeof(*demands));
        uint64_t before = demands[q->cgroup];
        for (size_t i = q->cgroup; i != CGROUP_NONE; i = s->cgroups[i].parent)
                demands[i] = demands[i] - MIN(demands[i], before) + demand_milli;
        return demands;
}

static uint64_t due(const WeightRequest *q, const uint64_t *demands, uint64_t weight, size_t cgroup) {
        Competition c = q->competition;
        c.demands = demands;
        c.raised = q->cgroup;
        c.weight = weight;
        return fair_share(&c, cgroup);
}

/* The smallest one that gives as much as the largest, or as is wanted. */
static WeightChoice smallest(const WeightRequest *q, const uint64_t *demands, uint64_t max) {
        uint64_t low = 1, high = max, enough = due(q, demands, max, q->cgroup);

        while (low < high) {
                uint64_t mid = low + (high - low) / 2;
                if (due(q, demands, mid, q->cgroup) >= enough)
                        high = mid;
                else
                        low = mid + 1;
        }
        return (WeightChoice){.weight = low, .due_milli = enough};
}

/* Where most of the others stand: this cgroup's siblings are whom the group competes with. */
static size_t level_of_competition(const WeightRequest *q) {
        const Snapshot *s = q->competition.snapshot;
        const uint64_t *demands = q->competition.demands;
        uint64_t most = 0;
        size_t level = q->cgroup;

        for (size_t i = q->cgroup; s->cgroups[i].parent != CGROUP_NONE; i = s->cgroups[i].parent) {
                uint64_t all = demands[s->cgroups[i].parent], beside = all - MIN(all, demands[i]);
                if (beside > most)
                        most = beside, level = i;
        }
        return level;
}

#define CPUS(milli) (milli) / MILLI, (milli) % MILLI / 100
#define CPUS_FORMAT "%" PRIu64 ".%" PRIu64

static void refuse_useless(const WeightRequest *q, const WeightChoice *choice, Refusal *ret) {
        size_t level = level_of_competition(q);
        const char *path = q->competition.snapshot->cgroups[level].path;

        if (level != q->cgroup)
                refusal_set(ret, 0,
                            "more weight would not help: what it competes with stands beside %s, and a weight there "
                            "would be everybody's in it",
                            path);
        else
                refusal_set(ret, 0,
                            "more weight would not help: with %" PRIu64 " it would be due " CPUS_FORMAT
                            " CPUs, and it uses " CPUS_FORMAT,
                            choice->weight, CPUS(choice->due_milli), CPUS(q->usage_milli));
}

static bool useless(const WeightRequest *q, const WeightChoice *choice, Refusal *ret) {
        if (choice->due_milli * 1000 <= q->usage_milli * WORTH_PERMILLE)
                refuse_useless(q, choice, ret);
        else if (choice->weight <= q->present)
                refusal_set(ret, 0, "its weight of %" PRIu64 " is enough for what it wants", q->present);
        return ret->refused;
}

static bool above_quota(const WeightRequest *q, const WeightChoice *choice, Refusal *ret) {
        uint64_t predicted = MIN(q->demand_milli, choice->due_milli);
        if (!q->have_quota || predicted * 1000 <= q->quota_milli * QUOTA_PERMILLE)
                return false;
        refusal_set(ret, 0, "it would use " CPUS_FORMAT " CPUs, more than four fifths of its quota of " CPUS_FORMAT,
                    CPUS(predicted), CPUS(q->quota_milli));
        return true;
}

/* Groups on other CPUs take nothing from each other, whatever they weigh. */
static bool on_the_same_cpus(const WeightRequest *q, const WeightRival *rival) {
        const Cpuset *mine = snapshot_allowed(q->competition.snapshot, q->cgroup);
        const Cpuset *theirs = snapshot_allowed(q->competition.snapshot, rival->cgroup);
        return mine == theirs || !mine || !theirs || cpuset_intersects(mine, theirs);
}

/* Only the ratio of two weights counts: raising both is raising none. */
static bool raised_already(const WeightRequest *q, Refusal *ret) {
        for (size_t i = 0; i < q->n_rivals; i++) {
                const WeightRival *rival = &q->rivals[i];
                if (!rival->raised || q->competition.demands[rival->cgroup] == 0 || !on_the_same_cpus(q, rival))
                        continue;
                refusal_set(ret, 0, "it competes with %s, whose weight was raised already: only their ratio counts",
                            rival->name);
                return true;
        }
        return false;
}

static bool harms_latency(const WeightRequest *q, const uint64_t *demands, uint64_t weight, Refusal *ret) {
        for (size_t i = 0; i < q->n_rivals; i++) {
                const WeightRival *rival = &q->rivals[i];
                if (!rival->policy || rival->policy->goal != GOAL_LATENCY || !rival->usage_known ||
                    !on_the_same_cpus(q, rival))
                        continue;
                uint64_t left = due(q, demands, weight, rival->cgroup);
                if (left * 1000 >= rival->usage_milli * (1000 - rival->policy->max_harm_permille))
                        continue;
                refusal_set(ret, 0,
                            "it would take CPU time from %s, whose goal is latency: " CPUS_FORMAT
                            " CPUs would be left of " CPUS_FORMAT,
                            rival->name, CPUS(left), CPUS(rival->usage_milli));
                return true;
        }
        return false;
}

uint64_t weight_step(uint64_t present, uint64_t top) {
        return MIN(MAX(present, UINT64_C(1)) * 2, top);
}

unsigned weight_steps(uint64_t present, uint64_t top) {
        unsigned n = 1;
        for (present = weight_step(present, top); present < top; present = weight_step(present, top))
                n++;
        return n;
}

/* One write is for the undoing. */
static uint64_t reachable(const WeightRequest *q) {
        uint64_t weight = q->present;
        for (unsigned i = 1; i < q->writes && weight < q->policy->weight_max; i++)
                weight = weight_step(weight, q->policy->weight_max);
        return weight;
}

static bool no_room(const WeightRequest *q, Refusal *ret) {
        if (q->policy->weight_max <= q->present)
                refusal_set(ret, 0, "weight-max=%u is no more than the weight that it has, %" PRIu64,
                            q->policy->weight_max, q->present);
        else if (q->writes < 2)
                refusal_set(ret, 0, "changes-per-hour=%u is too few: a weight and its undoing are two", q->writes);
        return ret->refused;
}

int weight_choose(const WeightRequest *q, WeightChoice *ret_choice, Refusal *ret_refusal) {
        _cleanup_free_ uint64_t *demands = demands_with(q, q->demand_milli * COVER_PERMILLE / 1000);
        if (!demands)
                return -ENOMEM;

        Refusal refusal = {};
        WeightChoice choice = smallest(q, demands, reachable(q));
        if (!no_room(q, &refusal) && !useless(q, &choice, &refusal) && !above_quota(q, &choice, &refusal) &&
            !raised_already(q, &refusal) && !harms_latency(q, demands, choice.weight, &refusal))
                *ret_choice = choice;
        *ret_refusal = refusal;
        return 0;
}

size_t weight_switches_on(const Snapshot *s, size_t cgroup) {
        size_t n = 0;
        for (size_t parent = s->cgroups[cgroup].parent; parent != CGROUP_NONE; parent = s->cgroups[parent].parent) {
                if (s->cgroups[parent].subtree_control & CONTROLLER_CPU)
                        continue;
                for (size_t i = parent + 1; i < s->n_cgroups; i++)
                        n += s->cgroups[i].parent == parent;
        }
        return n;
}
