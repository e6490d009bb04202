/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The chain, in plain words and with its numbers: what was seen, what it was taken for and why, what was changed, what
 * that did, how to undo it. It prints the very structs that the pipeline decided on, so it can't tell another story.
 * Paragraphs are a heading at the margin and lines of their own below it. */

#include "base/strbuf.h"
#include "report/figures.h"
#include "report/parts.h"
#include "report/report.h"

/* One line a signal, in the order in which a person asks. */
static const struct {
        Signal signal;
        const char *before, *after;
        bool unless_zero; /* 0 says nothing: no throttling, nobody else */
} clauses[] = {
        {SIGNAL_USAGE, "it used ", "", false},
        {SIGNAL_ALLOWED_CPUS, "it may use ", "", false},
        {SIGNAL_QUOTA, "its quota (cpu.max) is ", "", false},
        {SIGNAL_THREADS, "it has ", " threads", false},
        {SIGNAL_DEMAND, "on average ", " of them wanted to run", false},
        {SIGNAL_WAIT_PER_SLICE, "one waited ", " for each slice of CPU time", false},
        {SIGNAL_WAIT_SHARE, "", " of the time in which they wanted to run was waiting", false},
        {SIGNAL_OUTSIDE_WAIT, NULL, NULL, false}, /* a line of its own making */
        {SIGNAL_MIGRATIONS_PER_SWITCH, "", " of its switches moved a thread to another CPU", false},
        {SIGNAL_MIGRATIONS_PER_CPU_SECOND, "that is ", " migrations a second of CPU time", false},
        {SIGNAL_SWITCHES_PER_CPU_SECOND, "at ", " switches a second of CPU time", false},
        {SIGNAL_IDLE, "its CPUs were idle ", " of the time", false},
        {SIGNAL_OTHERS, "others used ", " there", true},
        {SIGNAL_FAIR_SHARE, "its weight would give it ", "", false},
        {SIGNAL_THROTTLED, "its threads were throttled ", " of the time (may exceed 100 %: it counts on each CPU)",
         true},
        {SIGNAL_THROTTLED_PERIODS, "it was throttled in ", " of the quota's periods", true},
        {SIGNAL_USAGE_OF_PAST, "that is ", " of what it used before with as many threads", false},
};

static void add_seen(StrBuf *b, const Signals *s) {
        char value[FORMAT_MAX];

        strbuf_printf(b, "\nSeen, over the last ticks:\n");
        for (size_t i = 0; i < ELEMENTSOF(clauses); i++) {
                Signal signal = clauses[i].signal;
                if (!signals_has(s, signal) || (clauses[i].unless_zero && s->value[signal] == 0))
                        continue;
                if (signal == SIGNAL_OUTSIDE_WAIT)
                        outside_explain(b, s);
                else
                        strbuf_printf(b, "  %s%s%s\n", clauses[i].before,
                                      figure_signal(signal, s->value[signal], value), clauses[i].after);
        }
        if (s->have == 0)
                strbuf_printf(b, "  nothing that can be counted\n");
}

static void add_missing(StrBuf *b, uint64_t missing) {
        for (unsigned i = 0; i < _SIGNAL_MAX; i++)
                if (missing & (UINT64_C(1) << i))
                        strbuf_printf(b, "  %s could not be had: it needs %s\n", signal_info(i)->name,
                                      signal_info(i)->needs);
}

static void add_taken_for(StrBuf *b, const TargetView *v) {
        const Verdict *verdict = v->verdict;

        strbuf_printf(b, "\nTaken for: %s%s, since tick %llu", verdict->kind->name,
                      verdict->treated ? " (treated)" : "", (unsigned long long) verdict->since_tick);
        if (v->tick >= verdict->since_tick && v->tick > 0)
                strbuf_printf(b, " (now it is tick %llu)", (unsigned long long) v->tick);
        strbuf_printf(b, "%s\n  %s\n", verdict->confirmed ? "" : ", not sure yet: it must hold for 3 of 4 ticks",
                      verdict->text);

        for (size_t i = 0; i < ELEMENTSOF(verdict->also) && verdict->also[i]; i++)
                strbuf_printf(b, "  also holds: %s\n", verdict->also[i]->name);
        add_missing(b, verdict->missing);
}

static void add_ago(StrBuf *b, usec_t age) {
        char span[FORMAT_MAX];
        strbuf_printf(b, ", %s ago", figure_span(age, span));
}

static void add_changed(StrBuf *b, const TargetView *v) {
        const Change *c = v->change;

        strbuf_printf(b, "\nChanged: %s of %s from %s to %s", arm_setting(c->arm, c->unit),
                      c->unit ? c->unit : c->target, c->from ? c->from : "unset", c->to ? c->to : "unset");
        if (v->now_usec > 0 && v->now_usec >= c->applied_usec)
                add_ago(b, v->now_usec - c->applied_usec);
        strbuf_printf(b, "\n");
        if (c->reason)
                strbuf_printf(b, "  %s\n", c->reason);
}

/* Why not, or what is under way; with what would be done. */
static void add_unchanged(StrBuf *b, const TargetView *v) {
        char *why = view_why(v);
        if (!why) {
                b->failed = true;
                return;
        }

        strbuf_printf(b, "\nChanged: nothing\n  %s\n", why);
        free(why);
        if (!v->plan)
                return;

        char *value = plan_value(v->plan);
        if (value)
                strbuf_printf(b, "  planned: %s=%s%s%s\n", arm_setting(v->plan->arm, v->plan->unit), value,
                              v->plan->reason ? ", " : "", v->plan->reason ? v->plan->reason : "");
        free(value);
}

static void add_comparison(StrBuf *b, const Comparison *c) {
        char before[FORMAT_MAX], after[FORMAT_MAX], shift[FORMAT_MAX], bound[FORMAT_MAX], noise[FORMAT_MAX];
        const QuantityInfo *info = quantity_info(c->quantity);

        if (!c->known) {
                strbuf_printf(b, "  %s: could not be measured\n", info->text);
                return;
        }
        strbuf_printf(b, "  %s: median %s before, %s after, %s (at least %s was asked for, noise %s): %s\n", info->text,
                      figure_quantity(c->quantity, c->before, before), figure_quantity(c->quantity, c->after, after),
                      figure_shift(c->shift, shift), format_share((int64_t) (c->bound * 1000 + 0.5), bound),
                      format_share((int64_t) (c->noise * 1000 + 0.5), noise), c->passed ? "passed" : "not passed");
}

static void add_outcome(StrBuf *b, const TargetView *v) {
        const Outcome *o = v->outcome;

        strbuf_printf(b, "\nWhat %s did: %s", v->change ? "that" : "the last trial", outcome_name(o->kind));
        add_ago(b, v->outcome_age_usec);
        strbuf_printf(b, "\n");
        if (o->text[0])
                strbuf_printf(b, "  %s\n", o->text);
        for (size_t i = 0; i < o->n_gains; i++)
                add_comparison(b, &o->gains[i]);
        if (o->harmed[0])
                strbuf_printf(b, "  harmed: %s\n", o->harmed);
}

static void add_on_trial(StrBuf *b, const TargetView *v) {
        strbuf_printf(b, "\nWhat that did: not judged yet (%s", v->phase ? v->phase : "on trial");
        if (v->phase_ticks_total > 0)
                strbuf_printf(b, ", %u of %u ticks", v->phase_ticks, v->phase_ticks_total);
        strbuf_printf(b, ")\n");
}

static void add_undo(StrBuf *b, const TargetView *v) {
        const Change *c = v->change;

        if (c->residue) {
                strbuf_printf(b, "\nUndone, but for this, until the unit ends:\n  %s\n", c->residue);
                return;
        }
        strbuf_printf(b, "\nTo undo it: placerctl undo %s\n  %s goes back to %s; so it does with ", view_name(v),
                      arm_setting(c->arm, c->unit), c->from ? c->from : "unset");
        if (v->policy && v->policy->name)
                strbuf_printf(b, "mode=observe in [%s] (%s:%u) and a reload, or with ", v->policy->name,
                              v->policy->file ? v->policy->file : "?", v->policy->line);
        strbuf_printf(b, "systemctl stop placerd\n");
}

static void add_head(StrBuf *b, const TargetView *v) {
        strbuf_printf(b, "%s", view_name(v));
        if (v->unit)
                strbuf_printf(b, " (%s)", v->path);
        strbuf_printf(b, "\n");
        if (!v->policy)
                return;

        char *origin = policy_origin(v->policy);
        if (origin)
                strbuf_printf(b, "  mode=%s, from %s\n", policy_mode_name(v->policy->mode), origin);
        else
                b->failed = true;
        free(origin);
}

char *report_explain(const TargetView *v) {
        bool judged = v->outcome && v->outcome->kind != OUTCOME_NONE;
        StrBuf b = {};

        add_head(&b, v);
        if (v->verdict) {
                add_seen(&b, &v->verdict->evidence);
                add_taken_for(&b, v);
        }
        if (v->change)
                add_changed(&b, v);
        else
                add_unchanged(&b, v);
        if (judged && (!v->change || v->change->kept || v->change->residue))
                add_outcome(&b, v);
        else if (v->change && !v->change->residue)
                add_on_trial(&b, v);
        if (v->change)
                add_undo(&b, v);
        return strbuf_take_shown(&b);
}
