/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What is done to a target that is treated: the change is made, in one go or step by step, judged, kept, undone, let go
 * of, or taken over from a predecessor. Every change goes through here and through the executor; every end of one is
 * told to the sink. When each of these is due is steer.c's business. */

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/numbers.h"
#include "decide/weight.h"
#include "io/log.h"
#include "pipeline/treat.h"
#include "verify/judge.h"

/* A kept change is looked at once within half an hour, then every `retrial`. */
#define PROBATION_USEC (25 * USEC_PER_MINUTE)
/* The regime changed: tried again soon, that is nobody's failure. */
#define INCONCLUSIVE_HOLD_USEC (5 * USEC_PER_MINUTE)

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

int treat_judge(Pipeline *p, Target *t) {
        Outcome outcome = {};
        int r = trial_judge(p, t, &outcome);
        if (r >= 0)
                end_trial(p, t, &outcome);
        return r;
}

int treat_undo_worse(Pipeline *p, Target *t) {
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

void treat_break_off(Pipeline *p, Target *t, const char *why) {
        t->outcome = outcome_of(OUTCOME_INCONCLUSIVE, "broken off: %s", why);
        t->outcome_usec = p->now_usec;
        emit(p, t, p->sink.on_outcome);
        (void) pipeline_undo_target(p, t, why);
}

static void let_go(Pipeline *p, Target *t, const Change *c) {
        Outcome outcome = outcome_of(OUTCOME_OVERRIDDEN, "somebody else has changed %s: left alone",
                                     arm_setting(c->arm, c->unit));
        conclude(p, t, &outcome);
        int r = executor_forget(p->executor, c);
        if (r < 0)
                log_warning(r, "Can't forget the overridden change of %s, ignoring: %m", t->path);
        forget_treatment(p, t);
}

/* Somebody else's value, or none: ours no longer. True where that was so. */
bool treat_let_go_of_foreign(Pipeline *p, Target *t) {
        const Change *c = pipeline_change(p, t);
        bool ours = true;
        if (!c || t->cgroup == CGROUP_NONE)
                return false;
        int r = executor_verify(p->executor, c, &ours);
        if (r < 0 || ours)
                return false;
        let_go(p, t, c);
        return true;
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

bool pipeline_may_stand(const Target *t, const Change *c) {
        if (!target_may_act(t) || !pipeline_arm_allowed(t->policy, c->arm))
                return false;
        return c->arm == ARM_PIN || present_weight(c) <= t->policy->weight_max;
}

/* What of the plan is done now: all of a pin, the next step of a ramp. Everything in it stays the plan's. */
static Plan next_step(const Target *t, const Change *c) {
        Plan step = t->plan;
        if (step.arm == ARM_WEIGHT)
                step.weight = weight_step(present_weight(c), t->plan.weight);
        return step;
}

bool treat_more_steps(const Pipeline *p, const Target *t) {
        const Change *c = pipeline_change(p, t);
        return c && t->plan.arm == ARM_WEIGHT && present_weight(c) < t->plan.weight;
}

int treat_apply(Pipeline *p, Target *t) {
        _cleanup_facts_ Facts facts = {};
        const Change *change;

        int r = pipeline_plan(p, t);
        /* The ramp may have become longer than what the limits were asked for. */
        if (r >= 0 && !t->refusal.refused && pipeline_may_try(p, t))
                r = executor_inspect(p->executor, t->path, &facts);
        if (r >= 0 && !t->refusal.refused) {
                const Plan step = next_step(t, NULL);
                r = executor_apply(p->executor, &step, &facts, t->verdict.kind->name, p->now_usec, &change,
                                   &t->refusal);
        }
        if (r < 0 || t->refusal.refused) {
                if (r < 0 && r != -ENOMEM && !t->refusal.refused)
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

/* A step that fails is the end of the ramp: the executor has undone all of it, unless the value is somebody else's by
 * now. The next tick need not find that, as it looks at the file: of a property that was taken back the manager may
 * have written nothing yet. */
int treat_step(Pipeline *p, Target *t) {
        const Change *c = pipeline_change(p, t);
        Refusal refusal = {};

        const Plan plan = next_step(t, c);
        int r = executor_step(p->executor, c, &plan, &refusal);
        c = pipeline_change(p, t);
        if (r == -ESTALE && c) {
                let_go(p, t, c);
                return 0;
        }
        count_write(p, t);
        if (r < 0) {
                forget_treatment(p, t);
                t->refusal = refusal;
                return r == -ENOMEM ? r : 0;
        }
        phase_stepped(&t->phase, p->tick);
        emit(p, t, p->sink.on_change);
        return 0;
}

static const VerdictKind *kind_by_name(const char *name) {
        for (size_t i = 0; detectors[i]; i++)
                if (streq_ptr(detectors[i]->kind.name, name))
                        return &detectors[i]->kind;
        return NULL;
}

int treat_take_over(Pipeline *p, Target *t, const Change *c) {
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
