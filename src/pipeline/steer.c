/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Moves each target through its phases: when a plan is worked out, whose turn it is, when a change is made, judged or
 * looked at again. What is done then is in treat.c. */

#include "decide/weight.h"
#include "pipeline/treat.h"

/* Demand has outgrown a plan when its CPUs are full and it uses so much more than when it was kept. */
#define OUTGROWN_FULL_PERMILLE 950
#define OUTGROWN_USAGE_PERMILLE 1250

size_t pipeline_first_remedy(const Pipeline *p, const Target *t) {
        const Arm *remedies = t->verdict.kind->remedies;
        for (size_t i = 0; remedies[i] != ARM_NONE; i++)
                if (memory_held_until(p->memory, t->key, remedies[i], p->now_usec) == 0)
                        return i;
        return 0;
}

/* A trial writes at least twice: the change (each step of it), and its undoing. */
static unsigned writes_of(const Target *t) {
        return t->plan.arm == ARM_WEIGHT ? weight_steps(WEIGHT_DEFAULT, t->plan.weight) + 1 : 2;
}

bool pipeline_may_try(Pipeline *p, Target *t) {
        Arm arm = t->verdict.kind->remedies[pipeline_first_remedy(p, t)];
        usec_t until = memory_held_until(p->memory, t->key, arm, p->now_usec);
        if (until > 0) {
                refusal_set(&t->refusal, until, "held back: %s", t->held_why ? t->held_why : "its last trial failed");
                return false;
        }
        if (writes_of(t) > p->settings->changes_per_hour) {
                refusal_set(&t->refusal, 0, "changes-per-hour=%u is too few: the change and its undoing are %u",
                            p->settings->changes_per_hour, writes_of(t));
                return false;
        }
        until = memory_next_change(p->memory, t->key, writes_of(t), p->settings->changes_per_hour, p->now_usec);
        if (until > 0) {
                refusal_set(&t->refusal, until, "changes-per-hour=%u are used up", p->settings->changes_per_hour);
                return false;
        }
        return true;
}

static bool plan_is_stale(const Pipeline *p, const Target *t) {
        return t->planned_usec == 0 || p->now_usec >= t->planned_usec + REPLAN_USEC ||
               (t->refusal.until_usec && p->now_usec >= t->refusal.until_usec);
}

static bool has_remedy(const Target *t) {
        return t->judged && t->verdict.kind->remedies[0] != ARM_NONE;
}

/* A standing fault is planned for early, so that status says at once what would be done, or why not. */
static int plan_early(Pipeline *p, Target *t) {
        bool wanted =
                p->executor && has_remedy(t) && t->verdict.confirmed && !t->treats && t->policy->mode >= MODE_ADVISE;
        if (!wanted) {
                if (!has_remedy(t) && !t->treats) {
                        plan_done(&t->plan);
                        t->refusal = (Refusal){};
                        t->planned_usec = 0;
                }
                return 0;
        }
        return plan_is_stale(p, t) ? pipeline_plan(p, t) : 0;
}

static bool is_curable(Pipeline *p, Target *t) {
        if (p->paused || !p->executor || !has_remedy(t) || !target_may_act(t) || t->treats)
                return false;
        if (t->verdict.confirmed && t->refusal.refused)
                return false;
        return pipeline_may_try(p, t);
}

/* --- turns: one trial at a time on the same CPUs --- */

static bool others_are_on_trial(const Pipeline *p, const Target *t) {
        const Cpuset *mine = snapshot_allowed(p->snapshot, t->cgroup);
        for (size_t i = 0; i < p->targets.n; i++) {
                const Target *o = p->targets.items[i];
                if (o == t || o->cgroup == CGROUP_NONE)
                        continue;
                bool busy = phase_on_trial(o->phase.phase) || o->phase.phase == PHASE_BEFORE;
                const Cpuset *theirs = o->own_allowed ? o->own_allowed : snapshot_allowed(p->snapshot, o->cgroup);
                if (busy && cpuset_intersects(mine, theirs))
                        return true;
        }
        return false;
}

static bool recheck_is_due(const Pipeline *p, const Target *t) {
        uint64_t usage, cpus;
        if (p->paused || t->phase.phase != PHASE_KEPT)
                return false;
        if (p->now_usec >= t->recheck_usec)
                return true;
        if (!t->plan.cpus || t->usage_kept_milli == 0 || !trial_median_usage(t, p->settings->before_ticks, &usage))
                return false;
        cpus = (uint64_t) cpuset_count(t->plan.cpus) * 1000;
        return usage * 1000 >= cpus * OUTGROWN_FULL_PERMILLE &&
               usage * 1000 >= t->usage_kept_milli * OUTGROWN_USAGE_PERMILLE;
}

static int take_action(Pipeline *p, Target *t, PhaseAction action) {
        switch (action) {
        case PHASE_NOTHING:
                return 0;
        case PHASE_APPLY:
                return treat_apply(p, t);
        case PHASE_STEP:
                return treat_step(p, t);
        case PHASE_JUDGE:
                return treat_judge(p, t);
        case PHASE_UNDO_WORSE:
                return treat_undo_worse(p, t);
        case PHASE_RECHECK:
                (void) pipeline_undo_target(p, t, "to see whether it is still needed");
                t->rechecked = true;
                return 0;
        }
        assert(false);
        return 0;
}

static int steer_target(Pipeline *p, Target *t) {
        char who[256];
        if (treat_let_go_of_foreign(p, t))
                return 0;
        int r = plan_early(p, t);
        if (r < 0)
                return r;
        PhaseInput in = {
                .tick = p->tick,
                .curable = is_curable(p, t),
                .confirmed = t->judged && t->verdict.confirmed,
                .turn = !others_are_on_trial(p, t),
                .more_steps = treat_more_steps(p, t),
                .recheck_due = recheck_is_due(p, t),
                .before = p->settings->before_ticks,
                .settle = p->settings->settle_ticks,
                .after = p->settings->after_ticks,
        };
        if (t->phase.phase == PHASE_AFTER || t->phase.phase == PHASE_RAMPING)
                r = trial_early_harm(p, t, who, &in.early_harm);
        return r < 0 ? r : take_action(p, t, phase_step(&t->phase, &in));
}

/* Threads of everybody are read from the first sign of a curable fault on: the before-window needs neighbours too. */
static bool trial_may_come(Pipeline *p) {
        for (size_t i = 0; i < p->targets.n; i++) {
                const Target *t = p->targets.items[i];
                if (t->phase.phase == PHASE_BEFORE || phase_on_trial(t->phase.phase))
                        return true;
        }
        return false;
}

int pipeline_steer(Pipeline *p) {
        int r = pipeline_adopt(p);
        for (size_t i = 0; r >= 0 && i < p->targets.n; i++)
                if (p->targets.items[i]->cgroup != CGROUP_NONE)
                        r = steer_target(p, p->targets.items[i]);
        p->reading_all = trial_may_come(p);
        return r;
}
