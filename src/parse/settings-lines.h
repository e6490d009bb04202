/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* For settings.c only: what kind of line is this? */

#include "base/macros.h"

/* One line; a list of 8192 single CPUs is 40 KiB. */
#define LINE_SIZE_MAX 65536
#define SECTION_NAME_MAX 512

typedef enum LineKind { LINE_EMPTY, LINE_HEADER, LINE_ASSIGNMENT } LineKind;

typedef struct Line {
        LineKind kind;
        char name[SECTION_NAME_MAX + 1]; /* of a header */
} Line;

/* Looks at text[0..len), with or without its line end. NULL where it is a line of one of the kinds (blank lines and
 * comments are empty), else (static) what is wrong and what would be right. An assignment's key and value are left to
 * inih: it is certain that there is a = and no : before it. */
const char *line_read(const char *text, size_t len, Line *ret);
