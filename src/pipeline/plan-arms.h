/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* One file an arm: each works out t->plan, or says in t->refusal why there is none. 0, or -ENOMEM. */

#include "decide/guards.h"
#include "pipeline/state.h"

/* `former` is what was planned a moment ago, empty where nothing was. */
int plan_pin(Pipeline *p, Target *t, const Facts *facts, const Plan *former);
int plan_weight(Pipeline *p, Target *t, const Facts *facts, const Plan *former);

/* What all arms have in common. `reason` is taken over; NULL stands for -ENOMEM. */
GuardInput plan_guard_input(const Pipeline *p, const Target *t, const Facts *facts);
int plan_fill(Target *t, Arm arm, const Facts *facts, char *reason);
