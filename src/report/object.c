/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A thin layer over jansson for what all of report/ needs: an absent value leaves no key, a cgroup's name may hold
 * bytes that are no UTF-8 (the kernel forbids only '/' and newlines in it; jansson refuses such a string), and numbers
 * come out as they were rounded (3.44, not 3.4399999999999999). */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/object.h"

/* More digits than any figure has that was measured, fewer than would show how a double stores it. */
#define REAL_DIGITS 9

static json_t *text_escaped(const char *text) {
        char *escaped = malloc(strlen(text) * 4 + 1);
        if (!escaped)
                return NULL;

        char *out = escaped;
        for (const char *c = text; *c; c++)
                if ((unsigned char) *c < 0x80)
                        *out++ = *c;
                else
                        out += snprintf(out, 5, "\\x%02x", (unsigned char) *c);
        *out = '\0';

        json_t *value = json_string(escaped);
        free(escaped);
        return value;
}

json_t *text_new(const char *text) {
        json_t *value = json_string(text);
        return value ? value : text_escaped(text);
}

int object_text(json_t *o, const char *key, const char *text) {
        return text ? object_take(o, key, text_new(text)) : 0;
}

int object_text_or_null(json_t *o, const char *key, const char *text) {
        return object_take(o, key, text ? text_new(text) : json_null());
}

int object_integer(json_t *o, const char *key, uint64_t value) {
        return object_take(o, key, json_integer((json_int_t) MIN(value, (uint64_t) INT64_MAX)));
}

int object_real(json_t *o, const char *key, double value) {
        return isfinite(value) ? object_take(o, key, json_real(value)) : 0;
}

int object_bool(json_t *o, const char *key, bool value) {
        return object_take(o, key, json_boolean(value));
}

int object_take(json_t *o, const char *key, json_t *value) {
        return json_object_set_new(o, key, value);
}

int object_take_filled(json_t *o, const char *key, json_t *value) {
        if (!value)
                return -1;
        if (json_array_size(value) > 0 || json_object_size(value) > 0)
                return object_take(o, key, value);

        json_decref(value);
        return 0;
}

json_t *object_finish(json_t *o, int failed) {
        if (o && failed == 0)
                return o;

        json_decref(o);
        return NULL;
}

char *object_line(json_t *o, int failed) {
        char *line = o && failed == 0 ? json_dumps(o, JSON_COMPACT | JSON_REAL_PRECISION(REAL_DIGITS)) : NULL;
        json_decref(o);
        return line;
}
