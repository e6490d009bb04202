/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* One raw line of placerd.conf, before inih sees it: is it empty, a header or an assignment, and is it text at all?
 * Everything but a comment ends up in messages, in JSON and on terminals, hence UTF-8 without control characters. */

#include "parse/settings-lines.h"

#define BLANKS " \t\r\n\v\f"

/* A NUL is no blank, though strchr() finds one in any string. */
static bool is_blank(char c) {
        return c != '\0' && strchr(BLANKS, c);
}

/* The length of the UTF-8 character (RFC 3629) at c, 0 where there is none, or a control character. */
static size_t character_len(const unsigned char *c, const unsigned char *end) {
        size_t len = *c < 0x80 ? 1 : *c < 0xc2 ? 0 : *c < 0xe0 ? 2 : *c < 0xf0 ? 3 : *c < 0xf5 ? 4 : 0;
        if (len == 1)
                return *c == '\t' || (*c >= 0x20 && *c != 0x7f);
        if (len == 0 || (size_t) (end - c) < len)
                return 0;

        uint32_t code = *c & (0x7fU >> len);
        for (size_t i = 1; i < len; i++) {
                if ((c[i] & 0xc0) != 0x80)
                        return 0;
                code = code << 6 | (c[i] & 0x3fU);
        }
        /* U+0080 to 009F control a terminal; an encoding must be the shortest; surrogates are no characters. */
        if (code < 0xa0 || (len == 3 && code < 0x800) || (len == 4 && (code < 0x10000 || code > 0x10ffff)) ||
            (code >= 0xd800 && code < 0xe000))
                return 0;
        return len;
}

static bool is_clean(const char *text, const char *end) {
        while (text < end) {
                size_t len = character_len((const unsigned char *) text, (const unsigned char *) end);
                if (len == 0)
                        return false;
                text += len;
        }
        return true;
}

/* The bracket that closes the one at text; a glob may have brackets of its own. NULL: none. */
static const char *closing_bracket(const char *text, const char *end) {
        unsigned depth = 0;
        for (const char *c = text; c < end; c++) {
                if (*c == '[')
                        depth++;
                if (*c == ']' && --depth == 0)
                        return c;
        }
        return NULL;
}

static const char *read_header(const char *text, const char *end, Line *ret) {
        const char *close = closing_bracket(text, end), *name = text + 1;
        if (!close)
                return "this section header has no closing ]; expected [NAME]";
        if (close + 1 != end)
                return "there is text behind the closing ]; a comment needs a line of its own";
        if (close == name || is_blank(name[0]) || is_blank(close[-1]))
                return "a section's name is empty or has blanks around it; expected [NAME]";
        if (close - name > SECTION_NAME_MAX)
                return "this section's name is longer than 512 bytes; take a short one, and match= for a long path";

        size_t len = (size_t) (close - name);
        memcpy(ret->name, name, len);
        ret->name[len] = '\0';
        ret->kind = LINE_HEADER;
        return NULL;
}

/* inih also separates at a colon: "x:y = 1" would be key x. One way to write it is enough. */
static const char *read_assignment(const char *text, const char *end, Line *ret) {
        const char *equals = memchr(text, '=', (size_t) (end - text));
        const char *colon = memchr(text, ':', (size_t) (end - text));
        if (!equals || (colon && colon < equals))
                return "expected KEY=VALUE, a [SECTION], or a comment that starts with # or ;";
        ret->kind = LINE_ASSIGNMENT;
        return NULL;
}

const char *line_read(const char *text, size_t len, Line *ret) {
        const char *end = text + len;
        if (memchr(text, '\0', len))
                return "there is a NUL byte in this line; the file must be plain text";
        while (text < end && is_blank(*text))
                text++;
        while (end > text && is_blank(end[-1]))
                end--;
        if (text == end || *text == '#' || *text == ';') {
                ret->kind = LINE_EMPTY;
                return NULL;
        }
        if (len >= LINE_SIZE_MAX - 3) /* inih wants room for CR, LF and NUL */
                return "this line is longer than 65532 bytes; write ranges like 0-63";
        if (!is_clean(text, end))
                return "there are control characters in this line, or it is not UTF-8; write plain text";
        return *text == '[' ? read_header(text, end, ret) : read_assignment(text, end, ret);
}
