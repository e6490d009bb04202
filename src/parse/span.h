/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* A piece of a text that somebody else owns, and the few ways in which the kernel's files are cut up: lines, words,
 * keys and values. A NUL in a file is a character like any other. */

#include "base/macros.h"

typedef struct Span {
        const char *text;
        size_t len;
} Span;

static inline Span span_of(const char *text, size_t len) {
        return (Span){text, len};
}

/* Takes the next line (without its newline) off *rest; the last one need not end in a newline. False at the end. */
bool span_next_line(Span *rest, Span *ret);

/* Takes the next word (a run without blanks and tabs) off *line. False where there is none. */
bool span_next_word(Span *line, Span *ret);

/* Takes the next word, which must be an unsigned decimal. False (and *line is behind the word) where it is not. */
bool span_next_u64(Span *line, uint64_t *ret);

/* Splits at the first `c`: *ret_head is what stands before it, *ret_tail what stands behind. False without one. */
bool span_split(Span s, char c, Span *ret_head, Span *ret_tail);

/* Without blanks, tabs and newlines at either end. */
Span span_trim(Span s);

bool span_is(Span s, const char *text);
bool span_starts_with(Span s, const char *prefix);

/* The whole span as an unsigned decimal. */
bool span_u64(Span s, uint64_t *ret);
