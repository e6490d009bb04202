/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What happened, one JSON object a line or one sentence: a verdict (a tick and target), a change, an outcome. Scripts
 * read the first kind from `placerctl record|replay --json`, and the daemon signals it on the bus; people get the
 * second, which says the same. Only what was asked for is formatted: a tick of a thousand targets costs nothing here
 * while nobody reads along. */

#include <stdio.h>

#include "base/strbuf.h"
#include "report/object.h"
#include "report/parts.h"
#include "report/report.h"

static json_t *line_new(const char *type) {
        json_t *o = json_object();
        return o && object_text(o, "type", type) == 0 ? o : object_finish(o, -1);
}

char *report_verdict_line(const TargetView *v, uint64_t tick, usec_t now_usec) {
        json_t *o = line_new("verdict");
        return object_line(o, object_integer(o, "tick", tick) | object_integer(o, "usec", now_usec) |
                                      view_put_names(o, v) | view_put_verdict(o, v));
}

char *report_change_line(const TargetView *v, usec_t now_usec) {
        json_t *o = line_new("change");
        return object_line(o, object_integer(o, "usec", now_usec) | view_put_names(o, v) |
                                      object_text(o, "verdict", v->change->verdict) | change_put(o, v->change));
}

char *report_outcome_line(const TargetView *v, usec_t now_usec) {
        json_t *o = line_new("outcome");
        int failed = object_integer(o, "usec", now_usec) | view_put_names(o, v);

        if (v->change)
                failed |= object_text(o, "arm", arm_name(v->change->arm)) |
                          object_text(o, "property", arm_setting(v->change->arm, v->change->unit)) |
                          object_text_or_null(o, "from", v->change->from) | object_text(o, "to", v->change->to);
        return object_line(o, failed | outcome_put(o, v->outcome));
}

char *report_verdict_text(const TargetView *v, uint64_t tick) {
        StrBuf b = {};

        strbuf_printf(&b, "tick %llu: %s: ", (unsigned long long) tick, view_name(v));
        if (!v->verdict)
                strbuf_printf(&b, "not judged yet");
        else
                strbuf_printf(&b, "%s%s%s: %s", v->verdict->kind->name, v->verdict->treated ? " (treated)" : "",
                              v->verdict->confirmed ? "" : " (not sure yet)", v->verdict->text);
        return strbuf_take_shown(&b);
}

char *report_change_text(const TargetView *v) {
        const Change *c = v->change;
        StrBuf b = {};

        strbuf_printf(&b, "%s: %s from %s to %s", view_name(v), arm_setting(c->arm, c->unit),
                      c->from ? c->from : "unset", c->to ? c->to : "unset");
        if (c->verdict)
                strbuf_printf(&b, ", against %s", c->verdict);
        if (c->reason)
                strbuf_printf(&b, ": %s", c->reason);
        return strbuf_take_shown(&b);
}

char *report_outcome_text(const TargetView *v) {
        StrBuf b = {};

        strbuf_printf(&b, "%s: %s", view_name(v), outcome_name(v->outcome->kind));
        if (v->outcome->text[0])
                strbuf_printf(&b, ": %s", v->outcome->text);
        if (v->outcome->harmed[0])
                strbuf_printf(&b, " (harmed: %s)", v->outcome->harmed);
        return strbuf_take_shown(&b);
}
