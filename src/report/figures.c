/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Signals and quantities with their units, so that the same figure looks the same in status, explain and a log line:
 * three digits are what such measurements carry (a host's noise is some per cent), the unit stands behind a blank. JSON
 * does not come here: it carries plain numbers. */

#include <math.h>
#include <stdio.h>

#include "report/figures.h"

/* What 64 bits hold in thousandths, with room to spare; no figure comes near it. */
#define FIGURE_MAX 1e15

const char *figure_digits(double value, char buf[static FORMAT_MAX]) {
        double size = fabs(value);

        if (!(size < FIGURE_MAX)) {
                (void) snprintf(buf, FORMAT_MAX, "%s", isnan(value) ? "?" : value < 0 ? "-infinite" : "infinite");
                return buf;
        }
        if (size < 99.95)
                return format_decimal(llround(value * 1000), size >= 9.995 ? 1 : size >= 0.9995 ? 2 : 3, buf);

        char count[FORMAT_MAX];
        (void) snprintf(buf, FORMAT_MAX, "%s%.40s", value < 0 ? "-" : "",
                        format_count((uint64_t) llround(size), count));
        return buf;
}

const char *figure_shift(double shift, char buf[static FORMAT_MAX]) {
        char share[FORMAT_MAX];

        if (!(fabs(shift) < FIGURE_MAX / 1000))
                return figure_digits(shift, buf);
        (void) snprintf(buf, FORMAT_MAX, "%s%.40s", llround(shift * 1000) > 0 ? "+" : "",
                        format_share(llround(shift * 1000), share));
        return buf;
}

const char *figure_span(usec_t span, char buf[static FORMAT_MAX]) {
        char tight[USEC_FORMAT_MAX];

        (void) usec_format(span, tight);
        size_t digits = strspn(tight, "0123456789.");
        (void) snprintf(buf, FORMAT_MAX, "%.*s%s%s", (int) digits, tight, digits > 0 ? " " : "", tight + digits);
        return buf;
}

typedef enum Style {
        STYLE_COUNT,
        STYLE_CPUS,
        STYLE_SPAN, /* the signal is in us */
        STYLE_SHARE,
} Style;

/* clang-format off */
static const Style styles[_SIGNAL_MAX] = {
        [SIGNAL_USAGE]                 = STYLE_CPUS,
        [SIGNAL_WAIT_PER_SLICE]        = STYLE_SPAN,
        [SIGNAL_WAIT_SHARE]            = STYLE_SHARE,
        [SIGNAL_MIGRATIONS_PER_SWITCH] = STYLE_SHARE,
        [SIGNAL_VOLUNTARY_SHARE]       = STYLE_SHARE,
        [SIGNAL_IDLE]                  = STYLE_SHARE,
        [SIGNAL_OTHERS]                = STYLE_CPUS,
        [SIGNAL_FAIR_SHARE]            = STYLE_CPUS,
        [SIGNAL_OUTSIDE_WAIT]          = STYLE_SPAN,
        [SIGNAL_THROTTLED]             = STYLE_SHARE,
        [SIGNAL_THROTTLED_PERIODS]     = STYLE_SHARE,
        [SIGNAL_THROTTLED_OF_DELAY]    = STYLE_SHARE,
        [SIGNAL_COVERAGE]              = STYLE_SHARE,
        [SIGNAL_COVERAGE_SEEN]         = STYLE_SHARE,
        [SIGNAL_ALLOWED_CPUS]          = STYLE_CPUS,
        [SIGNAL_QUOTA]                 = STYLE_CPUS,
        [SIGNAL_USAGE_OF_PAST]         = STYLE_SHARE,
};
/* clang-format on */

/* Whole CPUs (allowed ones) without decimals. */
static const char *figure_cpus(int64_t value, char buf[static FORMAT_MAX]) {
        char number[FORMAT_MAX];
        bool whole = value % SIGNAL_SCALE == 0;

        (void) snprintf(buf, FORMAT_MAX, "%.40s CPU%s", format_decimal(value, whole ? 0 : 2, number),
                        value == SIGNAL_SCALE ? "" : "s");
        return buf;
}

/* Counts (slices, threads, rates) are whole where the table of signals says so. */
static const char *figure_count(Signal signal, int64_t value, char buf[static FORMAT_MAX]) {
        if (signal_info(signal)->decimals == 0 && value >= 0)
                return format_count(((uint64_t) value + SIGNAL_SCALE / 2) / SIGNAL_SCALE, buf);
        return figure_digits((double) value / SIGNAL_SCALE, buf);
}

const char *figure_signal(Signal signal, int64_t value, char buf[static FORMAT_MAX]) {
        assert((unsigned) signal < _SIGNAL_MAX);

        switch (styles[signal]) {
        case STYLE_CPUS:
                return figure_cpus(value, buf);
        case STYLE_SPAN:
                return figure_span(value > 0 ? (usec_t) (value + SIGNAL_SCALE / 2) / SIGNAL_SCALE : 0, buf);
        case STYLE_SHARE:
                return format_share(value, buf);
        case STYLE_COUNT:
                break;
        }
        return figure_count(signal, value, buf);
}

const char *figure_quantity(Quantity quantity, double value, char buf[static FORMAT_MAX]) {
        const QuantityInfo *info = quantity_info(quantity);
        char number[FORMAT_MAX];
        double shown = value * info->scale;

        if (streq(info->unit, " us") && shown >= 0 && shown < FIGURE_MAX)
                return figure_span((usec_t) llround(shown), buf);
        if (streq(info->unit, " %") && fabs(shown) < FIGURE_MAX / 1000)
                return format_share(llround(shown * 10), buf);

        (void) snprintf(buf, FORMAT_MAX, "%.32s%.15s", figure_digits(shown, number), info->unit);
        return buf;
}
