/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Why a target is as it is: the one line that `status` owes for each, above all where nothing was changed. The first
 * reason that holds is told, in the order in which a person would have to remove them: what is in force already, the
 * mode, that all is paused, the verdict, what forbids it, how far it is. */

#include "base/strbuf.h"
#include "report/figures.h"
#include "report/parts.h"
#include "report/report.h"

char *policy_origin(const Policy *policy) {
        StrBuf b = {};

        if (policy->name)
                strbuf_printf(&b, "[%s] in %s:%u", policy->name, policy->file ? policy->file : "?", policy->line);
        else if (policy->file)
                strbuf_printf(&b, "the defaults of [placerd] in %s", policy->file);
        else
                strbuf_printf(&b, "the defaults, no section matches");
        return strbuf_take(&b);
}

bool view_has_remedy(const TargetView *v) {
        return v->verdict && v->verdict->kind->remedies[0] != ARM_NONE;
}

static void add_progress(StrBuf *b, const TargetView *v) {
        if (v->phase_ticks_total > 0)
                strbuf_printf(b, ", %u of %u ticks", v->phase_ticks, v->phase_ticks_total);
}

static void why_changed(StrBuf *b, const TargetView *v) {
        const Change *c = v->change;

        if (c->residue)
                strbuf_printf(b, "undone, but for this, until the unit ends: %s", c->residue);
        else if (c->kept)
                strbuf_printf(b, "kept%s%s%s", v->outcome && v->outcome->text[0] ? ": " : "",
                              v->outcome ? v->outcome->text : "", v->paused ? "; paused: not tried again" : "");
        else {
                strbuf_printf(b, "on trial: %s", v->phase ? v->phase : "just changed");
                add_progress(b, v);
        }
}

static void why_refused(StrBuf *b, const TargetView *v) {
        char span[FORMAT_MAX];

        strbuf_printf(b, "%s", v->refusal->text);
        if (v->refusal->until_usec == USEC_INFINITY || v->now_usec == 0 || v->refusal->until_usec <= v->now_usec)
                return;
        strbuf_printf(b, " (for another %s)", figure_span(v->refusal->until_usec - v->now_usec, span));
}

static void why_advised(StrBuf *b, const TargetView *v) {
        char *value = v->plan ? plan_value(v->plan) : NULL;

        if (value)
                strbuf_printf(b, "mode=advise: would set %s=%s", arm_setting(v->plan->arm, v->plan->unit), value);
        else
                strbuf_printf(b, "mode=advise: nothing is changed");
        free(value);
}

static void why_acting(StrBuf *b, const TargetView *v) {
        if (v->phase && streq(v->phase, "before"))
                strbuf_printf(b, "measuring before the change");
        else
                strbuf_printf(b, "%s", v->phase ? v->phase : "watching");
        add_progress(b, v);

        if (v->outcome && v->outcome->kind != OUTCOME_NONE)
                strbuf_printf(b, "; the last trial: %s", outcome_name(v->outcome->kind));
}

static void why_unchanged(StrBuf *b, const TargetView *v) {
        if (!v->verdict)
                strbuf_printf(b, "not judged yet");
        else if (v->policy && v->policy->mode == MODE_IGNORE)
                strbuf_printf(b, "mode=ignore");
        else if (v->paused && v->policy && v->policy->mode == MODE_ACT)
                strbuf_printf(b, "paused");
        else if (!view_has_remedy(v))
                strbuf_printf(b, "%s", v->verdict->text[0] ? v->verdict->text : "nothing to do");
        else if (!v->policy || v->policy->mode == MODE_OBSERVE)
                strbuf_printf(b, "%s", v->policy ? "mode=observe: only watched" : "only watched");
        else if (v->policy->mode == MODE_ACT && !v->policy->name)
                strbuf_printf(b, "no section names it: never changed");
        else if (v->refusal && v->refusal->refused)
                why_refused(b, v);
        else if (!v->verdict->confirmed)
                strbuf_printf(b, "not sure yet: it must hold for 3 of 4 ticks");
        else if (v->policy->mode == MODE_ADVISE)
                why_advised(b, v);
        else
                why_acting(b, v);
}

char *view_why(const TargetView *v) {
        StrBuf b = {};

        if (v->change)
                why_changed(&b, v);
        else
                why_unchanged(&b, v);
        return strbuf_take(&b);
}
