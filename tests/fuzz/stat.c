/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* stat of a thread, and of the machine: CPUs come out in ascending order. */

#include "fuzz.h"

#include <stdlib.h>

#include "parse/stat.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
        Snapshot s = {};
        ThreadStat t;

        if (thread_stat_parse((const char *) data, size, &t) >= 0)
                FUZZ_CHECK(t.last_cpu >= 0);
        FUZZ_CHECK(proc_stat_parse((const char *) data, size, &s) >= 0);
        for (size_t i = 1; i < s.n_cpus; i++)
                FUZZ_CHECK(s.cpus[i - 1].cpu < s.cpus[i].cpu);
        free(s.cpus);
        return 0;
}
