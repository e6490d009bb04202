/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Figures in sentences. */

#include "verify/measure.h"

#define TEXT_VALUE_MAX 64

/* Appends to a text; what does not fit is cut. */
void text_add(char *text, size_t size, const char *format, ...) _printf_(3, 4);

/* "share of switches that migrate", "wait per voluntary switch", the name of the user's metric. */
const char *text_measure(const Measure *m);

/* The value as people read it ("14.2 %", "1,410/s"), in buf. A metric for which less is better is shown as it is, not
 * as the reciprocal by which it is compared. */
const char *text_value(const Measure *m, double value, char buf[static TEXT_VALUE_MAX]);
