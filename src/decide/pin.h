/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Which CPUs: a union of whole topology domains for one target. Pure arithmetic on sets. */

#include "model/plan.h"
#include "model/settings.h"
#include "model/topology.h"

typedef struct PinRequest {
        const Topology *topology;
        const Policy *policy; /* pin, min_cpus */
        const Cpuset
                *available;  /* parent's effective set, less offline, isolated, nohz_full and others' exclusive CPUs */
        uint64_t need_milli; /* CPUs * 1000 that must fit */
        bool have_quota;
        uint64_t quota_milli;         /* cpu.max: never fewer CPUs than its ceiling */
        const uint64_t *others_milli; /* per CPU number: busy with others, CPUs * 1000 (0..1000) */
        size_t n_others;
        const Cpuset *taken; /* CPUs of other targets that placerd has pinned; may be NULL */
} PinRequest;

/* The union of the fewest domains in which the need fits, those with the most room left by others first, no domain that
 * is taken while free ones fit; all of one core type; at least one domain is left to the rest. Of a domain that is
 * available in part, that part. One domain more where others leave less than two thirds of the need free. pin=auto
 * takes the finest level that has such a union. For pin=CPULIST, the list cut to what is available, if that is enough.
 * Sets *ret_cpus and clears *ret_refusal, or says in *ret_refusal why there is none and sets *ret_cpus to NULL.
 * -ENOMEM. */
int pin_choose(const PinRequest *request, Cpuset **ret_cpus, Refusal *ret_refusal);
