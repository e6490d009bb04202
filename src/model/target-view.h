/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* All that is known of one target at this moment, for those who print it. Everything is borrowed from the pipeline. */

#include "model/outcome.h"
#include "model/plan.h"
#include "model/settings.h"
#include "model/verdict.h"

typedef struct TargetView {
        const char *path;
        const char *unit;       /* NULL: in no unit */
        uint64_t tick;          /* the newest tick that was judged, 0: none yet */
        usec_t now_usec;        /* CLOCK_MONOTONIC of it; 0: not told, then no time is counted from it */
        const Policy *policy;   /* the matching section, or the defaults (policy->name is NULL then) */
        const Verdict *verdict; /* NULL: not judged yet */
        bool paused;            /* an administrator has stopped all trials and new changes */
        const char *phase;      /* "watching", "before", "settling", "after", "kept", "waiting" */
        unsigned phase_ticks, phase_ticks_total; /* progress in it, 0 of 0 where it has no end */
        const Change *change;                    /* NULL: nothing changed */
        const Plan *plan;                        /* what placerd would do (or does); NULL: nothing */
        const Refusal *refusal;                  /* why it does not; NULL: no reason against */
        const Outcome *outcome;                  /* of the last trial; NULL: none yet */
        uint64_t outcome_age_usec;
} TargetView;
