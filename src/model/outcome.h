/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* How a trial ended, with the figures that it was judged by. */

#include "model/verdict.h"

typedef enum OutcomeKind {
        OUTCOME_NONE, /* not judged yet */
        OUTCOME_KEPT,
        OUTCOME_NO_EFFECT,
        OUTCOME_WORSE,
        OUTCOME_OVERRIDDEN,
        OUTCOME_INCONCLUSIVE,
        _OUTCOME_MAX,
} OutcomeKind;

const char *outcome_name(OutcomeKind kind); /* "kept", "no-effect", "worse", "overridden", "inconclusive" */

typedef struct QuantityInfo {
        const char *name; /* in JSON and text: "migrations_per_switch" */
        const char *text; /* for people: "share of switches that migrate" */
        double scale;     /* stored value * scale is what is shown */
        const char *unit; /* behind the number: "%", "/s" */
} QuantityInfo;

const QuantityInfo *quantity_info(Quantity q);

/* One quantity before and after. */
typedef struct Comparison {
        Quantity quantity;
        bool known;
        double before, after; /* medians of the block means */
        double shift;         /* Hodges-Lehmann, relative to before: 0.25 is +25 % */
        double noise;         /* largest relative shift between adjacent windows before the change */
        double bound;         /* relative shift that was asked for */
        double p;             /* Mann-Whitney, one-sided */
        bool passed;
} Comparison;

#define OUTCOME_COMPARISONS_MAX 4

typedef struct Outcome {
        OutcomeKind kind;
        Comparison gains[OUTCOME_COMPARISONS_MAX];
        size_t n_gains;
        char harmed[256]; /* who was harmed, "" nobody */
        char text[256];   /* one sentence */
} Outcome;
