/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The user's metric: what is accepted is a finite number, named or not. */

#include "fuzz.h"

#include <math.h>

#include "parse/metric.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
        static const char *const names[] = {NULL, "m", "requests_total"};

        for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
                double value;
                if (parse_metric((const char *) data, size, names[i], &value) >= 0)
                        FUZZ_CHECK(isfinite(value));
        }
        return 0;
}
