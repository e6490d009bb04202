/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Moves each target through its phases, and carries out what a phase asks for. Every change goes through here and
 * through the executor; every end of one is told to the sink. */

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/numbers.h"
#include "decide/weight.h"
#include "io/log.h"
#include "pipeline/state.h"
#include "verify/judge.h"

/* A plan that was refused, or only advised, is looked at again then. */
#define REPLAN_USEC USEC_PER_MINUTE
/* A kept change is looked at once within half an hour, then every `retrial`. */
#define PROBATION_USEC (25 * USEC_PER_MINUTE)
/* The regime changed: tried again soon, that is nobody's failure. */
#define INCONCLUSIVE_HOLD_USEC (5 * USEC_PER_MINUTE)
/* Demand has outgrown a plan when its CPUs are full and it uses so much more than when it was kept. */
#define OUTGROWN_FULL_PERMILLE 950
#define OUTGROWN_USAGE_PERMILLE 1250

const Change *pipeline_change(const Pipeline *p, const Target *t) {
        const Change *c = p->executor ? executor_find(p->executor, t->path) : NULL;
        return c && !c->residue ? c : NULL;
}

static void emit(const Pipeline *p, const Target *t,
                 void (*sink)(void *userdata, usec_t now_usec, const TargetView *view)) {
        TargetView view;
        if (!sink)
                return;
        pipeline_view_target(p, t, &view);
        sink(p->sink.userdata, p->now_usec, &view);
}

static void count_write(Pipeline *p, const Target *t) {
        if (memory_changed(p->memory, t->key, p->now_usec) < 0)
                log_error(-ENOMEM, "Out of memory while counting changes, ignoring");
}

static void forget_treatment(Pipeline *p, Target *t) {
        t->own_allowed = cpuset_free(t->own_allowed);
        t->treats = NULL;
        t->recheck_usec = 0;
        t->rechecked = false;
        t->diagnosis = (Diagnosis){};
        history_clear(&t->history);
        phase_reset(&t->phase, p->tick);
}

/* Between undo and flush the change is still readable; its residue is then a mark of the undo under way, unless
 * something really is left. */
static void tell_undone(Pipeline *p, const Target *t, const Change *c, UndoResult result, const char *why) {
        Change told = *c;
        TargetView view;
        if (!p->sink.on_undo)
                return;
        if (result != UNDO_RESIDUE)
                told.residue = NULL;
        pipeline_view_target(p, t, &view);
        view.change = &told;
        p->sink.on_undo(p->sink.userdata, p->now_usec, &view, why);
}

bool pipeline_undo_target(Pipeline *p, Target *t, const char *why) {
        const Change *c = pipeline_change(p, t);
        if (!c)
                return false;
        UndoResult result = executor_undo(p->executor, c);
        if (result == UNDO_FAILED)
                log_warning(0, "Could not undo the change of %s; it stays in the ledger", t->path);
        else
                tell_undone(p, t, c, result, why);
        int r = executor_flush(p->executor);
        if (r < 0)
                log_warning(r, "Can't clean up after undoing, ignoring: %m");
        count_write(p, t);
        forget_treatment(p, t);
        return result != UNDO_FAILED;
}

/* --- the end of a trial --- */

static void hold_arm(Pipeline *p, Target *t, Arm arm, usec_t span, const char *why) {
        t->held_why = why;
        if (memory_hold(p->memory, t->key, arm, p->now_usec + span) < 0)
                log_error(-ENOMEM, "Out of memory while noting a hold, ignoring");
}

void pipeline_hold_target(Pipeline *p, Target *t, usec_t span, const char *why) {
        for (Arm arm = ARM_NONE + 1; arm < _ARM_MAX; arm++)
                hold_arm(p, t, arm, span, why);
}

/* A weight is no fast control loop: the kernel smooths, and so do the neighbours. */
static void hold_ramps(Pipeline *p, Target *t) {
        if (t->plan.arm == ARM_WEIGHT)
                hold_arm(p, t, ARM_WEIGHT, p->settings->weight_interval_usec, "weight-interval since its last ramp");
}

static void conclude(Pipeline *p, Target *t, const Outcome *outcome) {
        t->outcome = *outcome;
        t->outcome_usec = p->now_usec;
        switch (outcome->kind) {
        case OUTCOME_NONE:
        case _OUTCOME_MAX:
                assert(false);
                break;
        case OUTCOME_KEPT:
                break;
        case OUTCOME_NO_EFFECT:
        case OUTCOME_WORSE:
                t->held_why =
                        outcome->kind == OUTCOME_WORSE ? "its last trial did harm" : "its last trial had no effect";
                if (memory_failed(p->memory, t->key, t->plan.arm, p->now_usec) < 0)
                        log_error(-ENOMEM, "Out of memory while noting a failure, ignoring");
                break;
        case OUTCOME_OVERRIDDEN:
                pipeline_hold_target(p, t, OVERRIDE_HOLD_USEC, "somebody else has changed what it had set");
                break;
        case OUTCOME_INCONCLUSIVE:
                pipeline_hold_target(p, t, INCONCLUSIVE_HOLD_USEC, "its last trial was inconclusive");
                break;
        }
        emit(p, t, p->sink.on_outcome);
}

static void keep(Pipeline *p, Target *t) {
        int r = executor_keep(p->executor, pipeline_change(p, t));
        if (r < 0)
                log_warning(r, "Can't note in the ledger that the change of %s is kept, ignoring: %m", t->path);
        memory_helped(p->memory, t->key, t->plan.arm);
        hold_ramps(p, t);
        phase_kept(&t->phase, p->tick);
        t->recheck_usec = p->now_usec + (t->rechecked ? p->settings->retrial_usec : PROBATION_USEC);
        if (!trial_median_usage(t, p->settings->after_ticks, &t->usage_kept_milli))
                t->usage_kept_milli = 0;
}

static void end_trial(Pipeline *p, Target *t, const Outcome *outcome) {
        if (outcome->kind == OUTCOME_KEPT)
                keep(p, t);
        conclude(p, t, outcome);
        if (outcome->kind != OUTCOME_KEPT)
                (void) pipeline_undo_target(p, t, outcome_name(outcome->kind));
}

static Outcome outcome_of(OutcomeKind kind, const char *format, ...) _printf_(2, 3);
static Outcome outcome_of(OutcomeKind kind, const char *format, ...) {
        Outcome o = {.kind = kind};
        va_list args;
        va_start(args, format);
        vsnprintf(o.text, sizeof(o.text), format, args);
        va_end(args);
        return o;
}

static int judge(Pipeline *p, Target *t) {
        Outcome outcome = {};
        int r = trial_judge(p, t, &outcome);
        if (r >= 0)
                end_trial(p, t, &outcome);
        return r;
}

static int undo_worse(Pipeline *p, Target *t) {
        char who[256] = "";
        bool harm;
        int r = trial_early_harm(p, t, who, &harm);
        if (r < 0)
                return r;
        Outcome outcome = outcome_of(OUTCOME_WORSE, "undone before its time: harm to %s", who);
        snprintf(outcome.harmed, sizeof(outcome.harmed), "%s", who);
        end_trial(p, t, &outcome);
        return 0;
}

/* --- its beginning --- */

static int remember_own_allowed(const Pipeline *p, Target *t) {
        if (t->plan.arm != ARM_PIN)
                return 0;
        cpuset_free(t->own_allowed);
        t->own_allowed = cpuset_copy(snapshot_allowed(p->snapshot, p->snapshot->cgroups[t->cgroup].parent));
        return t->own_allowed ? 0 : -ENOMEM;
}

/* The weight that a change of ours has set; what a group has that nobody gave one, before. */
static uint64_t present_weight(const Change *c) {
        uint64_t weight = WEIGHT_DEFAULT;
        if (c)
                (void) number_parse_u64(c->to, strlen(c->to), &weight);
        return weight;
}

/* What of the plan is done now: all of a pin, the next step of a ramp. Everything in it stays the plan's. */
static Plan next_step(const Target *t, const Change *c) {
        Plan step = t->plan;
        if (step.arm == ARM_WEIGHT)
                step.weight = weight_step(present_weight(c), t->plan.weight);
        return step;
}

static bool more_steps(const Pipeline *p, const Target *t) {
        const Change *c = pipeline_change(p, t);
        return c && t->plan.arm == ARM_WEIGHT && present_weight(c) < t->plan.weight;
}

static int apply(Pipeline *p, Target *t) {
        _cleanup_facts_ Facts facts = {};
        const Change *change;

        int r = pipeline_plan(p, t);
        if (r >= 0 && !t->refusal.refused)
                r = executor_inspect(p->executor, t->path, &facts);
        if (r >= 0 && !t->refusal.refused) {
                const Plan step = next_step(t, NULL);
                r = executor_apply(p->executor, &step, &facts, t->verdict.kind->name, p->now_usec, &change,
                                   &t->refusal);
        }
        if (r < 0 || t->refusal.refused) {
                if (r < 0 && r != -ENOMEM)
                        refusal_set(&t->refusal, p->now_usec + REPLAN_USEC, "it could not be changed: %s",
                                    strerror(-r));
                phase_reset(&t->phase, p->tick);
                return r == -ENOMEM ? r : 0;
        }
        count_write(p, t);
        t->treats = t->verdict.kind;
        phase_applied(&t->phase, p->tick);
        hold_ramps(p, t);
        r = remember_own_allowed(p, t);
        emit(p, t, p->sink.on_change);
        return r;
}

/* A step that fails is the end of the ramp: the executor has undone all of it, unless the value was somebody else's by
 * then, which the next tick finds. */
static int step(Pipeline *p, Target *t) {
        const Change *c = pipeline_change(p, t);
        Refusal refusal = {};

        const Plan plan = next_step(t, c);
        int r = executor_step(p->executor, c, &plan, &refusal);
        if (r == -ENOMEM)
                return r;
        count_write(p, t);
        if (r < 0) {
                if (r != -ESTALE)
                        forget_treatment(p, t);
                t->refusal = refusal;
                return 0;
        }
        phase_stepped(&t->phase, p->tick);
        emit(p, t, p->sink.on_change);
        return 0;
}

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

/* May a remedy be tried now, as far as policy, memory and limits go? Says why not in the target's refusal. */
static bool may_try(Pipeline *p, Target *t) {
        Arm arm = t->verdict.kind->remedies[pipeline_first_remedy(p, t)];
        usec_t until = memory_held_until(p->memory, t->key, arm, p->now_usec);
        if (until > 0) {
                refusal_set(&t->refusal, until, "held back: %s", t->held_why ? t->held_why : "its last trial failed");
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
        return may_try(p, t);
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
                return apply(p, t);
        case PHASE_STEP:
                return step(p, t);
        case PHASE_JUDGE:
                return judge(p, t);
        case PHASE_UNDO_WORSE:
                return undo_worse(p, t);
        case PHASE_RECHECK:
                (void) pipeline_undo_target(p, t, "to see whether it is still needed");
                t->rechecked = true;
                return 0;
        }
        assert(false);
        return 0;
}

/* Somebody else's value, or none: ours no longer. True where that was so. */
static bool let_go_of_foreign(Pipeline *p, Target *t) {
        const Change *c = pipeline_change(p, t);
        bool ours = true;
        if (!c || t->cgroup == CGROUP_NONE)
                return false;
        int r = executor_verify(p->executor, c, &ours);
        if (r < 0 || ours)
                return false;
        Outcome outcome =
                outcome_of(OUTCOME_OVERRIDDEN, "somebody else has changed %s: left alone", arm_property(c->arm));
        conclude(p, t, &outcome);
        r = executor_forget(p->executor, c);
        if (r < 0)
                log_warning(r, "Can't forget the overridden change of %s, ignoring: %m", t->path);
        forget_treatment(p, t);
        return true;
}

static int steer_target(Pipeline *p, Target *t) {
        char who[256];
        if (let_go_of_foreign(p, t))
                return 0;
        int r = plan_early(p, t);
        if (r < 0)
                return r;
        PhaseInput in = {
                .tick = p->tick,
                .curable = is_curable(p, t),
                .confirmed = t->judged && t->verdict.confirmed,
                .turn = !others_are_on_trial(p, t),
                .more_steps = more_steps(p, t),
                .recheck_due = recheck_is_due(p, t),
                .before = p->settings->before_ticks,
                .settle = p->settings->settle_ticks,
                .after = p->settings->after_ticks,
        };
        if (t->phase.phase == PHASE_AFTER || t->phase.phase == PHASE_RAMPING)
                r = trial_early_harm(p, t, who, &in.early_harm);
        return r < 0 ? r : take_action(p, t, phase_step(&t->phase, &in));
}

/* A change that was made before this process began: kept ones are taken over as they are, those whose trial was cut off
 * are undone, and so is everything that no policy lets stand. */
static const char *reason_to_undo(const Target *t, const Change *c) {
        if (!t || t->cgroup == CGROUP_NONE)
                return "the unit has ended";
        if (!target_may_act(t))
                return "no policy lets it stand";
        return c->kept ? NULL : "its trial was cut off";
}

static const VerdictKind *kind_by_name(const char *name) {
        for (size_t i = 0; detectors[i]; i++)
                if (streq_ptr(detectors[i]->kind.name, name))
                        return &detectors[i]->kind;
        return NULL;
}

static int take_over(Pipeline *p, Target *t, const Change *c) {
        cpuset_free(t->plan.cpus);
        t->plan.cpus = NULL;
        t->plan.arm = c->arm;
        t->treats = kind_by_name(c->verdict);
        if (!t->treats)
                t->treats = &verdict_unknown;
        phase_kept(&t->phase, p->tick);
        t->recheck_usec = p->now_usec + PROBATION_USEC;
        if (c->arm == ARM_WEIGHT) {
                t->plan.weight = present_weight(c);
                return 0;
        }
        int r = cpuset_parse_list(c->to, strlen(c->to), &t->plan.cpus);
        return r < 0 ? r : remember_own_allowed(p, t);
}

int pipeline_adopt(Pipeline *p) {
        int r = 0;
        if (p->adopted || !p->executor)
                return 0;
        for (size_t i = executor_size(p->executor); r >= 0 && i-- > 0;) {
                const Change *c = executor_at(p->executor, i);
                Target *t;
                r = targets_get(&p->targets, c->target, &t);
                if (r < 0)
                        continue;
                if (!t->policy)
                        t->policy = &p->settings->defaults;
                if (c->residue)
                        continue;
                const char *why = reason_to_undo(t, c);
                if (why)
                        (void) pipeline_undo_target(p, t, why);
                else
                        r = take_over(p, t, c);
        }
        p->adopted = r >= 0; /* memory was short: the rest of it in the next tick */
        return r;
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
