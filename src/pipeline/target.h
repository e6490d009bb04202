/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* What the pipeline keeps of one target from tick to tick, and the sorted set of all targets. */

#include "decide/phase.h"
#include "detect/diagnosis.h"
#include "model/history.h"
#include "model/outcome.h"
#include "model/plan.h"
#include "model/settings.h"
#include "model/topology.h"

typedef struct Target {
        char *path;
        uint64_t id;
        char *unit;           /* by name; NULL: in no unit */
        char *key;            /* in decide/memory */
        const Policy *policy; /* never NULL: its section, or the defaults */
        size_t cgroup;        /* in the present snapshot, CGROUP_NONE while it is gone */
        usec_t gone_usec;     /* since when it is gone */
        History history;
        Diagnosis diagnosis;
        Verdict verdict;
        bool judged;               /* verdict is of the present tick */
        const VerdictKind *treats; /* verdict for which a change was made, NULL where there is none */
        PhaseTrack phase;
        Plan plan;
        Refusal refusal;
        usec_t planned_usec;    /* when plan and refusal were worked out; 0 never */
        uint64_t *others_milli; /* per CPU: busy with others, smoothed; NULL until there is something to place */
        size_t n_others;
        const char *held_why; /* static: what the hold in decide/memory is for */
        Outcome outcome;
        usec_t outcome_usec;
        Cpuset *own_allowed;       /* CPUs it had before our change, NULL where there is none */
        usec_t recheck_usec;       /* KEPT: when to look whether the fault would come back */
        bool rechecked;            /* the probation is over */
        uint64_t usage_kept_milli; /* usage when it was kept */
} Target;

typedef struct Targets {
        Target **items; /* by path_compare() */
        size_t n, allocated;
} Targets;

void targets_done(Targets *t);
Target *targets_find(const Targets *t, const char *path);
/* Finds or makes. -ENOMEM. */
int targets_get(Targets *t, const char *path, Target **ret);
void targets_remove(Targets *t, size_t i);

/* A new life: another cgroup stands under the old name. What was measured of the former one goes. */
void target_restart(Target *t, uint64_t id);

/* A policy section says that this may be changed: the defaults alone never do. */
bool target_may_act(const Target *t);
