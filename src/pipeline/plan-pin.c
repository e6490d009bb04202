/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Which CPUs for a target: what is available, what others have and use, how much room it needs, what it had planned a
 * moment ago. The search itself is in decide/. */

#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "decide/guards.h"
#include "decide/pin.h"
#include "pipeline/plan-arms.h"

/* Demand of a target that is not to be squeezed: room for its peaks. */
#define DEMAND_HEADROOM_PERMILLE 1250

/* A former plan stays while others use no more of its CPUs than this beyond what they use of the best ones. */
#define ABOUT_AS_GOOD_MILLI 1000

/* CPUs that nobody may be sent to: taken from the machine by isolcpus or nohz_full, or given to a sibling's partition
 * alone. */
static int take_out_exclusive(const Pipeline *p, const Target *t, Cpuset *available) {
        const Snapshot *s = p->snapshot;
        int r = 0;
        if (p->topology->isolated)
                r = cpuset_andnot(available, p->topology->isolated);
        if (r >= 0 && p->topology->nohz_full)
                r = cpuset_andnot(available, p->topology->nohz_full);
        for (size_t i = 1; r >= 0 && i < s->n_cgroups; i++) {
                const CgroupSample *c = &s->cgroups[i];
                bool exclusive = c->partition == PARTITION_ROOT || c->partition == PARTITION_ISOLATED;
                if (exclusive && c->effective && !snapshot_is_below(s, t->cgroup, i))
                        r = cpuset_andnot(available, c->effective);
        }
        return r;
}

static int available_cpus(const Pipeline *p, const Target *t, Cpuset **ret) {
        const Snapshot *s = p->snapshot;
        _cleanup_cpuset_ Cpuset *set = cpuset_copy(snapshot_allowed(s, s->cgroups[t->cgroup].parent));
        if (!set)
                return -ENOMEM;
        int r = cpuset_and(set, p->topology->cpus);
        if (r >= 0)
                r = take_out_exclusive(p, t, set);
        if (r >= 0)
                *ret = TAKE_PTR(set);
        return r;
}

/* CPUs of the other targets that we have pinned. */
static int taken_cpus(const Pipeline *p, const Target *t, Cpuset **ret) {
        _cleanup_cpuset_ Cpuset *set = cpuset_new();
        if (!set)
                return -ENOMEM;
        for (size_t i = 0; i < executor_size(p->executor); i++) {
                const Change *c = executor_at(p->executor, i);
                _cleanup_cpuset_ Cpuset *theirs = NULL;
                if (c->arm != ARM_PIN || streq(c->target, t->path) || c->residue)
                        continue;
                int r = cpuset_parse_list(c->to, strlen(c->to), &theirs);
                if (r >= 0)
                        r = cpuset_or(set, theirs);
                if (r < 0)
                        return r;
        }
        *ret = TAKE_PTR(set);
        return 0;
}

static bool room_needed(const Pipeline *p, const Target *t, uint64_t *ret_milli) {
        const Signals *s = &t->verdict.evidence;
        if (t->verdict.kind->pin_room == PIN_ROOM_USAGE)
                return trial_median_usage(t, p->settings->before_ticks, ret_milli);
        if (!signals_has(s, SIGNAL_DEMAND))
                return false;
        *ret_milli = (uint64_t) s->value[SIGNAL_DEMAND] * DEMAND_HEADROOM_PERMILLE / 1000;
        return true;
}

static uint64_t others_on(const Target *t, const Cpuset *cpus) {
        uint64_t sum = 0;
        CPUSET_FOREACH (cpu, cpus)
                sum += (size_t) cpu < t->n_others ? t->others_milli[cpu] : 0;
        return sum;
}

/* What was planned (and shown, and perhaps done by hand) a moment ago stays the plan while it is about as good: load
 * comes and goes, and two equal domains would change places with every look. */
static int prefer_former(const Target *t, const Cpuset *former, const PinRequest *request, Cpuset **cpus) {
        if (!former || !*cpus || cpuset_count(former) != cpuset_count(*cpus) ||
            !cpuset_subset(former, request->available) || cpuset_intersects(former, request->taken) ||
            others_on(t, former) > others_on(t, *cpus) + ABOUT_AS_GOOD_MILLI)
                return 0;
        Cpuset *copy = cpuset_copy(former);
        if (!copy)
                return -ENOMEM;
        cpuset_free(*cpus);
        *cpus = copy;
        return 0;
}

static int choose_cpus(Pipeline *p, Target *t, const Cpuset *former, Cpuset **ret) {
        _cleanup_cpuset_ Cpuset *available = NULL, *taken = NULL;
        const Signals *s = &t->verdict.evidence;
        PinRequest request = {
                .topology = p->topology,
                .policy = t->policy,
                .have_quota = signals_has(s, SIGNAL_QUOTA),
                .quota_milli = signals_has(s, SIGNAL_QUOTA) ? (uint64_t) s->value[SIGNAL_QUOTA] : 0,
                .others_milli = t->others_milli,
                .n_others = t->n_others,
        };

        if (!room_needed(p, t, &request.need_milli)) {
                refusal_set(&t->refusal, 0, "its need of CPUs is not known yet");
                return 0;
        }
        int r = available_cpus(p, t, &available);
        if (r >= 0)
                r = taken_cpus(p, t, &taken);
        if (r < 0)
                return r;
        request.available = available;
        request.taken = taken;
        r = pin_choose(&request, ret, &t->refusal);
        return r < 0 ? r : prefer_former(t, former, &request, ret);
}

int plan_pin(Pipeline *p, Target *t, const Facts *facts, const Plan *former) {
        const GuardInput guard = plan_guard_input(p, t, facts);
        _cleanup_cpuset_ Cpuset *cpus = NULL;

        guard_pin(&guard, &t->refusal);
        int r = t->refusal.refused ? 0 : choose_cpus(p, t, former->cpus, &cpus);
        if (r < 0 || t->refusal.refused)
                return r;
        guard_fit(facts, cpus, snapshot_allowed(p->snapshot, t->cgroup), &t->refusal);
        if (t->refusal.refused)
                return 0;

        t->plan.cpus = TAKE_PTR(cpus);
        return plan_fill(t, ARM_PIN, facts, strdup(t->verdict.text));
}
