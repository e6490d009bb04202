/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* struct taskstats (linux/taskstats.h), the answer to a question for a thread or, as the sum over all threads that it
 * has and had, for a process. */

#include "model/counts.h"

/* Adds run time, run delay (both ns) and slices to *counts (ThreadCount). Returns false, nothing added, where the
 * struct is older or shorter than any that is known, or counts nothing (a kernel without CONFIG_TASK_DELAY_ACCT). One
 * that is longer, of a later kernel, is fine: fields are only ever added at its end. */
bool taskstats_parse(const void *data, size_t len, Counts *counts);
