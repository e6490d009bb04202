/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* How numbers look to people: one place for all rooms. Each writes into buf and returns it. */

#include "base/usec.h"

#define FORMAT_MAX 48

/* Thousandths: 153 -> "15.3 %". */
const char *format_share(int64_t thousandths, char buf[static FORMAT_MAX]);
/* Thousandths: 3440 -> "3.44". */
const char *format_decimal(int64_t thousandths, unsigned decimals, char buf[static FORMAT_MAX]);
/* Whole numbers with thousands apart: 56850 -> "56,850". */
const char *format_count(uint64_t n, char buf[static FORMAT_MAX]);
/* Microseconds given in thousandths: 774000 -> "774 us", 18500000 -> "18.5 ms". */
const char *format_wait(int64_t nsec, char buf[static FORMAT_MAX]);
