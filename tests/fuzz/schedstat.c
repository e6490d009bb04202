/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* schedstat of a thread, and of the machine over a few CPUs. */

#include "fuzz.h"

#include "parse/schedstat.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
        CpuSample cpus[] = {{.cpu = 0}, {.cpu = 2}, {.cpu = 1279}};
        Counts counts = {};
        unsigned version;

        bool known = thread_schedstat_parse((const char *) data, size, &counts);
        FUZZ_CHECK(known == (counts.have != 0));
        schedstat_parse((const char *) data, size, cpus, ELEMENTSOF(cpus), &version);
        for (size_t i = 0; i < ELEMENTSOF(cpus); i++)
                FUZZ_CHECK(cpus[i].counts.have == 0 || version >= SCHEDSTAT_VERSION_MIN);
        return 0;
}
