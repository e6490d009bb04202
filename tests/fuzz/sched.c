/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* sched of a thread: nothing counts without a ruler. */

#include "fuzz.h"

#include "parse/sched.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
        static const char ruler[] = "------------------------------------------------------------";
        Counts counts = {};
        uint64_t wait_max;
        bool known;

        sched_parse((const char *) data, size, &counts, &known, &wait_max);
        if (size == 0 || !memmem(data, size, ruler, strlen(ruler)))
                FUZZ_CHECK(counts.have == 0 && !known);
        return 0;
}
