/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Cutting up texts without copying them and without a NUL at their end. */

#include "parse/span.h"

#include "base/numbers.h"

static bool is_blank(char c) {
        return c == ' ' || c == '\t';
}

/* memchr() and memcmp() must not be given the NULL of an empty buffer. */
static const char *find(Span s, char c) {
        return s.len > 0 ? memchr(s.text, c, s.len) : NULL;
}

static Span behind(Span s, size_t n) {
        return n > 0 ? (Span){s.text + n, s.len - n} : s;
}

bool span_next_line(Span *rest, Span *ret) {
        if (rest->len == 0)
                return false;
        const char *newline = find(*rest, '\n');
        size_t n = newline ? (size_t) (newline - rest->text) : rest->len;
        *ret = (Span){rest->text, n};
        *rest = behind(*rest, newline ? n + 1 : n);
        return true;
}

bool span_next_word(Span *line, Span *ret) {
        size_t from = 0, to;

        while (from < line->len && is_blank(line->text[from]))
                from++;
        for (to = from; to < line->len && !is_blank(line->text[to]);)
                to++;
        if (to == from)
                return false;
        *ret = (Span){line->text + from, to - from};
        *line = behind(*line, to);
        return true;
}

bool span_next_u64(Span *line, uint64_t *ret) {
        Span word;

        return span_next_word(line, &word) && span_u64(word, ret);
}

bool span_split(Span s, char c, Span *ret_head, Span *ret_tail) {
        const char *at = find(s, c);

        if (!at)
                return false;
        size_t n = (size_t) (at - s.text);
        *ret_head = (Span){s.text, n};
        *ret_tail = behind(s, n + 1);
        return true;
}

Span span_trim(Span s) {
        while (s.len > 0 && (is_blank(s.text[0]) || s.text[0] == '\n'))
                s = behind(s, 1);
        while (s.len > 0 && (is_blank(s.text[s.len - 1]) || s.text[s.len - 1] == '\n'))
                s.len--;
        return s;
}

bool span_is(Span s, const char *text) {
        return s.len == strlen(text) && span_starts_with(s, text);
}

bool span_starts_with(Span s, const char *prefix) {
        size_t n = strlen(prefix);

        return s.len >= n && (n == 0 || memcmp(s.text, prefix, n) == 0);
}

bool span_u64(Span s, uint64_t *ret) {
        return s.len > 0 && number_parse_u64(s.text, s.len, ret) >= 0;
}
