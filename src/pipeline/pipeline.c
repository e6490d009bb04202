/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The pipeline as an object: what it owns, how it is asked and told. What happens in a tick is in tick.c. */

#include "pipeline/pipeline.h"

#include <errno.h>
#include <stdlib.h>

#include "parse/settings.h"
#include "pipeline/state.h"

Pipeline *pipeline_free(Pipeline *p) {
        if (!p)
                return NULL;
        targets_done(&p->targets);
        history_done(&p->kernel);
        delta_free(p->delta);
        snapshot_free(p->snapshot);
        memory_free(p->memory);
        executor_free(p->executor);
        settings_free(p->settings);
        topology_free(p->topology);
        sampler_free(p->sampler);
        free(p);
        return NULL;
}

int pipeline_new(PipelineOptions *options, Pipeline **ret) {
        _cleanup_(pipeline_freep) Pipeline *p = calloc(1, sizeof(*p));
        int r = 0;
        if (!p)
                return -ENOMEM;
        p->memory = memory_new();
        if (!p->memory)
                return -ENOMEM;
        p->all_are_read = !options->settings;
        if (p->all_are_read)
                r = settings_new_default(&options->settings);
        if (r < 0)
                return r;

        p->sampler = TAKE_PTR(options->sampler);
        p->topology = TAKE_PTR(options->topology);
        p->settings = TAKE_PTR(options->settings);
        p->executor = TAKE_PTR(options->executor);
        p->sink = options->sink;
        *ret = TAKE_PTR(p);
        return 0;
}

void pipeline_set_interval(Pipeline *p, usec_t interval_usec) {
        p->nominal_usec = interval_usec;
}

/* Every target's policy is a pointer into the settings: all are looked up anew before the old ones go. */
int pipeline_set_settings(Pipeline *p, Settings *settings) {
        Settings *old = p->settings;
        p->settings = settings;
        p->all_are_read = false;
        for (size_t i = 0; i < p->targets.n; i++) {
                Target *t = p->targets.items[i];
                const Policy *policy = settings_find_policy(settings, t->unit, t->path);
                t->policy = policy ? policy : &settings->defaults;
                t->planned_usec = 0;
                t->refusal = (Refusal){};
                if (!t->treats)
                        plan_done(&t->plan);
                const Change *c = pipeline_change(p, t);
                if (c && !pipeline_may_stand(t, c))
                        (void) pipeline_undo_target(p, t, "no policy lets it stand");
                t->plan.weight = MIN(t->plan.weight, (uint64_t) t->policy->weight_max);
        }
        settings_free(old);
        return 0;
}

bool pipeline_topology_stale(const Pipeline *p) {
        return p->snapshot && p->snapshot->online && !cpuset_equal(p->snapshot->online, p->topology->cpus);
}

/* What was planned on the old machine is looked at anew: a trial under way has lost its ground, a kept change is
 * rechecked. */
int pipeline_set_topology(Pipeline *p, Topology *topology) {
        topology_free(p->topology);
        p->topology = topology;
        for (size_t i = 0; i < p->targets.n; i++) {
                Target *t = p->targets.items[i];
                t->planned_usec = 0;
                if (phase_on_trial(t->phase.phase))
                        (void) pipeline_undo_target(p, t, "the machine's CPUs have changed");
                else if (t->phase.phase == PHASE_KEPT)
                        t->recheck_usec = p->now_usec;
        }
        return 0;
}

static bool is_named(const Target *t, const char *name) {
        return streq(t->path, name) || streq_ptr(t->unit, name);
}

bool pipeline_find(const Pipeline *p, const char *name, size_t *ret) {
        for (size_t i = 0; i < p->targets.n; i++)
                if (is_named(p->targets.items[i], name)) {
                        *ret = i;
                        return true;
                }
        return false;
}

int pipeline_undo(Pipeline *p, const char *target, usec_t now_usec) {
        size_t i;
        int n = 0;
        p->now_usec = now_usec;
        if (target && !pipeline_find(p, target, &i))
                return -ENOENT;
        for (i = 0; i < p->targets.n; i++) {
                Target *t = p->targets.items[i];
                if (target && !is_named(t, target))
                        continue;
                if (!pipeline_undo_target(p, t, "asked for"))
                        continue;
                n++;
                pipeline_hold_target(p, t, OVERRIDE_HOLD_USEC, "undone by hand");
        }
        return n;
}

int pipeline_advise(Pipeline *p, size_t i, usec_t now_usec) {
        Target *t = p->targets.items[i];
        p->now_usec = now_usec;
        if (t->cgroup == CGROUP_NONE || t->treats || !t->judged || t->verdict.kind->remedies[0] == ARM_NONE)
                return 0;
        return pipeline_plan(p, t);
}

bool pipeline_on_trial(const Pipeline *p) {
        return p->reading_all;
}

uint64_t pipeline_ticks(const Pipeline *p) {
        return p->tick;
}

size_t pipeline_n_targets(const Pipeline *p) {
        return p->targets.n;
}

void pipeline_view_target(const Pipeline *p, const Target *t, TargetView *ret) {
        const PhaseInput in = {
                .tick = p->tick,
                .before = p->settings->before_ticks,
                .settle = p->settings->settle_ticks,
                .after = p->settings->after_ticks,
        };
        TargetView v = {
                .path = t->path,
                .unit = t->unit,
                .tick = p->tick,
                .now_usec = p->now_usec,
                .policy = t->policy,
                .verdict = t->judged ? &t->verdict : NULL,
                .phase = phase_name(t->phase.phase),
                .paused = p->paused,
                /* Also one that was undone but for a residue: status names it. */
                .change = p->executor ? executor_find(p->executor, t->path) : NULL,
                .plan = t->plan.arm != ARM_NONE ? &t->plan : NULL,
                .refusal = t->refusal.refused && !t->treats ? &t->refusal : NULL,
                .outcome = t->outcome.kind != OUTCOME_NONE ? &t->outcome : NULL,
                .outcome_age_usec = t->outcome.kind != OUTCOME_NONE ? p->now_usec - t->outcome_usec : 0,
        };
        phase_progress(&t->phase, &in, &v.phase_ticks, &v.phase_ticks_total);
        *ret = v;
}

void pipeline_view(const Pipeline *p, size_t i, TargetView *ret) {
        pipeline_view_target(p, p->targets.items[i], ret);
}

Sampler *pipeline_sampler(Pipeline *p) {
        return p->sampler;
}

const Settings *pipeline_settings(const Pipeline *p) {
        return p->settings;
}

const Topology *pipeline_topology(const Pipeline *p) {
        return p->topology;
}
