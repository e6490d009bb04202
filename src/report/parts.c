/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The pieces of JSON that appear in more than one place, so that a verdict has the same fields in a line of replay, in
 * Describe() and in a signal on the bus. The names are those of the interface (placerctl(1) lists them). */

#include "report/parts.h"
#include "report/object.h"
#include "report/report.h"

const char *view_name(const TargetView *v) {
        return v->unit ? v->unit : v->path;
}

int view_put_names(json_t *o, const TargetView *v) {
        return object_text(o, "target", v->path) | object_text(o, "unit", v->unit);
}

static json_t *also_json(const Verdict *verdict) {
        json_t *list = json_array();

        for (size_t i = 0; i < ELEMENTSOF(verdict->also) && verdict->also[i]; i++)
                if (json_array_append_new(list, text_new(verdict->also[i]->name)) < 0)
                        return object_finish(list, -1);
        return list;
}

static json_t *missing_json(const Verdict *verdict) {
        json_t *list = json_array();

        for (unsigned i = 0; i < _SIGNAL_MAX; i++)
                if ((verdict->missing & (UINT64_C(1) << i)) &&
                    json_array_append_new(list, text_new(signal_info(i)->name)) < 0)
                        return object_finish(list, -1);
        return list;
}

int view_put_verdict(json_t *o, const TargetView *v) {
        const Verdict *verdict = v->verdict;
        if (!verdict)
                return 0;

        int failed = object_text(o, "verdict", verdict->kind->name) |
                     object_integer(o, "since_tick", verdict->since_tick) |
                     object_bool(o, "confirmed", verdict->confirmed);
        if (verdict->treated)
                failed |= object_bool(o, "treated", true);
        return failed | object_take_filled(o, "also", also_json(verdict)) |
               object_take_filled(o, "missing", missing_json(verdict)) |
               object_take(o, "evidence", report_evidence(&verdict->evidence)) | object_text(o, "text", verdict->text);
}

int change_put(json_t *o, const Change *c) {
        return object_text(o, "arm", arm_name(c->arm)) | object_text(o, "property", arm_setting(c->arm, c->unit)) |
               object_text_or_null(o, "from", c->from) | object_text(o, "to", c->to) |
               object_text(o, "reason", c->reason);
}

static json_t *comparison_json(const Comparison *c) {
        json_t *o = json_object();
        int failed = object_text(o, "quantity", quantity_info(c->quantity)->name) | object_bool(o, "passed", c->passed);

        if (c->known)
                failed |= object_real(o, "before", c->before) | object_real(o, "after", c->after) |
                          object_real(o, "shift", c->shift) | object_real(o, "noise", c->noise) |
                          object_real(o, "bound", c->bound) | object_real(o, "p", c->p);
        return object_finish(o, failed);
}

static json_t *comparisons_json(const Outcome *outcome) {
        json_t *list = json_array();

        for (size_t i = 0; i < outcome->n_gains; i++)
                if (json_array_append_new(list, comparison_json(&outcome->gains[i])) < 0)
                        return object_finish(list, -1);
        return list;
}

int outcome_put(json_t *o, const Outcome *outcome) {
        return object_text(o, "outcome", outcome_name(outcome->kind)) |
               object_take_filled(o, "gains", comparisons_json(outcome)) |
               object_text(o, "harmed", outcome->harmed[0] ? outcome->harmed : NULL) |
               object_text(o, "text", outcome->text);
}
