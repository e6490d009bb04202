/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* hwloc's bitmap, with the texts and bytes that the kernel and systemd use for a set of CPUs.
 *
 * hwloc has a parser of its own for the list format, but it reads an open range ("3-") as an infinite set and takes any
 * number: 512 MB for "4294967295". What is read here comes from files that others
 * write, so the format is read strictly and CPU numbers are bounded before anything is allocated. */

#include "base/cpuset.h"

#include <errno.h>
#include <stdlib.h>

#include "base/strbuf.h"

Cpuset *cpuset_new(void) {
        return hwloc_bitmap_alloc();
}

Cpuset *cpuset_copy(const Cpuset *set) {
        return hwloc_bitmap_dup(set);
}

Cpuset *cpuset_free(Cpuset *set) {
        hwloc_bitmap_free(set);
        return NULL;
}

/* Takes the digits at *text. The value stops growing once it is too large for a CPU, so that it can't overflow. */
static int take_cpu(const char **text, const char *end, unsigned *ret) {
        const char *p = *text;
        unsigned value = 0;

        for (; p < end && *p >= '0' && *p <= '9'; p++)
                value = value > CPUSET_CPU_MAX ? value : value * 10 + (unsigned) (*p - '0');
        if (p == *text)
                return -EINVAL;

        *text = p;
        *ret = value;
        return 0;
}

/* Takes "5" or "0-3" at *text. */
static int take_range(const char **text, const char *end, Cpuset *set) {
        unsigned first, last;
        int r = take_cpu(text, end, &first);
        if (r < 0)
                return r;

        last = first;
        if (*text < end && **text == '-') {
                (*text)++;
                r = take_cpu(text, end, &last);
                if (r < 0)
                        return r;
        }

        if (first > CPUSET_CPU_MAX || last > CPUSET_CPU_MAX)
                return -ERANGE;
        if (first > last)
                return -EINVAL;
        return hwloc_bitmap_set_range(set, first, (int) last) < 0 ? -ENOMEM : 0;
}

int cpuset_parse_list(const char *text, size_t len, Cpuset **ret) {
        _cleanup_cpuset_ Cpuset *set = cpuset_new();
        if (!set)
                return -ENOMEM;

        const char *end = text + len;
        if (len > 0 && end[-1] == '\n')
                end--;

        for (const char *p = text; p < end;) {
                int r = take_range(&p, end, set);
                if (r < 0)
                        return r;
                if (p == end)
                        break;
                p++;
                if (p[-1] != ',' || p == end)
                        return -EINVAL;
        }

        *ret = TAKE_PTR(set);
        return 0;
}

char *cpuset_format_list(const Cpuset *set) {
        StrBuf text = {};

        for (int first = hwloc_bitmap_first(set); first >= 0;) {
                int behind = hwloc_bitmap_next_unset(set, first);
                assert(behind > first); /* sets are finite here */

                strbuf_printf(&text, text.len > 0 ? ",%d" : "%d", first);
                if (behind - first > 1)
                        strbuf_printf(&text, "-%d", behind - 1);
                first = hwloc_bitmap_next(set, behind);
        }

        return strbuf_take(&text);
}

int cpuset_from_bytes(const uint8_t *bytes, size_t n, Cpuset **ret) {
        _cleanup_cpuset_ Cpuset *set = cpuset_new();
        if (!set)
                return -ENOMEM;

        for (size_t i = 0; i < n; i++)
                for (unsigned j = 0; j < 8; j++) {
                        if (!(bytes[i] & (1U << j)))
                                continue;
                        if (i * 8 + j > CPUSET_CPU_MAX)
                                return -ERANGE;
                        int r = cpuset_add(set, (unsigned) (i * 8 + j));
                        if (r < 0)
                                return r;
                }

        *ret = TAKE_PTR(set);
        return 0;
}

int cpuset_to_bytes(const Cpuset *set, uint8_t **ret, size_t *ret_n) {
        int last = hwloc_bitmap_last(set);
        if (last < 0) {
                *ret = NULL;
                *ret_n = 0;
                return 0;
        }

        size_t n = (size_t) last / 8 + 1;
        uint8_t *bytes = calloc(n, 1);
        if (!bytes)
                return -ENOMEM;

        CPUSET_FOREACH (cpu, set)
                bytes[cpu / 8] |= (uint8_t) (1U << (cpu % 8));

        *ret = bytes;
        *ret_n = n;
        return 0;
}

unsigned cpuset_count(const Cpuset *set) {
        int n = hwloc_bitmap_weight(set);
        assert(n >= 0);
        return (unsigned) n;
}

bool cpuset_empty(const Cpuset *set) {
        return hwloc_bitmap_iszero(set);
}

bool cpuset_has(const Cpuset *set, unsigned cpu) {
        return hwloc_bitmap_isset(set, cpu);
}

bool cpuset_equal(const Cpuset *a, const Cpuset *b) {
        return hwloc_bitmap_isequal(a, b);
}

bool cpuset_subset(const Cpuset *sub, const Cpuset *super) {
        return hwloc_bitmap_isincluded(sub, super);
}

bool cpuset_intersects(const Cpuset *a, const Cpuset *b) {
        return hwloc_bitmap_intersects(a, b);
}

int cpuset_add(Cpuset *set, unsigned cpu) {
        return hwloc_bitmap_set(set, cpu) < 0 ? -ENOMEM : 0;
}

int cpuset_or(Cpuset *set, const Cpuset *other) {
        return hwloc_bitmap_or(set, set, other) < 0 ? -ENOMEM : 0;
}

int cpuset_and(Cpuset *set, const Cpuset *other) {
        return hwloc_bitmap_and(set, set, other) < 0 ? -ENOMEM : 0;
}

int cpuset_andnot(Cpuset *set, const Cpuset *other) {
        return hwloc_bitmap_andnot(set, set, other) < 0 ? -ENOMEM : 0;
}
