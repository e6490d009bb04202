/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What is special about the kernel's own lists; the format itself is base/cpuset's. Where nohz_full was never set, its
 * file shows how printk() writes a mask that is a NULL pointer. */

#include "parse/cpulist.h"

#include <errno.h>

#include "parse/span.h"

int cpulist_parse(const char *text, size_t len, Cpuset **ret) {
        Span list = span_trim(span_of(text, len));

        if (span_is(list, "(null)"))
                list = span_of("", 0);
        return cpuset_parse_list(list.len > 0 ? list.text : "", list.len, ret);
}
