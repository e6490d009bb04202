/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* What a target suffers from. Each detector brings its own VerdictKind ("To add a detector" in src/README.md): the
 * kinds are data, so that decide/ and verify/ need not know any of them by name. */

#include "model/signals.h"

typedef enum Arm {
        ARM_NONE, /* ends a list */
        ARM_WEIGHT,
        ARM_PIN,
        _ARM_MAX,
} Arm;

const char *arm_name(Arm arm); /* "weight", "pin" */

/* Quantities by which a trial is judged, computed from a TickRecord by verify/. */
typedef enum Quantity {
        QUANTITY_NONE, /* ends a list */
        QUANTITY_MIGRATIONS_PER_SWITCH,
        QUANTITY_PROGRESS, /* the user's metric where there is one, else voluntary switches per second */
        QUANTITY_WAIT_SHARE,
        QUANTITY_WAIT_PER_SLICE,
        QUANTITY_USAGE,
        _QUANTITY_MAX,
} Quantity;

typedef enum GainRule {
        GAIN_AT_MOST_HALF, /* must fall to half or less */
        GAIN_UP_BY_MIN,    /* must rise by min-gain */
        GAIN_DOWN_BY_MIN,  /* must fall by min-gain */
        GAIN_UP_BY_TENTH,  /* must rise by 10 % */
} GainRule;

typedef struct GainTest {
        Quantity quantity;
        GainRule rule;
} GainTest;

#define VERDICT_ARMS_MAX 4
#define VERDICT_GAINS_MAX 3

/* How much room a pin for this verdict needs. */
typedef enum PinRoom {
        PIN_ROOM_USAGE,  /* the median usage before: the wait is what the pin is to cure */
        PIN_ROOM_DEMAND, /* 1.25 x demand */
} PinRoom;

typedef struct VerdictKind {
        const char *name;
        Arm remedies[VERDICT_ARMS_MAX]; /* in the order in which they are tried; ends with ARM_NONE */
        PinRoom pin_room;
        GainTest gains[VERDICT_GAINS_MAX]; /* all must hold; ends with QUANTITY_NONE */
        bool metric_decides;               /* the user's metric, where there is one, takes the place of all of these */
} VerdictKind;

typedef struct Verdict {
        const VerdictKind *kind; /* never NULL */
        uint64_t since_tick;     /* from when on it is this kind without a break */
        bool confirmed;          /* held for 3 of the last 4 ticks: something may follow */
        bool treated;            /* a change of ours holds */
        Signals evidence;
        uint64_t missing;           /* bit mask of Signal: inputs for want of which a row was skipped */
        const VerdictKind *also[4]; /* other causes that hold, NULL-terminated where fewer */
        char text[256];             /* a sentence that a person understands */
} Verdict;
