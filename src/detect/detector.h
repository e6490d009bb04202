/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* What a detector is: a verdict's kind, the question whether it holds, and the sentence that explains it. A detector
 * only looks. To add one: a file of its own beside this one, one row in detectors.c, one scene in tests/scenes. */

#include "model/settings.h"
#include "model/verdict.h"

/* Three-valued (Kleene) logic: what is absent can still be decided by what is there. Ordered, so that AND is the
 * smaller and OR the larger one. */
typedef enum Answer { ANSWER_NO, ANSWER_ABSENT, ANSWER_YES } Answer;

typedef struct Question {
        const Signals *signals;
        const Policy *policy;
        /* Asked for a verdict that stands already: it is lost only where its bounds are missed by 40 %. */
        bool relaxed;
        uint64_t missing; /* bit mask of Signal: what was asked for and is absent */
} Question;

/* Bounds in thousandths of the signal's unit, as the signals themselves. */
Answer at_least(Question *q, Signal s, int64_t bound);
Answer at_most(Question *q, Signal s, int64_t bound);
/* The signal against a multiple (thousandths) of another one. */
Answer at_least_of(Question *q, Signal s, int64_t factor, Signal other);
Answer at_most_of(Question *q, Signal s, int64_t factor, Signal other);

/* All hold; any holds. */
#define ALL_OF(...) answer_all((const Answer[]){__VA_ARGS__}, sizeof((Answer[]){__VA_ARGS__}) / sizeof(Answer))
#define ANY_OF(...) answer_any((const Answer[]){__VA_ARGS__}, sizeof((Answer[]){__VA_ARGS__}) / sizeof(Answer))
Answer answer_all(const Answer *answers, size_t n);
Answer answer_any(const Answer *answers, size_t n);
static inline Answer answer_not(Answer a) {
        return (Answer) (ANSWER_YES - a);
}

typedef struct Detector {
        VerdictKind kind;
        Answer (*holds)(Question *q);
        /* One sentence with the numbers that decided. */
        void (*explain)(const Signals *s, char *buf, size_t size);
} Detector;

/* In the order in which they are asked: the first that holds is the verdict. NULL behind the last. */
extern const Detector *const detectors[];

/* The two that are left when no detector holds; they are no rows, since they have no bounds of their own. */
extern const VerdictKind verdict_healthy, verdict_unknown;

/* True for a kind that is a detector's: there is something to do or to say. */
bool verdict_is_fault(const VerdictKind *kind);
