/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The only place where time is read; everybody else is told. */

#include "base/usec.h"

usec_t clock_monotonic(void);
usec_t clock_realtime(void);
