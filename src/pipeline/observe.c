/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* From the tick's differences to each target's verdict: record -> history -> signals -> diagnosis. While a change of
 * ours holds, idle time and allowed CPUs are those without our pin, and its verdict stays, as treated: the fault itself
 * is hidden by the cure. */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "io/file.h"
#include "model/fair-share.h"
#include "model/record.h"
#include "parse/metric.h"
#include "pipeline/state.h"

/* How many ticks of the past a trial's noise is estimated from, at the most. */
#define PAST_TICKS 60

/* Between the first step of the longest ramp under way and its last so far: what was before it must not be forgotten
 * while it goes on, by anybody. */
static size_t ramp_ticks(const Pipeline *p) {
        uint64_t longest = 0;
        for (size_t i = 0; i < p->targets.n; i++) {
                const PhaseTrack *phase = &p->targets.items[i]->phase;
                if (phase_on_trial(phase->phase))
                        longest = MAX(longest, phase->reached_tick - phase->applied_tick);
        }
        return (size_t) longest;
}

static size_t trial_length(const Pipeline *p) {
        const Settings *s = p->settings;
        return s->before_ticks + p->ramp_ticks + s->settle_ticks + s->after_ticks + VERDICT_TICKS;
}

/* Memory is only spent where a trial may follow. */
static size_t history_length(const Pipeline *p, const Target *t) {
        size_t trial = trial_length(p);
        if (p->executor && target_may_act(t))
                return PAST_TICKS + trial;
        return p->reading_all ? trial : VERDICT_TICKS + SIGNAL_WINDOW_TICKS;
}

static const Cpuset *allowed_without_pin(const Pipeline *p, const Target *t) {
        return t->own_allowed ? t->own_allowed : snapshot_allowed(p->snapshot, t->cgroup);
}

static void read_metric(const Pipeline *p, const Target *t, TickRecord *r) {
        _cleanup_filebuf_ FileBuf b = {};
        if (!t->policy->metric_file)
                return;
        const char *below_root = t->policy->metric_file + strspn(t->policy->metric_file, "/");
        if (file_read(sampler_root_fd(p->sampler), below_root, &b) < 0)
                return;
        r->have_metric = parse_metric(b.text, b.len, t->policy->metric_name, &r->metric) >= 0;
}

static int remember_tick(Pipeline *p, Target *t, const uint64_t *demands) {
        const RecordInput in = {
                .delta = p->delta,
                .demands = demands,
                .mode = p->topology->cgroup_mode,
                .cgroup = t->cgroup,
                .allowed = allowed_without_pin(p, t),
                .tick = p->tick,
        };
        TickRecord record;
        int r = history_reserve(&t->history, history_length(p, t));
        if (r < 0)
                return r;
        record_make(&in, &record);
        read_metric(p, t, &record);
        history_push(&t->history, &record);
        return 0;
}

/* Our own change hides the fault: its verdict stays, and what the tick shows beside it is only listed. */
static void show_as_treated(Target *t) {
        Verdict *v = &t->verdict;
        const VerdictKind *shown = v->kind;
        size_t n = 0;

        for (size_t i = 0; i < ELEMENTSOF(v->also); i++)
                if (v->also[i] && v->also[i] != t->treats)
                        v->also[n++] = v->also[i];
        for (size_t i = n; i < ELEMENTSOF(v->also); i++)
                v->also[i] = NULL;
        if (shown != t->treats && verdict_is_fault(shown) && n < ELEMENTSOF(v->also))
                v->also[n] = shown;
        v->kind = t->treats;
        v->confirmed = true;
        v->treated = true;
        char now[sizeof(v->text)];
        memcpy(now, v->text, sizeof(now));
        snprintf(v->text, sizeof(v->text), "treated; now: %.200s", now);
}

static void judge(Pipeline *p, Target *t) {
        Signals signals;
        uint64_t since = t->verdict.since_tick;

        history_signals(&t->history, SIGNAL_WINDOW_TICKS, &signals);
        /* That its threads were read for somebody else's trial is no closer look. */
        bool looked_closer = p->all_are_read || t->policy->name || pipeline_is_suspicious(t);
        diagnosis_step(&t->diagnosis, &signals, t->policy, looked_closer, p->tick, &t->verdict);
        t->judged = true;
        if (t->treats) {
                show_as_treated(t);
                t->verdict.since_tick = since;
        }
}

/* Where others are busy, CPU by CPU, smoothed over about ten ticks: which domain is quiet is a matter of the recent
 * past, not of one tick. A thread's run time is put down to the CPU where it ran last. */
static int watch_others(Pipeline *p, Target *t) {
        const Delta *d = p->delta;
        size_t n = d->n_cpus ? d->cpus[d->n_cpus - 1].cpu + 1 : 0;
        _cleanup_free_ uint64_t *own = calloc(MAX(n, (size_t) 1), sizeof(*own));
        if (!own)
                return -ENOMEM;
        if (n > t->n_others) {
                uint64_t *grown = reallocarray(t->others_milli, n, sizeof(*grown));
                if (!grown)
                        return -ENOMEM;
                memset(grown + t->n_others, 0, (n - t->n_others) * sizeof(*grown));
                t->others_milli = grown;
                t->n_others = n;
        }

        const CgroupDelta *g = &d->cgroups[t->cgroup];
        for (size_t i = 0; i < g->n_threads; i++) {
                const ThreadDelta *thread = &d->threads[g->first_thread + i];
                if (thread->thread->last_cpu >= 0 && (size_t) thread->thread->last_cpu < n)
                        own[thread->thread->last_cpu] += counts_get(&thread->counts, THREAD_RUN_NSEC);
        }
        for (size_t i = 0; i < d->n_cpus; i++) {
                unsigned cpu = d->cpus[i].cpu;
                uint64_t busy = counts_get(&d->cpus[i].counts, CPU_RUN_NSEC);
                uint64_t milli = (busy > own[cpu] ? busy - own[cpu] : 0) / d->dt_usec;
                t->others_milli[cpu] = (t->others_milli[cpu] * 9 + MIN(milli, UINT64_C(1000))) / 10;
        }
        return 0;
}

static int observe_target(Pipeline *p, Target *t, const uint64_t *demands) {
        const CgroupDelta *g = &p->delta->cgroups[t->cgroup];
        t->judged = false;
        if (t->policy->mode == MODE_IGNORE || !g->known)
                return 0;
        if (g->reset) {
                history_clear(&t->history);
                return 0;
        }
        int r = remember_tick(p, t, demands);
        if (r < 0)
                return r;
        judge(p, t);
        return p->executor && t->verdict.kind->remedies[0] != ARM_NONE ? watch_others(p, t) : 0;
}

static int observe_kernel(Pipeline *p) {
        TickRecord record;
        int r = history_reserve(&p->kernel, trial_length(p));
        if (r < 0)
                return r;
        record_make_kernel(p->delta, p->tick, &record);
        history_push(&p->kernel, &record);
        return 0;
}

int pipeline_observe(Pipeline *p) {
        _cleanup_free_ uint64_t *demands = fair_share_demands(p->delta);
        if (!demands)
                return -ENOMEM;
        p->ramp_ticks = ramp_ticks(p);
        int r = observe_kernel(p);
        for (size_t i = 0; r >= 0 && i < p->targets.n; i++)
                if (p->targets.items[i]->cgroup != CGROUP_NONE)
                        r = observe_target(p, p->targets.items[i], demands);
        return r;
}
