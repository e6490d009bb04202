/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A string that grows by printf. Once an allocation has failed the text is not to be trusted any more: further text is
 * dropped, and strbuf_take() says so by NULL. */

#include "base/strbuf.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/cleanup.h"

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

/* Bytes of the control character at c (C0, DEL, or C1 in UTF-8: terminals obey these too); 0 where it is none. */
static size_t control_length(const unsigned char *c) {
        if ((c[0] < 0x20 && c[0] != '\n') || c[0] == 0x7f)
                return 1;
        return c[0] == 0xc2 && c[1] >= 0x80 && c[1] < 0xa0 ? 2 : 0;
}

char *strbuf_take_shown(StrBuf *b) {
        _cleanup_free_ char *text = strbuf_take(b);
        StrBuf shown = {};

        if (!text)
                return NULL;
        for (const char *c = text, *end; *c; c = end) {
                for (end = c; *end && control_length((const unsigned char *) end) == 0; end++)
                        ;
                strbuf_printf(&shown, "%.*s", (int) (end - c), c);
                for (size_t n = *end ? control_length((const unsigned char *) end) : 0; n > 0; n--)
                        strbuf_printf(&shown, "\\x%02x", (unsigned char) *end++);
        }
        return strbuf_take(&shown);
}
