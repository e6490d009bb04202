/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Putting JSON objects together. Each returns 0, or -1 where memory is short, so that a builder ORs them up and looks
 * once. An absent value leaves no key. */

#include <jansson.h>

#include "base/macros.h"

/* NULL: no key. Bytes that are no UTF-8 (a cgroup may have any name) come out as \xNN. */
int object_text(json_t *o, const char *key, const char *text);
/* The same with null for NULL. */
int object_text_or_null(json_t *o, const char *key, const char *text);
int object_integer(json_t *o, const char *key, uint64_t value);
/* Not a number, infinite: no key. */
int object_real(json_t *o, const char *key, double value);
int object_bool(json_t *o, const char *key, bool value);
/* Takes over the value; NULL means that memory was short. */
int object_take(json_t *o, const char *key, json_t *value);
/* The same for a value that may be empty ([] or {}): then no key. */
int object_take_filled(json_t *o, const char *key, json_t *value);

/* A string for an array. New reference, NULL where memory is short. */
json_t *text_new(const char *text);

/* One line, and the object is let go of. NULL where memory is short, or `failed`. */
char *object_line(json_t *o, int failed);
/* The object, or NULL (and it is let go of) where `failed`. */
json_t *object_finish(json_t *o, int failed);
