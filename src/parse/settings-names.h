/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* For settings.c only: what a policy may be for. */

#include "base/macros.h"

/* A section's name or a match=: a unit name or glob, or with a leading slash a cgroup path glob. NULL where it is fine,
 * else (static) what is wrong and what would be right; it goes on from "PATTERN ". */
const char *pattern_fault(const char *pattern);

/* Names something that a container manager owns: placerd looks at it, but never changes it. */
bool pattern_is_container(const char *pattern);
