/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Inside against outside: how long the target's threads wait for a slice, beside how long others do. A factor says
 * nothing without what it was measured against, so the two go together everywhere. */

#include <stdio.h>

#include "base/strbuf.h"
#include "report/figures.h"
#include "report/parts.h"

const char *outside_reference(const Signals *s, char buf[static FORMAT_MAX]) {
        char count[FORMAT_MAX];

        if (!signals_has(s, SIGNAL_OUTSIDE_GROUPS))
                return "/proc/schedstat less the target's";
        bool one = s->value[SIGNAL_OUTSIDE_GROUPS] == SIGNAL_SCALE;
        (void) figure_signal(SIGNAL_OUTSIDE_GROUPS, s->value[SIGNAL_OUTSIDE_GROUPS], count);
        (void) snprintf(buf, FORMAT_MAX, "threads of %.20s other group%s", count, one ? "" : "s");
        return buf;
}

static const char *factor_text(const Signals *s, char buf[static FORMAT_MAX]) {
        return figure_signal(SIGNAL_OUTSIDE_FACTOR, s->value[SIGNAL_OUTSIDE_FACTOR], buf);
}

static const char *wait_text(const Signals *s, char buf[static FORMAT_MAX]) {
        return figure_signal(SIGNAL_OUTSIDE_WAIT, s->value[SIGNAL_OUTSIDE_WAIT], buf);
}

char *outside_text(const Signals *s) {
        char factor[FORMAT_MAX], inside[FORMAT_MAX], outside[FORMAT_MAX];
        StrBuf b = {};

        if (signals_has(s, SIGNAL_OUTSIDE_FACTOR))
                strbuf_printf(&b, "x%s (%s against %s outside)", factor_text(s, factor),
                              figure_signal(SIGNAL_WAIT_PER_SLICE, s->value[SIGNAL_WAIT_PER_SLICE], inside),
                              wait_text(s, outside));
        return strbuf_take(&b);
}

void outside_explain(StrBuf *b, const Signals *s) {
        char factor[FORMAT_MAX], wait[FORMAT_MAX], reference[FORMAT_MAX];

        (void) wait_text(s, wait);
        strbuf_printf(b, "  others waited %s a slice (%s)", wait, outside_reference(s, reference));
        if (signals_has(s, SIGNAL_OUTSIDE_FACTOR))
                strbuf_printf(b, ": its own wait is %s times that", factor_text(s, factor));
        strbuf_printf(b, "\n");
}
