/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* One measure of one group before and after, as gains and harms both need it. */

#include "verify/judge.h"
#include "verify/stats.h"

/* One-sided level of every test. */
#define SIGNIFICANCE 0.05

/* Beside the quantities of gains, what neighbours are judged by. */
typedef enum MeasureKind {
        MEASURE_QUANTITY,
        MEASURE_WAIT_PER_VOLUNTARY, /* usec of wait for each voluntary switch */
        MEASURE_DELAY_RATE,         /* CPU-seconds of run delay per second */
} MeasureKind;

typedef struct Measure {
        MeasureKind kind;
        Quantity quantity;
        const Policy *policy; /* for QUANTITY_PROGRESS; may be NULL */
        bool corroborated;    /* another quantity must shift as well before anything follows */
} Measure;

typedef enum Direction { DIRECTION_UP, DIRECTION_DOWN } Direction;

/* In the measure's own unit; of shift and noise the size in the direction that was asked for. */
typedef struct Shift {
        double before, after; /* medians of the blocks */
        double shift;         /* Hodges-Lehmann; negative: against the direction */
        double noise;         /* what adjacent windows of the past shifted by themselves */
        double p;
} Shift;

/* Length of the windows in blocks: one of BLOCK_TICKS ticks each, at least 2 and at most STATS_MAX. 0 where there are
 * fewer than 2 ticks. */
size_t window_blocks(Window w);
/* The i-th of n parts of almost equal length. */
Window window_part(Window w, size_t i, size_t n);
Window window_last(Window w, size_t n);
TickRecord window_sum(Window w);
/* The past (which ends with `before`) as far back as it is of the same load, in whole blocks counted from its end. */
Window window_same_load(Window past, Window before);

/* False where an input is absent in any tick. */
bool measure_value(const Measure *m, Window w, double *ret);

/* False where an input is absent, or the windows are too short for two blocks. */
bool measure_compare(const Measure *m, Direction direction, Window past, Window before, Window after, Shift *ret);
