/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* status of a thread: switches are all there or none is, and an affinity is bounded. */

#include "fuzz.h"

#include "parse/status.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
        _cleanup_cpuset_ Cpuset *allowed = NULL;
        Counts counts = {};

        status_parse_switches((const char *) data, size, &counts);
        FUZZ_CHECK(counts.have == 0 || counts_has(&counts, THREAD_SWITCHES));
        if (status_parse_allowed((const char *) data, size, &allowed) >= 0)
                FUZZ_CHECK(hwloc_bitmap_last(allowed) <= (int) CPUSET_CPU_MAX);
        return 0;
}
