/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* cpu.pressure: any bytes give totals or none. */

#include "fuzz.h"

#include "parse/psi.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
        Counts counts = {};

        psi_parse((const char *) data, size, &counts);
        FUZZ_CHECK((counts.have & ~(1U << CGROUP_SOME_USEC | 1U << CGROUP_FULL_USEC)) == 0);
        return 0;
}
