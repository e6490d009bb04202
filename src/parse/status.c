/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* "KEY:<tab>VALUE" lines. The kernel writes the thread's name (first line) with its newlines escaped, so that no line
 * is forged by it. */

#include "parse/status.h"

#include <errno.h>

#include "parse/cpulist.h"
#include "parse/span.h"

static bool find_value(Span rest, const char *name, Span *ret) {
        Span line, key, value;

        while (span_next_line(&rest, &line))
                if (span_split(line, ':', &key, &value) && span_is(key, name)) {
                        *ret = span_trim(value);
                        return true;
                }
        return false;
}

void status_parse_switches(const char *text, size_t len, Counts *counts) {
        uint64_t voluntary, involuntary;
        Span value;

        if (!find_value(span_of(text, len), "voluntary_ctxt_switches", &value) || !span_u64(value, &voluntary))
                return;
        if (!find_value(span_of(text, len), "nonvoluntary_ctxt_switches", &value) || !span_u64(value, &involuntary))
                return;
        counts_set(counts, THREAD_VOLUNTARY, voluntary);
        counts_set(counts, THREAD_INVOLUNTARY, involuntary);
        counts_set(counts, THREAD_SWITCHES, voluntary + involuntary);
}

int status_parse_allowed(const char *text, size_t len, Cpuset **ret) {
        Span value;

        if (!find_value(span_of(text, len), "Cpus_allowed_list", &value) || value.len == 0)
                return -EBADMSG;
        int r = cpulist_parse(value.text, value.len, ret);
        return r < 0 && r != -ENOMEM ? -EBADMSG : r;
}
