/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* What every fuzz target defines: one run of its parser over one input. */

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* As assert(), also in a release build. */
#define FUZZ_CHECK(condition)                                                                                          \
        do {                                                                                                           \
                if (!(condition))                                                                                      \
                        __builtin_trap();                                                                              \
        } while (0)
