/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Which change for a target, or why none: what must be known is inspected once, then the verdict's remedies are planned
 * in their order, until one is not refused. Nothing is changed here. */

#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "pipeline/plan-arms.h"

GuardInput plan_guard_input(const Pipeline *p, const Target *t, const Facts *facts) {
        return (GuardInput){
                .snapshot = p->snapshot,
                .cgroup = t->cgroup,
                .topology = p->topology,
                .settings = p->settings,
                .policy = t->policy,
                .facts = facts,
                .now_usec = p->now_usec,
        };
}

int plan_fill(Target *t, Arm arm, const Facts *facts, char *reason) {
        bool unit = facts->unit && facts->owned_by_systemd;

        t->plan.arm = arm;
        t->plan.target = strdup(t->path);
        t->plan.unit = unit ? strdup(facts->unit) : NULL;
        t->plan.reason = reason;
        return t->plan.target && (t->plan.unit || !unit) && reason ? 0 : -ENOMEM;
}

bool pipeline_arm_allowed(const Policy *policy, Arm arm) {
        return arm == ARM_PIN ? policy->pin != PIN_NEVER : policy->weight != AUTO_NEVER;
}

static int plan_arm(Pipeline *p, Target *t, Arm arm, const Facts *facts, const Plan *former) {
        t->refusal = (Refusal){};
        if (!pipeline_arm_allowed(t->policy, arm)) {
                refusal_set(&t->refusal, 0, "the policy says %s=never", arm_name(arm));
                return 0;
        }
        return arm == ARM_PIN ? plan_pin(p, t, facts, former) : plan_weight(p, t, facts, former);
}

/* The first that is not refused. Where all are, the first refusal is the one to tell. */
static int plan_remedies(Pipeline *p, Target *t, const Facts *facts, const Plan *former) {
        const Arm *remedies = t->verdict.kind->remedies;
        Refusal first = {};

        for (size_t i = pipeline_first_remedy(p, t); remedies[i] != ARM_NONE; i++) {
                int r = plan_arm(p, t, remedies[i], facts, former);
                if (r < 0 || !t->refusal.refused)
                        return r;
                if (!first.refused)
                        first = t->refusal;
        }
        t->refusal = first;
        return 0;
}

int pipeline_plan(Pipeline *p, Target *t) {
        _cleanup_facts_ Facts facts = {};
        _cleanup_plan_ Plan former = t->plan;

        t->plan = (Plan){};
        t->refusal = (Refusal){};
        t->planned_usec = p->now_usec;
        if (!p->executor) {
                refusal_set(&t->refusal, 0, "nothing here can make changes");
                return 0;
        }

        int r = executor_inspect(p->executor, t->path, &facts);
        if (r == -ENOENT) {
                refusal_set(&t->refusal, 0, "it is gone");
                return 0;
        }
        if (r < 0) {
                refusal_set(&t->refusal, p->now_usec + USEC_PER_MINUTE, "it could not be inspected: %s", strerror(-r));
                return r == -ENOMEM ? r : 0;
        }
        return plan_remedies(p, t, &facts, &former);
}
