/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Asks the kernel what all threads that a process has and had did (Documentation/accounting/taskstats.rst). */

#include <sys/types.h>

#include "model/counts.h"

struct nl_sock;
typedef struct Taskstats Taskstats;

/* A kernel that can't or won't tell is no failure: then it is off. -ENOMEM. */
int taskstats_open(Taskstats **ret);
/* The same over a generic netlink socket that is connected and does not block; taken over. */
int taskstats_new(struct nl_sock *socket, Taskstats **ret);
Taskstats *taskstats_free(Taskstats *t);
DEFINE_CLEANUP_FUNC(Taskstats *, taskstats_free);

/* Why it is off, static; NULL: it is on. */
const char *taskstats_off(const Taskstats *t);

/* Run time, run delay and slices of the process, all threads' since its start. 1: they are in *counts; 0: it has gone,
 * the kernel did not answer this time, or taskstats is off or NULL; -ENOMEM. */
int taskstats_ask(Taskstats *t, pid_t pid, Counts *counts);
