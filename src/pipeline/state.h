/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Inside of the pipeline: shared by the files of this folder, by nobody else. */

#include "decide/memory.h"
#include "model/delta.h"
#include "pipeline/pipeline.h"
#include "pipeline/target.h"

struct Pipeline {
        Sampler *sampler;
        Topology *topology;
        Settings *settings; /* never NULL */
        bool all_are_read;  /* no configuration: every leaf with its threads */
        Executor *executor; /* NULL: nothing acts */
        PipelineSink sink;
        Memory *memory;
        usec_t nominal_usec; /* length of a tick, 0 unknown */

        uint64_t tick;
        usec_t now_usec;
        Snapshot *snapshot; /* newest */
        Delta *delta;       /* of this tick, NULL before the second snapshot */
        Targets targets;
        History kernel;    /* all kernel threads together */
        size_t ramp_ticks; /* that the steps of a ramp under way have taken */
        bool reading_all;  /* threads of everybody, for a trial */
        bool adopted;      /* what a predecessor left was looked through */
        bool paused;       /* nothing is begun */
};

/* tick.c's steps, one file each. */

/* targets.c: brings the set of targets in line with the snapshot. */
int pipeline_update_targets(Pipeline *p);
/* Its cgroup's own files show pressure or work: worth a look at its threads. */
bool pipeline_is_suspicious(const Target *t);
SampleWant pipeline_wants(const Snapshot *s, size_t cgroup, void *userdata);

/* observe.c: record, signals, verdict of each target. */
int pipeline_observe(Pipeline *p);

/* plan.c: works out plan or refusal for a target; both are in the target then. */
int pipeline_plan(Pipeline *p, Target *t);
/* The first of the verdict's remedies that is not held back; where all are, the first of all. */
size_t pipeline_first_remedy(const Pipeline *p, const Target *t);

/* May a remedy be tried now, as far as memory and limits go? Says why not in the target's refusal. */
bool pipeline_may_try(Pipeline *p, Target *t);

/* steer.c: moves each target through its phases, and does what they ask for. */
int pipeline_steer(Pipeline *p);
/* Undoes the change of a target, if there is one; `why` goes to the sink. True where something was undone. */
bool pipeline_undo_target(Pipeline *p, Target *t, const char *why);
int pipeline_adopt(Pipeline *p);
/* Tries nothing on this target for a while; `why` (static) is what status says. */
void pipeline_hold_target(Pipeline *p, Target *t, usec_t span, const char *why);

/* An administrator's undo and somebody else's value count for so long. */
#define OVERRIDE_HOLD_USEC (24 * USEC_PER_HOUR)

/* trial.c: windows of a target and its neighbours, judged by verify/. */
int trial_judge(Pipeline *p, Target *t, Outcome *ret);
int trial_early_harm(Pipeline *p, Target *t, char ret_who[static 256], bool *ret_harm);
/* Median usage over the newest `ticks` records, thousandths of a CPU; false where there is none. */
bool trial_median_usage(const Target *t, size_t ticks, uint64_t *ret_milli);

/* The change in force for this target, NULL where there is none. */
const Change *pipeline_change(const Pipeline *p, const Target *t);
bool pipeline_arm_allowed(const Policy *policy, Arm arm);
/* Does the policy of the target let it stand, and its value? */
bool pipeline_may_stand(const Target *t, const Change *c);
void pipeline_view_target(const Pipeline *p, const Target *t, TargetView *ret);
