/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A number, or a line "name{labels} value [timestamp]" of Prometheus' text exposition format. Comments begin with '#'.
 * The number is parsed by hand from a bounded copy: strtod() needs an end that it can see. */

#include "parse/metric.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/macros.h"

static int take_number(const char *text, size_t len, double *ret) {
        char number[64];
        while (len > 0 && (*text == ' ' || *text == '\t'))
                text++, len--;
        size_t n = 0;
        while (n < len && n + 1 < sizeof(number) && !strchr(" \t\r\n", text[n]) && text[n] != '\0')
                n++;
        memcpy(number, text, n);
        number[n] = '\0';

        char *end;
        double value = strtod(number, &end);
        if (n == 0 || *end || !isfinite(value))
                return -EINVAL;
        *ret = value;
        return 0;
}

static bool line_is(const char *line, size_t len, const char *name, size_t name_len) {
        return len > name_len && memcmp(line, name, name_len) == 0 && memchr(" \t{", line[name_len], 3);
}

/* Behind the name, and behind its labels where the name was given without them. */
static const char *value_of(const char *line, size_t len, size_t name_len) {
        const char *p = line + name_len;
        if (*p == '{')
                p = memrchr(p, '}', len - name_len);
        return p ? p + (*p == '}') : NULL;
}

int parse_metric(const char *text, size_t len, const char *name, double *ret) {
        if (!name)
                return take_number(text, len, ret);

        size_t name_len = strlen(name);
        for (const char *end = text + len, *next; text < end; text = next) {
                const char *newline = memchr(text, '\n', (size_t) (end - text));
                size_t n = (size_t) ((newline ? newline : end) - text);
                next = newline ? newline + 1 : end;
                if (!line_is(text, n, name, name_len))
                        continue;
                const char *value = value_of(text, n, name_len);
                return value ? take_number(value, n - (size_t) (value - text), ret) : -EINVAL;
        }
        return -ENODATA;
}
