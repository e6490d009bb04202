/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Flat keyed files, one "KEY VALUE" a line:
 *
 *   usage_usec 25587513
 *   user_usec 782151
 *   nr_periods 3076
 *   throttled_usec 8600000
 *
 * Keys come and go with kernels and controllers, so only those of the tables count. */

#include "parse/cpu-stat.h"

#include "parse/span.h"

typedef struct Key {
        const char *name;
        CgroupCount count;
} Key;

static const Key stat_keys[] = {
        {"usage_usec", CGROUP_USAGE_USEC},
        {"nr_periods", CGROUP_NR_PERIODS},
        {"nr_throttled", CGROUP_NR_THROTTLED},
        {"throttled_usec", CGROUP_THROTTLED_USEC},
};

static const Key local_keys[] = {
        {"throttled_usec", CGROUP_LOCAL_THROTTLED_USEC},
};

static void take_line(Span line, const Key keys[], size_t n, Counts *counts) {
        Span name;
        uint64_t value;

        if (!span_next_word(&line, &name) || !span_u64(span_trim(line), &value))
                return;
        for (size_t i = 0; i < n; i++)
                if (span_is(name, keys[i].name))
                        counts_set(counts, keys[i].count, value);
}

static void parse_keyed(Span rest, const Key keys[], size_t n, Counts *counts) {
        Span line;

        while (span_next_line(&rest, &line))
                take_line(line, keys, n, counts);
}

void cpu_stat_parse(const char *text, size_t len, Counts *counts) {
        parse_keyed(span_of(text, len), stat_keys, ELEMENTSOF(stat_keys), counts);
}

void cpu_stat_local_parse(const char *text, size_t len, Counts *counts) {
        parse_keyed(span_of(text, len), local_keys, ELEMENTSOF(local_keys), counts);
}
