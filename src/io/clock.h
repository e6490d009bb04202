/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The only place where time is read; everybody else is told. */

#include "base/usec.h"

usec_t clock_monotonic(void);
usec_t clock_realtime(void);
/* CPU time that this process has used so far, all threads. */
usec_t clock_process_cpu(void);

/* Sleeps until CLOCK_MONOTONIC shows `usec`; signals do not cut it short. */
void clock_sleep_until(usec_t usec);
