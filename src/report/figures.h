/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* How the nouns' figures look to people; the numbers themselves are base/format's. Each writes into buf and returns
 * it. */

#include "base/format.h"
#include "model/outcome.h"
#include "model/signals.h"

/* To three digits, whole numbers in full: "81.8", "3.44", "1,843". */
const char *figure_digits(double value, char buf[static FORMAT_MAX]);

/* A change relative to what was: 0.25 is "+25.0 %", -0.93 is "-93.0 %". */
const char *figure_shift(double shift, char buf[static FORMAT_MAX]);

/* "774 us", "18.5 ms", "6 h". */
const char *figure_span(usec_t span, char buf[static FORMAT_MAX]);

/* A signal's value (thousandths) with its unit: "3.44 CPUs", "15.3 %". */
const char *figure_signal(Signal signal, int64_t value, char buf[static FORMAT_MAX]);

/* A quantity's value, as Comparison keeps it, with its unit: "1,843/s". */
const char *figure_quantity(Quantity quantity, double value, char buf[static FORMAT_MAX]);
