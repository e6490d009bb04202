/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The terminal, if it is one: colour, and a pager in between. */

#include <jansson.h>

#include "ctl/verbs.h"

typedef enum Colour { COLOUR_NONE, COLOUR_GOOD, COLOUR_BAD, COLOUR_DIM } Colour;

/* True on a terminal that is not "dumb", unless NO_COLOR is set (and not empty: no-color.org). */
bool screen_has_colour(void);

/* How a verdict is shown. */
Colour colour_of_verdict(const char *verdict);
/* The sequence that switches to it (for COLOUR_NONE: back to normal), "" where there is no colour. Static. */
const char *colour_code(Colour colour);
/* The same as libsmartcols names it; NULL for none. Static. */
const char *colour_name(Colour colour);

/* Columns of the terminal behind standard output, also behind our pager; 0: it is none. */
unsigned screen_width(void);

/* From here on standard output goes through the pager, where it is a terminal and --no-pager was not given.
 * screen_done() waits for it to end. */
void screen_begin(const Options *options);
void screen_done(void);

/* Prints one JSON object for a person or a script: indented on a terminal, else on one line. */
ExitCode screen_json(const json_t *o);
