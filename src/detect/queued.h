/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Starvation and saturation look the same from inside: long waits on CPUs that are never idle. */

#include "detect/detector.h"

/* wait_share >= 20 %, idle < 5 %, a slice waits at least twice the wait-target. */
Answer queued_on_busy_cpus(Question *q);

/* It is others who have the CPUs that it waits for, or it gets at most half of what its weight entitles it to. */
Answer crowded_out(Question *q);
