/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* cpu.stat and cpu.stat.local: any bytes give counters or none. */

#include "fuzz.h"

#include "parse/cpu-stat.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
        Counts counts = {}, local = {};

        cpu_stat_parse((const char *) data, size, &counts);
        cpu_stat_local_parse((const char *) data, size, &local);
        FUZZ_CHECK(counts.have < 1U << _CGROUP_COUNT_MAX);
        FUZZ_CHECK((local.have & ~(1U << CGROUP_LOCAL_THROTTLED_USEC)) == 0);
        return 0;
}
