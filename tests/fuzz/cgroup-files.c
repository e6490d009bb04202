/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The small files of a cgroup, each parser over the same bytes. */

#include "fuzz.h"

#include "parse/cgroup-files.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
        const char *text = (const char *) data, *rest = text;
        usec_t quota, period = 0;
        uint64_t weight;
        size_t len = size;
        bool idle;
        pid_t id;

        if (cpu_max_parse(text, size, &quota, &period))
                FUZZ_CHECK(period > 0);
        if (cpu_weight_parse(text, size, &weight))
                FUZZ_CHECK(weight <= 10000);
        (void) cpu_idle_parse(text, size, &idle);
        FUZZ_CHECK(partition_parse(text, size) != PARTITION_ABSENT);
        (void) controllers_parse(text, size);
        (void) cgroup_type_is_threaded(text, size);
        (void) sched_ext_is_on(text, size);
        while (cgroup_next_id(&rest, &len, &id))
                FUZZ_CHECK(id > 0);
        FUZZ_CHECK(len == 0);
        return 0;
}
