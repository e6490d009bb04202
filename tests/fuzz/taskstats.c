/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The kernel's answer for a process: all three counts or none. */

#include "fuzz.h"

#include "parse/taskstats.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
        Counts counts = {};

        bool known = taskstats_parse(data, size, &counts);
        FUZZ_CHECK(known == counts_has(&counts, THREAD_RUN_NSEC));
        FUZZ_CHECK(known == counts_has(&counts, THREAD_DELAY_NSEC));
        FUZZ_CHECK(known == counts_has(&counts, THREAD_SLICES));
        return 0;
}
