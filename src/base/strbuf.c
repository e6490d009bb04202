/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A string that grows by printf. Once an allocation has failed the text is not to be trusted any more: further text is
 * dropped, and strbuf_take() says so by NULL. */

#include "base/strbuf.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"

void strbuf_done(StrBuf *b) {
        free(b->text);
        *b = (StrBuf){};
}

void strbuf_printf(StrBuf *b, const char *format, ...) {
        if (b->failed)
                return;

        va_list arguments;
        va_start(arguments, format);
        int n = vsnprintf(NULL, 0, format, arguments);
        va_end(arguments);
        if (n < 0 || array_reserve((void **) &b->text, &b->allocated, b->len + (size_t) n + 1, 1) < 0) {
                b->failed = true;
                return;
        }

        va_start(arguments, format);
        (void) vsnprintf(b->text + b->len, (size_t) n + 1, format, arguments);
        va_end(arguments);
        b->len += (size_t) n;
}

char *strbuf_take(StrBuf *b) {
        char *text = NULL;
        if (!b->failed)
                text = b->text ? TAKE_PTR(b->text) : strdup("");
        strbuf_done(b);
        return text;
}
