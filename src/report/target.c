/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* One target, and all of them, as JSON: what Describe() and DescribeTarget() of org.placerd1 return and what
 * `placerctl --json` prints. The texts for people (why, explain, advice) are fields of it, so that placerctl shows the
 * words of the daemon that did it, not those of its own version. */

#include "config.h"
#include "report/object.h"
#include "report/parts.h"
#include "report/report.h"

/* Takes over the text; NULL means that memory was short. */
static int object_own_text(json_t *o, const char *key, char *text) {
        int failed = text ? object_text(o, key, text) : -1;
        free(text);
        return failed;
}

/* The same, with no key for "". */
static int object_own_text_filled(json_t *o, const char *key, char *text) {
        if (text && text[0] == '\0') {
                free(text);
                return 0;
        }
        return object_own_text(o, key, text);
}

static json_t *policy_json(const Policy *policy) {
        json_t *o = json_object();
        int failed = object_own_text(o, "origin", policy_origin(policy)) | object_text(o, "section", policy->name) |
                     object_text(o, "file", policy->file);

        if (policy->name)
                failed |= object_integer(o, "line", policy->line);
        return object_finish(o, failed);
}

static json_t *change_json(const TargetView *v) {
        const Change *c = v->change;
        json_t *o = json_object();
        int failed = change_put(o, c) | object_text(o, "verdict", c->verdict) | object_bool(o, "kept", c->kept) |
                     object_integer(o, "since_usec", c->applied_usec) | object_text(o, "residue", c->residue);

        if (v->now_usec > 0 && v->now_usec >= c->applied_usec)
                failed |= object_integer(o, "age_usec", v->now_usec - c->applied_usec);
        return object_finish(o, failed);
}

static json_t *plan_json(const Plan *plan) {
        json_t *o = json_object();
        int failed = object_text(o, "arm", arm_name(plan->arm)) |
                     object_text(o, "property", arm_setting(plan->arm, plan->unit)) |
                     object_own_text(o, "to", plan_value(plan)) | object_text(o, "reason", plan->reason);
        return object_finish(o, failed);
}

static json_t *refusal_json(const TargetView *v) {
        usec_t until = v->refusal->until_usec;
        json_t *o = json_object();
        int failed = object_text(o, "text", v->refusal->text);

        if (until > 0 && until != USEC_INFINITY)
                failed |= object_integer(o, "until_usec", until);
        return object_finish(o, failed);
}

static json_t *outcome_json(const TargetView *v) {
        json_t *o = json_object();
        return object_finish(o, outcome_put(o, v->outcome) | object_integer(o, "age_usec", v->outcome_age_usec));
}

static int put_policy(json_t *o, const TargetView *v) {
        if (!v->policy)
                return 0;
        return object_text(o, "mode", policy_mode_name(v->policy->mode)) |
               object_take(o, "policy", policy_json(v->policy));
}

static int put_state(json_t *o, const TargetView *v) {
        int failed = object_text(o, "phase", v->phase);

        if (v->phase_ticks_total > 0)
                failed |= object_integer(o, "phase_ticks", v->phase_ticks) |
                          object_integer(o, "phase_ticks_total", v->phase_ticks_total);
        if (v->change)
                failed |= object_take(o, "change", change_json(v));
        if (v->plan && v->plan->arm != ARM_NONE)
                failed |= object_take(o, "plan", plan_json(v->plan));
        if (v->refusal && v->refusal->refused)
                failed |= object_take(o, "refusal", refusal_json(v));
        if (v->outcome && v->outcome->kind != OUTCOME_NONE)
                failed |= object_take(o, "outcome", outcome_json(v));
        return failed;
}

json_t *report_target(const TargetView *v) {
        json_t *o = json_object();
        int failed = view_put_names(o, v) | put_policy(o, v);

        if (v->tick > 0)
                failed |= object_integer(o, "tick", v->tick);
        if (v->now_usec > 0)
                failed |= object_integer(o, "usec", v->now_usec);
        if (v->verdict)
                failed |= object_own_text_filled(o, "outside", outside_text(&v->verdict->evidence));
        failed |= view_put_verdict(o, v) | put_state(o, v) | object_own_text(o, "why", view_why(v)) |
                  object_own_text(o, "explain", report_explain(v)) |
                  object_own_text_filled(o, "advice", report_advice(v));
        return object_finish(o, failed);
}

json_t *report_status(const TargetView *views, size_t n, usec_t interval_usec, const Topology *topology) {
        json_t *o = json_object(), *targets = json_array();
        int failed = object_text(o, "version", PLACERD_VERSION) | object_integer(o, "interval_usec", interval_usec);

        if (topology)
                failed |= object_take(o, "topology", report_topology(topology));
        for (size_t i = 0; i < n; i++)
                failed |= json_array_append_new(targets, report_target(&views[i]));
        failed |= object_take(o, "targets", targets) | object_own_text_filled(o, "hint", report_hint(views, n));
        return object_finish(o, failed);
}
