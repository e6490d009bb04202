/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Messages of placerd itself: to the journal as entries with fields where there is one, else to standard error. */

#include <syslog.h>

#include "base/macros.h"

/* Lines below this level are dropped; LOG_INFO at the start. */
void log_set_level(int level);

/* One line. `error` (0 or negative errno) is what %m stands for. Returns `error`, so that callers can
 * `return log_error(r, ...)`. */
int log_full(int level, int error, const char *format, ...) _printf_(3, 4);

#define log_debug(...) log_full(LOG_DEBUG, 0, __VA_ARGS__)
#define log_info(...) log_full(LOG_INFO, 0, __VA_ARGS__)
#define log_notice(...) log_full(LOG_NOTICE, 0, __VA_ARGS__)
#define log_warning(error, ...) log_full(LOG_WARNING, (error), __VA_ARGS__)
#define log_error(error, ...) log_full(LOG_ERR, (error), __VA_ARGS__)

/* One structured entry: fields are "NAME=value" strings, message is MESSAGE=. Without a journal only the message. */
void log_entry(int level, const char *message, const char *const fields[], size_t n_fields);
