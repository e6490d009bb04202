/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Everything that forbids a change before its size matters: who owns the target, how old it is, what the kernel would
 * destroy. */

#include "model/facts.h"
#include "model/settings.h"
#include "model/snapshot.h"
#include "model/topology.h"

/* By name alone: kubepods*, docker-*, libpod-*, crio-*, lxc*, machine.slice, below user@*, init.scope, placerd itself.
 * Returns the reason as a static text, NULL where there is none. */
const char *guard_hands_off(const char *path, const char *unit);

typedef struct GuardInput {
        const Snapshot *snapshot;
        size_t cgroup;
        const Topology *topology;
        const Settings *settings;
        const Policy *policy; /* the target's, or the defaults */
        const Facts *facts;
        usec_t now_usec;
} GuardInput;

/* Everything that forbids a pin, or a weight: first that holds. */
void guard_pin(const GuardInput *in, Refusal *ret);
void guard_weight(const GuardInput *in, Refusal *ret);

/* Does `cpus` fit every descendant's cpuset and every thread's own affinity? Refused otherwise. */
void guard_fit(const Facts *facts, const Cpuset *cpus, const Cpuset *effective, Refusal *ret);
