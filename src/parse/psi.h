/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* cpu.pressure of a cgroup, /proc/pressure/cpu (Documentation/accounting/psi.rst). */

#include "model/counts.h"

/* Adds the totals, in microseconds since boot, to *counts: CGROUP_SOME_USEC and, where the kernel has that line,
 * CGROUP_FULL_USEC. The averages lag by 2 s and are not read. A file of zero bytes has no data, which is not the same
 * as no pressure. */
void psi_parse(const char *text, size_t len, Counts *counts);
