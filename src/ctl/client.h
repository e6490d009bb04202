/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Asks placerd over D-Bus. It is never started by asking. Each says on standard error what went wrong. */

#include <jansson.h>

#include "ctl/verbs.h"

/* Describe(): all that the daemon knows. New reference. */
ExitCode client_describe(json_t **ret);
/* DescribeTarget(). New reference. */
ExitCode client_describe_target(const char *target, json_t **ret);
/* Undo(), or UndoAll() where target is NULL. */
ExitCode client_undo(const char *target, unsigned *ret_undone);
/* Pause(), with the number of trials that were broken off. */
ExitCode client_pause(unsigned *ret_broken_off);
ExitCode client_resume(void);
