/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Decisions as structured journal entries: one each, none a tick. */

#include <sys/types.h>

#include "model/target-view.h"

typedef struct Journal Journal;

int journal_new(Journal **ret);
Journal *journal_free(Journal *j);
DEFINE_CLEANUP_FUNC(Journal *, journal_free);

/* Called each tick for each target; writes where a confirmed verdict is another one than the last that was written.
 * Verdicts that complain of nothing (healthy, unknown) are only written after one that does. */
void journal_verdict(Journal *j, uint64_t tick, const TargetView *v);

/* view->change was just made; view->outcome is new; a change was undone (view->change may be gone already). */
void journal_change(const TargetView *v);
void journal_outcome(const TargetView *v);
void journal_undo(const TargetView *v, const char *why);

/* Somebody has paused placerd, or has let it go on. JOURNAL_UID_UNKNOWN: nobody knows who. */
#define JOURNAL_UID_UNKNOWN ((uid_t) -1)
void journal_paused(bool paused, uid_t uid, unsigned n_broken_off);

/* An entry about placerd itself. */
void journal_note(int level, const char *message_id, const char *format, ...) _printf_(3, 4);
