/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Which processes have new threads or children, run another program, or have lost a thread, by the kernel's process
 * connector (Documentation/driver-api/connector.rst). */

#include <sys/types.h>

#include "base/macros.h"

struct nl_sock;
typedef struct ProcessEvents ProcessEvents;

/* Begins to listen. A kernel that can't or won't tell is no failure: then it is off. -ENOMEM. */
int process_events_open(ProcessEvents **ret);
/* The same over a connected socket that does not block and is in the group CN_IDX_PROC; taken over. */
int process_events_new(struct nl_sock *socket, ProcessEvents **ret);
ProcessEvents *process_events_free(ProcessEvents *e);
DEFINE_CLEANUP_FUNC(ProcessEvents *, process_events_free);

/* Why it is off, static; NULL: it is on. */
const char *process_events_off(const ProcessEvents *e);

/* Takes what has come since the last time, and forgets what was then. -ENOMEM. The questions below are about this
 * stretch; e may be NULL: then nothing is known to have happened. */
int process_events_drain(ProcessEvents *e);

/* Its threads, children or program are not what they were; true for all where events were lost. */
bool process_events_touched(const ProcessEvents *e, pid_t pid);
/* Is there any process of which that is so? */
bool process_events_any(const ProcessEvents *e);
/* It runs another program. Where events were lost only those that came count. */
bool process_events_execed(const ProcessEvents *e, pid_t pid);
