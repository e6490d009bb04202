/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Asks the detectors in order and makes the answer steady.
 *
 * States: nothing stands | a detector's verdict stands. Events, once a tick: the kind that this tick alone shows, and
 * whether the standing verdict's bounds are missed by 40 %.
 *   nothing stands, a fault shown in 3 of the last 4 ticks -> it stands (confirmed)
 *   nothing stands, else                                   -> nothing stands; the tick's own kind is shown
 *   V stands, missed in 3 of the last 4                    -> nothing stands, the tick's own kind is shown
 *   V stands, a fault earlier in the table in 3 of 4       -> that one stands
 *   V stands, else                                         -> V is shown, whatever this tick alone says */

#include "detect/diagnosis.h"

#include <stdio.h>

static Answer ask(const Detector *d, Question *q) {
        return d->holds(q);
}

/* The too-little-to-judge rule: what does next to nothing is healthy whatever its ratios are. */
static bool too_little(const Signals *s) {
        if (signals_has(s, SIGNAL_SLICES) && s->value[SIGNAL_SLICES] < JUDGE_SLICES_MIN * SIGNAL_SCALE)
                return true;
        Signal wanted = signals_has(s, SIGNAL_DEMAND) ? SIGNAL_DEMAND : SIGNAL_USAGE;
        return signals_has(s, wanted) && s->value[wanted] < JUDGE_DEMAND_MIN;
}

/* The first row that holds; with it, all others that do and what was absent. NULL where none holds. */
static const Detector *first_that_holds(Question *q, Verdict *v) {
        const Detector *first = NULL;
        size_t n_also = 0;

        for (size_t i = 0; detectors[i]; i++) {
                Question one = *q;
                Answer a = ask(detectors[i], &one);
                if (a == ANSWER_ABSENT)
                        q->missing |= one.missing;
                if (a != ANSWER_YES)
                        continue;
                if (!first)
                        first = detectors[i];
                else if (n_also < ELEMENTSOF(v->also))
                        v->also[n_also++] = &detectors[i]->kind;
        }
        return first;
}

static const VerdictKind *kind_of_tick(const Detector *first, const Question *q, bool little) {
        if (first)
                return &first->kind;
        return !little && q->missing ? &verdict_unknown : &verdict_healthy;
}

static unsigned count_kind(const Diagnosis *d, const VerdictKind *kind) {
        unsigned n = 0;
        for (size_t i = 0; i < VERDICT_TICKS; i++)
                n += d->recent[i] == kind;
        return n;
}

static unsigned count_missed(const Diagnosis *d) {
        unsigned n = 0;
        for (size_t i = 0; i < VERDICT_TICKS; i++)
                n += d->missed[i];
        return n;
}

static void remember(Diagnosis *d, const VerdictKind *kind, bool missed) {
        memmove(d->recent + 1, d->recent, sizeof(d->recent) - sizeof(d->recent[0]));
        memmove(d->missed + 1, d->missed, sizeof(d->missed) - sizeof(d->missed[0]));
        d->recent[0] = kind;
        d->missed[0] = missed;
}

static bool precedes(const Detector *a, const Detector *b) {
        for (size_t i = 0; detectors[i]; i++)
                if (detectors[i] == a || detectors[i] == b)
                        return detectors[i] == a && a != b;
        return false;
}

static void stand(Diagnosis *d, const Detector *detector) {
        d->standing = detector;
        memset(d->missed, 0, sizeof(d->missed));
}

static void step_standing(Diagnosis *d, const Detector *first) {
        bool settled = first && count_kind(d, &first->kind) >= VERDICT_QUORUM;

        if (d->standing && count_missed(d) >= VERDICT_QUORUM)
                stand(d, NULL);
        if (settled && (!d->standing || precedes(first, d->standing)))
                stand(d, first);
}

/* Which inputs are absent, and where they would come from; each source once. */
static void explain_unknown(Verdict *v) {
        uint64_t left = v->missing;
        Signal seen = signals_has(&v->evidence, SIGNAL_COVERAGE_SEEN) ? SIGNAL_COVERAGE_SEEN : SIGNAL_COVERAGE;
        if (signals_has(&v->evidence, seen) && v->evidence.value[seen] < COVERAGE_MIN) {
                snprintf(v->text, sizeof(v->text),
                         "can't be told: its threads are too short-lived, those seen did only %lld %% of its work",
                         (long long) (v->evidence.value[seen] / 10));
                return;
        }
        size_t n = (size_t) snprintf(v->text, sizeof(v->text), "can't be told: needs");
        for (unsigned i = 0; i < _SIGNAL_MAX && n < sizeof(v->text); i++) {
                if (!(left & (UINT64_C(1) << i)))
                        continue;
                const char *separator = left == v->missing ? "" : ";";
                for (unsigned k = i; k < _SIGNAL_MAX; k++)
                        if (streq(signal_info(k)->needs, signal_info(i)->needs))
                                left &= ~(UINT64_C(1) << k);
                n += (size_t) snprintf(v->text + n, sizeof(v->text) - n, "%s %s", separator, signal_info(i)->needs);
        }
}

static void explain(const VerdictKind *kind, const Detector *detector, bool little, Verdict *v) {
        if (detector)
                detector->explain(&v->evidence, v->text, sizeof(v->text));
        else if (kind == &verdict_unknown)
                explain_unknown(v);
        else
                snprintf(v->text, sizeof(v->text), "%s", little ? "too little to judge" : "no fault found");
}

/* The standing verdict is not among the others that hold; the tick's own is, where it is another one. */
static void list_others(Verdict *v, const VerdictKind *first) {
        const VerdictKind *all[ELEMENTSOF(v->also) + 1] = {first};
        memcpy(all + 1, v->also, sizeof(v->also));
        memset(v->also, 0, sizeof(v->also));

        size_t n = 0;
        for (size_t i = 0; i < ELEMENTSOF(all) && n < ELEMENTSOF(v->also); i++)
                if (all[i] && all[i] != v->kind && verdict_is_fault(all[i]))
                        v->also[n++] = all[i];
}

static bool missed_by_far(const Detector *standing, const Signals *signals, const Policy *policy) {
        if (!standing)
                return false;
        Question q = {.signals = signals, .policy = policy, .relaxed = true};
        return ask(standing, &q) != ANSWER_YES;
}

void diagnosis_step(Diagnosis *d, const Signals *signals, const Policy *policy, bool looked_closer, uint64_t tick,
                    Verdict *ret) {
        Verdict v = {.evidence = *signals};
        Question q = {.signals = signals, .policy = policy};
        bool little = too_little(signals) || !looked_closer;
        const Detector *first = little ? NULL : first_that_holds(&q, &v);
        const VerdictKind *own = kind_of_tick(first, &q, little);

        remember(d, own, missed_by_far(d->standing, signals, policy));
        step_standing(d, first);

        const Detector *shown = d->standing ? d->standing : first;
        v.kind = shown ? &shown->kind : own;
        if (d->shown != v.kind)
                d->since_tick = tick;
        d->shown = v.kind;

        v.since_tick = d->since_tick;
        v.confirmed = d->standing || count_kind(d, own) >= VERDICT_QUORUM;
        v.missing = q.missing;
        list_others(&v, own);
        explain(v.kind, shown, little, &v);
        *ret = v;
}
