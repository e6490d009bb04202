/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* A string that grows. A failed allocation is remembered, so that callers check once, at the end. */

#include "base/macros.h"

typedef struct StrBuf {
        char *text; /* NUL-terminated once something was added, else NULL */
        size_t len, allocated;
        bool failed;
} StrBuf;

void strbuf_done(StrBuf *b);
void strbuf_printf(StrBuf *b, const char *format, ...) _printf_(2, 3);
/* Hands the text out ("" where nothing was added), and empties the buffer; NULL where an allocation failed. */
char *strbuf_take(StrBuf *b);
/* The same for a person's terminal: control characters other than newlines come out as \x1b and the like. Who may make
 * a cgroup chooses its name, and must not be able to talk to the terminal of whoever looks at it. */
char *strbuf_take_shown(StrBuf *b);
