/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Time spans as systemd.time(7) has them, cut down to one number and one unit: sums ("1h 30min") have no use in
 * placerd's settings, and without them every mistake can be named. Writing goes the other way, to the three digits
 * that a person reads at a glance. */

#include "base/usec.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "base/numbers.h"

#define USEC_PER_DAY (24 * USEC_PER_HOUR)

static const struct {
        const char *name;
        usec_t usec;
} units[] = {
        {"us", 1},           {"ms", USEC_PER_MSEC}, {"s", USEC_PER_SEC}, {"min", USEC_PER_MINUTE}, {"h", USEC_PER_HOUR},
        {"d", USEC_PER_DAY},
};

/* systemd.time(7): "If no time unit is specified, generally seconds are assumed". */
static int find_unit(const char *name, usec_t *ret) {
        if (*name == '\0')
                name = "s";
        for (size_t i = 0; i < ELEMENTSOF(units); i++)
                if (streq(name, units[i].name)) {
                        *ret = units[i].usec;
                        return 0;
                }
        return -EINVAL;
}

/* The value of the digits behind the point, in parts of a unit; what is finer than 1 us is cut off. */
static int take_fraction(const char **text, const char *end, uint64_t *ret_digits, uint64_t *ret_scale) {
        const char *from = *text;
        uint64_t digits, scale = 1;

        int r = number_take_u64(text, end, &digits);
        if (r < 0)
                return r;
        for (; from < *text; from++)
                if (__builtin_mul_overflow(scale, UINT64_C(10), &scale))
                        return -ERANGE;
        *ret_digits = digits;
        *ret_scale = scale;
        return 0;
}

int usec_parse(const char *text, usec_t *ret) {
        const char *end = text + strlen(text);
        uint64_t whole, digits = 0, scale = 1;
        usec_t unit, span;

        int r = number_take_u64(&text, end, &whole);
        if (r < 0)
                return r;
        if (*text == '.') {
                text++;
                r = take_fraction(&text, end, &digits, &scale);
                if (r < 0)
                        return r;
        }
        text += strspn(text, " \t");
        r = find_unit(text, &unit);
        if (r < 0)
                return r;

        usec_t part = (usec_t) ((unsigned __int128) digits * unit / scale);
        if (__builtin_mul_overflow(whole, unit, &span) || __builtin_add_overflow(span, part, &span) ||
            span == USEC_INFINITY)
                return -ERANGE;
        *ret = span;
        return 0;
}

/* To three digits of the unit; at the far end, where there is no room to round up, as it is. */
static usec_t round_to_three_digits(usec_t span, usec_t unit) {
        usec_t step = span < 10 * unit ? unit / 100 : span / 100 < unit ? unit / 10 : unit;
        step = MAX(step, (usec_t) 1);
        usec_t rest = span % step;

        if (rest < step - rest || span > USEC_INFINITY - step)
                return span - rest;
        return span - rest + step;
}

const char *usec_format(usec_t span, char buf[static USEC_FORMAT_MAX]) {
        size_t u = 0;

        if (span == USEC_INFINITY) {
                (void) snprintf(buf, USEC_FORMAT_MAX, "infinity");
                return buf;
        }

        /* Rounding may lift the span into the next unit: 999.9 ms is 1 s. */
        for (; u + 1 < ELEMENTSOF(units); u++) {
                usec_t rounded = span >= units[u].usec ? round_to_three_digits(span, units[u].usec) : span;
                if (rounded < units[u + 1].usec)
                        break;
        }

        usec_t unit = units[u].usec;
        span = round_to_three_digits(span, unit);
        /* NOLINTNEXTLINE(clang-analyzer-core.DivideZero): clang 14 takes a unit for 0 behind the rounding. */
        unsigned hundredths = (unsigned) (span % unit * 100 / unit);
        if (hundredths == 0)
                (void) snprintf(buf, USEC_FORMAT_MAX, "%" PRIu64 "%s", span / unit, units[u].name);
        else if (hundredths % 10 == 0)
                (void) snprintf(buf, USEC_FORMAT_MAX, "%" PRIu64 ".%u%s", span / unit, hundredths / 10, units[u].name);
        else
                (void) snprintf(buf, USEC_FORMAT_MAX, "%" PRIu64 ".%02u%s", span / unit, hundredths, units[u].name);
        return buf;
}
