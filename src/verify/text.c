/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Puts measures and their values into words. Three digits are enough for a person to see what a change did. */

#include "verify/text.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/format.h"

void text_add(char *text, size_t size, const char *format, ...) {
        size_t len = strlen(text);
        va_list args;

        va_start(args, format);
        (void) vsnprintf(text + len, size - len, format, args);
        va_end(args);
}

static bool is_metric(const Measure *m) {
        return m->kind == MEASURE_QUANTITY && m->quantity == QUANTITY_PROGRESS && m->policy && m->policy->metric_file;
}

const char *text_measure(const Measure *m) {
        switch (m->kind) {
        case MEASURE_WAIT_PER_VOLUNTARY:
                return "wait per voluntary switch";
        case MEASURE_DELAY_RATE:
                return "wait of all together";
        case MEASURE_QUANTITY:
                break;
        }
        if (is_metric(m))
                return m->policy->metric_name ? m->policy->metric_name : "metric";
        return quantity_info(m->quantity)->text;
}

static const char *unit(const Measure *m) {
        switch (m->kind) {
        case MEASURE_WAIT_PER_VOLUNTARY:
                return " us";
        case MEASURE_DELAY_RATE:
                return " s/s";
        case MEASURE_QUANTITY:
                break;
        }
        return is_metric(m) ? "" : quantity_info(m->quantity)->unit;
}

const char *text_value(const Measure *m, double value, char buf[static TEXT_VALUE_MAX]) {
        double shown = m->kind == MEASURE_QUANTITY && !is_metric(m) ? value * quantity_info(m->quantity)->scale : value;
        char count[FORMAT_MAX];

        if (is_metric(m) && m->policy->metric_better == METRIC_LOWER && value != 0)
                shown = 1 / value;
        if (shown >= 100 && shown < 1e15)
                (void) snprintf(buf, TEXT_VALUE_MAX, "%s%s", format_count((uint64_t) llround(shown), count), unit(m));
        else
                (void) snprintf(buf, TEXT_VALUE_MAX, "%.*f%s", fabs(shown) < 1 ? 2 : 1, shown, unit(m));
        return buf;
}
