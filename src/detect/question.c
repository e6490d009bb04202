/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Questions to signals, in three-valued logic: yes, no, and "can't be told", so that a detector whose other conditions
 * fail is a plain no even where an input is absent. Bounds relax by 40 % for a verdict that already stands (design
 * section 3), in one place for all detectors. */

#include "detect/detector.h"

#define RELAX_PERMILLE 400

static int64_t relaxed_bound(const Question *q, int64_t bound, bool minimum) {
        if (!q->relaxed)
                return bound;
        return bound * (minimum ? 1000 - RELAX_PERMILLE : 1000 + RELAX_PERMILLE) / 1000;
}

static Answer absent(Question *q, Signal s) {
        q->missing |= UINT64_C(1) << s;
        return ANSWER_ABSENT;
}

Answer at_least(Question *q, Signal s, int64_t bound) {
        if (!signals_has(q->signals, s))
                return absent(q, s);
        return q->signals->value[s] >= relaxed_bound(q, bound, true) ? ANSWER_YES : ANSWER_NO;
}

Answer at_most(Question *q, Signal s, int64_t bound) {
        if (!signals_has(q->signals, s))
                return absent(q, s);
        return q->signals->value[s] <= relaxed_bound(q, bound, false) ? ANSWER_YES : ANSWER_NO;
}

Answer at_least_of(Question *q, Signal s, int64_t factor, Signal other) {
        if (!signals_has(q->signals, other))
                return absent(q, other);
        return at_least(q, s, q->signals->value[other] * factor / SIGNAL_SCALE);
}

Answer at_most_of(Question *q, Signal s, int64_t factor, Signal other) {
        if (!signals_has(q->signals, other))
                return absent(q, other);
        return at_most(q, s, q->signals->value[other] * factor / SIGNAL_SCALE);
}

Answer answer_all(const Answer *answers, size_t n) {
        Answer all = ANSWER_YES;
        for (size_t i = 0; i < n; i++)
                all = MIN(all, answers[i]);
        return all;
}

Answer answer_any(const Answer *answers, size_t n) {
        Answer any = ANSWER_NO;
        for (size_t i = 0; i < n; i++)
                any = MAX(any, answers[i]);
        return any;
}
