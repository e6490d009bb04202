/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The treatment of one target; see treat.c. 0, or -ENOMEM: what else goes wrong is the target's refusal or outcome. */

#include "pipeline/state.h"

/* A plan that was refused, or only advised, is looked at again then. */
#define REPLAN_USEC USEC_PER_MINUTE

/* Makes the planned change, or the first step of it; then, while there are more, the next one. */
int treat_apply(Pipeline *p, Target *t);
bool treat_more_steps(const Pipeline *p, const Target *t);
int treat_step(Pipeline *p, Target *t);

/* At the end of the after-window: kept, or undone. */
int treat_judge(Pipeline *p, Target *t);
/* Before it: somebody is harmed. */
int treat_undo_worse(Pipeline *p, Target *t);

/* In the middle of a trial: it is undone, and has failed nothing, so that no hold and no back-off follows. */
void treat_break_off(Pipeline *p, Target *t, const char *why);

/* Somebody else's value stands there, or none: ours no longer. True where that was so. */
bool treat_let_go_of_foreign(Pipeline *p, Target *t);

/* A kept change of a predecessor goes on as ours. */
int treat_take_over(Pipeline *p, Target *t, const Change *c);
