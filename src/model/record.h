/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* One target's TickRecord out of what the whole machine did in a tick. */

#include "model/history.h"

typedef struct RecordInput {
        const Delta *delta;
        const uint64_t *demands; /* fair_share_demands() */
        size_t cgroup;
        const Cpuset *allowed; /* CPUs that it may use; without our pin where one holds */
        uint64_t tick;
} RecordInput;

void record_make(const RecordInput *in, TickRecord *ret);

/* The same for all kernel threads together (those in the root cgroup): only threads and dt are filled. */
void record_make_kernel(const Delta *delta, uint64_t tick, TickRecord *ret);
