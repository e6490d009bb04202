/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* One target's TickRecord out of what the whole machine did in a tick. */

#include "model/history.h"
#include "model/topology.h"

typedef struct RecordInput {
        const Delta *delta;
        const uint64_t *demands; /* fair_share_demands() */
        CgroupMode mode;
        size_t cgroup;
        const Cpuset *allowed; /* CPUs that it may use; without our pin where one holds */
        uint64_t tick;
} RecordInput;

void record_make(const RecordInput *in, TickRecord *ret);

/* The same for all kernel threads together, of which only the run delay is asked: what tasks waited on all CPUs
 * (/proc/schedstat) less what the threads of the groups did. Reading the kernel's own hundreds of threads each tick
 * would cost more than all the rest. Absent where not every group's threads were read. */
void record_make_kernel(const Delta *delta, uint64_t tick, TickRecord *ret);
