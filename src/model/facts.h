/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* What must be known of a target beyond its counters before it is changed: read once, when a plan is due (never a
 * tick), by the backend that would write it. */

#include "model/plan.h"

typedef struct Facts {
        bool owned_by_systemd; /* `unit` has exactly this cgroup */
        bool unmanaged;        /* systemd leaves it alone: below a Delegate=yes unit, or in no unit at all */
        char *unit;            /* NULL where no unit was found */
        char *invocation;      /* hex, NULL unknown */
        bool delegated_above;  /* it is below a Delegate=yes unit, or below a user manager */
        bool age_known;
        usec_t active_since_usec;  /* CLOCK_MONOTONIC */
        bool system_in_transition; /* starting, stopping, maintenance: no changes now */
        bool property_known;
        Cpuset *property_cpus; /* AllowedCPUs (without a unit: cpuset.cpus), empty: unset */
        bool weight_set;       /* somebody has set CPUWeight; without a unit: cpu.weight is not 100 */
        bool weight_idle;      /* CPUWeight=idle, or cpu.idle is 1 */
        uint64_t weight;       /* where it is set */
        ThreadMask *masks;     /* affinity of each thread of the target and its descendants */
        size_t n_masks;
        size_t n_sibling_masks_own; /* threads of sibling cgroups with an affinity narrower than their cpuset */
        size_t n_masks_own;         /* threads of the target with an affinity narrower than its effective set */
        Cpuset **descendant_cpus;   /* non-empty cpuset.cpus of descendants */
        size_t n_descendant_cpus;
} Facts;

void facts_done(Facts *f);
#define _cleanup_facts_ _cleanup_(facts_done)
