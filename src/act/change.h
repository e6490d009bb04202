/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* A change on its way into the ledger. */

#include "model/facts.h"

/* What people call it: a unit, or where systemd owns nothing there the cgroup. */
const char *change_name(const Change *change);

/* Fills *c (to be released also on an error) from plan and facts: arm, target, unit, from, to, and why. -ENOMEM. */
int change_make(const Plan *plan, const Facts *facts, const char *verdict, usec_t now_usec, Change *c);

/* What an earlier change of this setting left (say, a full cpuset.cpus that the kernel would not empty) is not "as
 * before" for the new one: it takes over the state before the earlier one. -ENOMEM. */
int change_inherit(Change *c, const Change *earlier);

/* The first change made the place of the drop-ins (and the unit's folder in it), so the last one out removes it. */
void change_share(Change *c, const Change *other);
