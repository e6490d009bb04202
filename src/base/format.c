/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Numbers for people. Integers all the way, so that the same value always reads the same. */

#include "base/format.h"

#include <inttypes.h>
#include <stdio.h>

const char *format_decimal(int64_t thousandths, unsigned decimals, char buf[static FORMAT_MAX]) {
        static const uint64_t step[] = {1000, 100, 10, 1};
        assert(decimals < ELEMENTSOF(step));

        bool negative = thousandths < 0;
        uint64_t v = negative ? -(uint64_t) thousandths : (uint64_t) thousandths;
        uint64_t rounded = (v + step[decimals] / 2) / step[decimals];
        uint64_t unit = 1000 / step[decimals];
        if (decimals == 0)
                snprintf(buf, FORMAT_MAX, "%s%" PRIu64, negative ? "-" : "", rounded);
        else
                snprintf(buf, FORMAT_MAX, "%s%" PRIu64 ".%0*" PRIu64, negative ? "-" : "", rounded / unit,
                         (int) decimals, rounded % unit);
        return buf;
}

const char *format_share(int64_t thousandths, char buf[static FORMAT_MAX]) {
        char number[FORMAT_MAX];
        snprintf(buf, FORMAT_MAX, "%.40s %%", format_decimal(thousandths * 100, 1, number));
        return buf;
}

const char *format_count(uint64_t n, char buf[static FORMAT_MAX]) {
        char digits[FORMAT_MAX];
        int len = snprintf(digits, sizeof(digits), "%" PRIu64, n);
        size_t out = 0;
        for (int i = 0; i < len; i++) {
                if (i > 0 && (len - i) % 3 == 0)
                        buf[out++] = ',';
                buf[out++] = digits[i];
        }
        buf[out] = '\0';
        return buf;
}

const char *format_wait(int64_t nsec, char buf[static FORMAT_MAX]) {
        static const struct {
                int64_t above;
                int64_t divide; /* to thousandths of the unit */
                const char *unit;
        } units[] = {
                {NSEC_PER_SEC, USEC_PER_SEC, "s"},
                {USEC_PER_SEC, USEC_PER_MSEC, "ms"},
                {0, 1, "us"},
        };
        char number[FORMAT_MAX];
        size_t i = 0;
        while (nsec < units[i].above && i + 1 < ELEMENTSOF(units))
                i++;
        int64_t value = nsec / units[i].divide;
        snprintf(buf, FORMAT_MAX, "%.40s %s",
                 format_decimal(value, value < 100000 && units[i].divide > 1 ? 1 : 0, number), units[i].unit);
        return buf;
}
