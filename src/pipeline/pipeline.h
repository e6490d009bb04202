/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The pipeline: sample, detect, verify, decide, act, report, once a tick. The daemon, --once, record and replay run the
 * same one; they differ in sampler root, clock, backend and sink. */

#include "act/executor.h"
#include "model/settings.h"
#include "model/target-view.h"
#include "model/topology.h"
#include "sample/sampler.h"

typedef struct Pipeline Pipeline;

/* Told what happens, as it happens; any may be NULL. The views are borrowed for the call. */
typedef struct PipelineSink {
        void (*on_verdict)(void *userdata, uint64_t tick, usec_t now_usec,
                           const TargetView *view);                                  /* each tick, each target */
        void (*on_change)(void *userdata, usec_t now_usec, const TargetView *view);  /* view->change was just made */
        void (*on_outcome)(void *userdata, usec_t now_usec, const TargetView *view); /* view->outcome is new */
        void (*on_undo)(void *userdata, usec_t now_usec, const TargetView *view, const char *why);
        void *userdata;
} PipelineSink;

typedef struct PipelineOptions {
        Sampler *sampler;   /* taken over */
        Topology *topology; /* taken over */
        Settings *settings; /* taken over; NULL: all leaves are targets, with threads, and nothing acts */
        Executor *executor; /* taken over; may be NULL: nothing acts */
        PipelineSink sink;
} PipelineOptions;

int pipeline_new(PipelineOptions *options, Pipeline **ret);
Pipeline *pipeline_free(Pipeline *p);
DEFINE_CLEANUP_FUNC(Pipeline *, pipeline_free);

/* One tick. The first only makes a baseline. -errno where nothing could be read. */
int pipeline_tick(Pipeline *p, usec_t now_usec);

/* How long a tick should be: one of more than three such intervals is dropped (and that said). 0: no bound. */
void pipeline_set_interval(Pipeline *p, usec_t interval_usec);

/* New settings take effect at once: what no policy lets stand any more is undone. */
int pipeline_set_settings(Pipeline *p, Settings *settings);

/* The newest snapshot shows other online CPUs than the topology: time to load it anew. */
bool pipeline_topology_stale(const Pipeline *p);

/* After hotplug. Takes over. */
int pipeline_set_topology(Pipeline *p, Topology *topology);

/* Undo now, and hold off for a while. `target`: path, unit, or NULL for all. -ENOENT: no such target. Returns the
 * number of changes undone. */
int pipeline_undo(Pipeline *p, const char *target, usec_t now_usec);

/* Paused, nothing is changed and no trial begins; what is under way is broken off and undone at once, since its regime
 * can't be judged. Kept changes stay, and are let go of where somebody else overrides them. Everything else goes on:
 * ticks, verdicts, plans to be advised. Returns the number of trials broken off. */
unsigned pipeline_pause(Pipeline *p, usec_t now_usec);
void pipeline_resume(Pipeline *p);
bool pipeline_paused(const Pipeline *p);

/* Works out what would be done for a target that has a remedy (fills view->plan and view->refusal). */
int pipeline_advise(Pipeline *p, size_t i, usec_t now_usec);

/* A trial is under way, from the first tick of its before-window on. */
bool pipeline_on_trial(const Pipeline *p);
/* Ticks judged so far; Verdict.since_tick counts the same. */
uint64_t pipeline_ticks(const Pipeline *p);
size_t pipeline_n_targets(const Pipeline *p);
void pipeline_view(const Pipeline *p, size_t i, TargetView *ret);
/* By path or unit name. Returns false where there is none. */
bool pipeline_find(const Pipeline *p, const char *name, size_t *ret);
Sampler *pipeline_sampler(Pipeline *p);
const Settings *pipeline_settings(const Pipeline *p);
const Topology *pipeline_topology(const Pipeline *p);
