/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Pressure stall information:
 *
 *   some avg10=3.10 avg60=2.50 avg300=2.00 total=123456789012
 *   full avg10=0.00 avg60=0.00 avg300=0.00 total=0
 *
 * The second line came to the cpu file with 5.13; a third kind would be passed over. */

#include "parse/psi.h"

#include "parse/span.h"

static bool find_total(Span line, uint64_t *ret) {
        Span word, key, value;

        while (span_next_word(&line, &word))
                if (span_split(word, '=', &key, &value) && span_is(key, "total"))
                        return span_u64(value, ret);
        return false;
}

void psi_parse(const char *text, size_t len, Counts *counts) {
        Span rest = span_of(text, len), line, kind;
        uint64_t total;

        while (span_next_line(&rest, &line)) {
                if (!span_next_word(&line, &kind) || !find_total(line, &total))
                        continue;
                if (span_is(kind, "some"))
                        counts_set(counts, CGROUP_SOME_USEC, total);
                else if (span_is(kind, "full"))
                        counts_set(counts, CGROUP_FULL_USEC, total);
        }
}
