/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Time as a plain number of microseconds, and how people write it. */

#include <stdint.h>

#include "base/macros.h"

typedef uint64_t usec_t;

#define USEC_INFINITY ((usec_t) UINT64_MAX)
#define USEC_PER_MSEC ((usec_t) 1000)
#define USEC_PER_SEC ((usec_t) 1000000)
#define USEC_PER_MINUTE (60 * USEC_PER_SEC)
#define USEC_PER_HOUR (60 * USEC_PER_MINUTE)
#define NSEC_PER_USEC UINT64_C(1000)
#define NSEC_PER_SEC UINT64_C(1000000000)

/* Reads a time span as systemd.time(7) writes it, of one number and one unit: us, ms, s (also without a unit), min, h,
 * d; "1.5s" and "20ms" are fine. -EINVAL for anything else, -ERANGE where it does not fit. */
int usec_parse(const char *text, usec_t *ret);

#define USEC_FORMAT_MAX 32
/* Writes the span in the largest unit that keeps three digits ("774us", "18.5ms", "6h"), into buf, and returns it. */
const char *usec_format(usec_t span, char buf[static USEC_FORMAT_MAX]);
