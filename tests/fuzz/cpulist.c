/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Lists of CPUs: what is accepted is bounded, and reads back from its own text. */

#include "fuzz.h"

#include <stdlib.h>

#include "base/cleanup.h"
#include "parse/cpulist.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
        _cleanup_cpuset_ Cpuset *set = NULL, *again = NULL;

        if (cpulist_parse((const char *) data, size, &set) < 0)
                return 0;
        FUZZ_CHECK(hwloc_bitmap_last(set) <= (int) CPUSET_CPU_MAX);
        _cleanup_free_ char *text = cpuset_format_list(set);
        FUZZ_CHECK(text && cpulist_parse(text, strlen(text), &again) >= 0);
        FUZZ_CHECK(cpuset_equal(set, again));
        return 0;
}
