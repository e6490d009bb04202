/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* One "KEY : VALUE" a line behind a heading and a ruler:
 *
 *   systemd (1, #threads: 1)
 *   -------------------------------------------------------------------
 *   se.nr_migrations                             :                   69
 *   wait_max                                     :            20.343712
 *   nr_switches                                  :                  892
 *
 * The heading holds the thread's name as it is, newlines included, so that a name can forge lines: nothing counts
 * before the ruler, which is longer (60 dashes and more) than a name can be (15 bytes). Before 5.16 the statistics had
 * "se.statistics." before their names; the width of the columns differs too. Times are milliseconds with six digits of
 * nanoseconds. */

#include "parse/sched.h"

#include "parse/span.h"

#define RULER_MIN 60

static const struct {
        const char *name;
        ThreadCount count;
} keys[] = {
        {"se.nr_migrations", THREAD_MIGRATIONS},
        {"nr_switches", THREAD_SWITCHES},
        {"nr_voluntary_switches", THREAD_VOLUNTARY},
        {"nr_involuntary_switches", THREAD_INVOLUNTARY},
        {"nr_wakeups", THREAD_WAKEUPS},
        {"nr_wakeups_affine", THREAD_WAKEUPS_AFFINE},
};

static bool is_ruler(Span line) {
        if (line.len < RULER_MIN)
                return false;
        for (size_t i = 0; i < line.len; i++)
                if (line.text[i] != '-')
                        return false;
        return true;
}

static bool skip_heading(Span *rest) {
        Span line;

        while (span_next_line(rest, &line))
                if (is_ruler(line))
                        return true;
        return false;
}

/* "20.343712" milliseconds, always with six digits: 20343712 ns, without the loss of a float. */
static bool parse_msec(Span s, uint64_t *ret_nsec) {
        Span whole, part;
        uint64_t msec, nsec;

        if (!span_split(s, '.', &whole, &part) || part.len != 6 || !span_u64(whole, &msec) || !span_u64(part, &nsec))
                return false;
        if (__builtin_mul_overflow(msec, UINT64_C(1000000), &msec) || __builtin_add_overflow(msec, nsec, &nsec))
                return false;
        *ret_nsec = nsec;
        return true;
}

static void take_count(Span name, Span value, Counts *counts) {
        uint64_t n;

        for (size_t i = 0; i < ELEMENTSOF(keys); i++)
                if (span_is(name, keys[i].name) && span_u64(value, &n))
                        counts_set(counts, keys[i].count, n);
}

void sched_parse(const char *text, size_t len, Counts *counts, bool *ret_wait_max_known, uint64_t *ret_wait_max_nsec) {
        static const char prefix[] = "se.statistics.";
        Span rest = span_of(text, len), line, name, value;
        uint64_t wait_max = 0;
        bool known = false;

        if (!skip_heading(&rest))
                rest = (Span){};
        while (span_next_line(&rest, &line)) {
                if (!span_split(line, ':', &name, &value))
                        continue;
                name = span_trim(name);
                value = span_trim(value);
                if (span_starts_with(name, prefix))
                        name = span_of(name.text + strlen(prefix), name.len - strlen(prefix));
                if (span_is(name, "wait_max") || span_is(name, "max_run_delay"))
                        known = parse_msec(value, &wait_max) || known;
                else
                        take_count(name, value, counts);
        }
        *ret_wait_max_known = known;
        *ret_wait_max_nsec = wait_max;
}
