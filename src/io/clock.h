/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The only place where time is read; everybody else is told. */

#include <sys/types.h>

#include "base/usec.h"

usec_t clock_monotonic(void);
usec_t clock_realtime(void);
/* CPU time that this process has used so far, all threads. */
usec_t clock_process_cpu(void);

/* CPU time that all threads of a process have used, those that have ended too; of any user's. False where it has gone.
 */
bool clock_process(pid_t pid, uint64_t *ret_nsec);

/* Sleeps until CLOCK_MONOTONIC shows `usec`; signals do not cut it short. */
void clock_sleep_until(usec_t usec);
