/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* How much weight for a target: who competes with it, and what the kernel makes of a weight. The arithmetic is in
 * decide/. */

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "decide/guards.h"
#include "decide/weight.h"
#include "pipeline/plan-arms.h"

static bool is_raised(const Pipeline *p, const Target *t) {
        const Change *c = pipeline_change(p, t);
        return c && c->arm == ARM_WEIGHT;
}

static int collect_rivals(const Pipeline *p, const Target *t, WeightRival **ret, size_t *ret_n) {
        _cleanup_free_ WeightRival *rivals = calloc(p->targets.n, sizeof(*rivals));
        size_t n = 0;
        if (!rivals)
                return -ENOMEM;

        for (size_t i = 0; i < p->targets.n; i++) {
                const Target *o = p->targets.items[i];
                if (o == t || o->cgroup == CGROUP_NONE)
                        continue;
                WeightRival *rival = &rivals[n++];
                *rival = (WeightRival){
                        .cgroup = o->cgroup,
                        .name = o->unit ?: o->path,
                        .policy = o->policy->name ? o->policy : NULL,
                        .raised = is_raised(p, o),
                };
                rival->usage_known = trial_median_usage(o, p->settings->before_ticks, &rival->usage_milli);
        }
        *ret = TAKE_PTR(rivals);
        *ret_n = n;
        return 0;
}

static int choose_weight(const Pipeline *p, Target *t, WeightChoice *ret) {
        const Signals *s = &t->verdict.evidence;
        _cleanup_free_ WeightRival *rivals = NULL;
        WeightRequest q = {
                .competition = {.snapshot = p->snapshot,
                                .n_cpus = cpuset_count(snapshot_allowed(p->snapshot, t->cgroup)),
                                .mode = p->topology->cgroup_mode,
                                .raised = CGROUP_NONE},
                .cgroup = t->cgroup,
                .policy = t->policy,
                .present = WEIGHT_DEFAULT,
                .have_quota = signals_has(s, SIGNAL_QUOTA),
                .writes = p->settings->changes_per_hour,
        };

        if (!signals_has(s, SIGNAL_DEMAND) || !signals_has(s, SIGNAL_USAGE)) {
                refusal_set(&t->refusal, 0, "its need of CPUs is not known yet");
                return 0;
        }
        q.demand_milli = (uint64_t) s->value[SIGNAL_DEMAND];
        q.usage_milli = (uint64_t) s->value[SIGNAL_USAGE];
        q.quota_milli = q.have_quota ? (uint64_t) s->value[SIGNAL_QUOTA] : 0;

        _cleanup_free_ uint64_t *demands = fair_share_demands(p->delta);
        int r = demands ? collect_rivals(p, t, &rivals, &q.n_rivals) : -ENOMEM;
        if (r < 0)
                return r;
        q.competition.demands = demands;
        q.rivals = rivals;
        return weight_choose(&q, ret, &t->refusal);
}

/* What the administrator should know of it: what it is to give, whom else it concerns, and what it rests on. */
static char *reason_of(const Pipeline *p, const Target *t, const WeightChoice *choice) {
        char text[512];
        size_t n = weight_switches_on(p->snapshot, t->cgroup);
        int len = snprintf(text, sizeof(text), "%s; with a weight of %" PRIu64 " it is due %.1f CPUs", t->verdict.text,
                           choice->weight, (double) choice->due_milli / 1000);

        if (n > 0 && len > 0 && (size_t) len < sizeof(text))
                len += snprintf(text + len, sizeof(text) - (size_t) len,
                                "; switches the cpu controller on for %zu units, each of them then a group of its own",
                                n);
        if (p->topology->cgroup_mode_assumed && len > 0 && (size_t) len < sizeof(text))
                (void) snprintf(text + len, sizeof(text) - (size_t) len,
                                "; how the kernel weighs groups can't be read here, cgroup_mode %s is assumed",
                                cgroup_mode_name(p->topology->cgroup_mode));
        return strdup(text);
}

int plan_weight(Pipeline *p, Target *t, const Facts *facts, const Plan *former) {
        const GuardInput guard = plan_guard_input(p, t, facts);
        WeightChoice choice = {};

        guard_weight(&guard, &t->refusal);
        int r = t->refusal.refused ? 0 : choose_weight(p, t, &choice);
        if (r < 0 || t->refusal.refused)
                return r;
        t->plan.weight = choice.weight;
        return plan_fill(t, ARM_WEIGHT, facts, reason_of(p, t, &choice));
}
