/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The verdict on a trial, in this order: can windows of this length say anything at all? Was it the same world? Was
 * anybody harmed? Did the target gain? A change stays only where all four answers are good. */

#include "verify/judge.h"

#include <stdarg.h>
#include <stdio.h>

#include "verify/gain.h"
#include "verify/harm.h"
#include "verify/regime.h"
#include "verify/text.h"

static void conclude(Outcome *o, OutcomeKind kind, const char *format, ...) _printf_(3, 4);

static void conclude(Outcome *o, OutcomeKind kind, const char *format, ...) {
        va_list args;

        o->kind = kind;
        va_start(args, format);
        (void) vsnprintf(o->text, sizeof(o->text), format, args);
        va_end(args);
}

/* Could these windows reach 5 % if they did not overlap at all? */
static bool long_enough(const Trial *t) {
        size_t n = window_blocks(t->before), m = window_blocks(t->after);
        return n > 0 && m > 0 && stats_mann_whitney_min(n, m) <= SIGNIFICANCE;
}

static Measure measure_of(const Trial *t, Quantity q) {
        return (Measure){.kind = MEASURE_QUANTITY, .quantity = q, .policy = t->policy};
}

/* "voluntary switches 1,410/s -> 3,020/s (+114 %; noise 6 %, asked 20 %)" */
static void describe_gain(const Trial *t, const GainTest *test, const Comparison *c, char text[static 256]) {
        Measure m = measure_of(t, c->quantity);
        char from[TEXT_VALUE_MAX], to[TEXT_VALUE_MAX];

        text_add(text, 256, "%s%s %s -> %s", text[0] != '\0' ? ", " : "", text_measure(&m),
                 text_value(&m, c->before, from), text_value(&m, c->after, to));
        if (test->rule == GAIN_AT_MOST_HALF && c->passed)
                return; /* the two figures say it all */
        text_add(text, 256, " (%+.0f %%; noise %.0f %%, asked %.0f %%%s)", c->shift * 100, c->noise * 100,
                 c->bound * 100, c->p > SIGNIFICANCE ? "; may be chance" : "");
}

static void judge_gains(const Trial *t, Outcome *o) {
        char text[256] = "";
        bool all = true;

        for (const GainTest *test = gain_tests(t); o->n_gains < VERDICT_GAINS_MAX && test->quantity != QUANTITY_NONE;
             test++) {
                Comparison *c = &o->gains[o->n_gains++];
                Measure m = measure_of(t, test->quantity);

                gain_judge(t, test, c);
                if (!c->known) {
                        conclude(o, OUTCOME_INCONCLUSIVE, "%s could not be read throughout, or was 0",
                                 text_measure(&m));
                        return;
                }
                describe_gain(t, test, c, text);
                all = all && c->passed;
        }
        if (o->n_gains == 0)
                conclude(o, OUTCOME_INCONCLUSIVE, "nothing is known by which a cure of %s could be told",
                         t->verdict->name);
        else if (all)
                conclude(o, OUTCOME_KEPT, "%s", text);
        else
                conclude(o, OUTCOME_NO_EFFECT, "%s", text);
}

void judge_trial(const Trial *t, Outcome *ret) {
        Outcome o = {};
        _cleanup_harm_ Harm harm = {};
        char why[256];

        if (!long_enough(t))
                conclude(&o, OUTCOME_INCONCLUSIVE,
                         "%zu ticks before and %zu after are too few to tell a change from chance", t->before.n,
                         t->after.n);
        else if (harm_find(t, &harm) < 0)
                conclude(&o, OUTCOME_INCONCLUSIVE, "memory is short");
        else if (!regime_held(t, harm.neighbours, why))
                conclude(&o, OUTCOME_INCONCLUSIVE, "%s", why);
        else if (harm.any) {
                (void) snprintf(o.harmed, sizeof(o.harmed), "%s", harm.who);
                conclude(&o, OUTCOME_WORSE, "%s", harm.text);
        } else
                judge_gains(t, &o);
        *ret = o;
}
