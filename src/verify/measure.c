/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Before against after, for one measure. Consecutive ticks resemble each other (lag-1 correlation 0.5 to 0.8 on a noisy
 * host), so means of blocks are compared, not ticks; and since even blocks are not quite independent, a shift is also
 * held against what the same group shifted by itself between adjacent windows of its past: its noise.
 *
 * Quantities compare by ratio, so that a load that grows over its past is not taken for noise at the wrong scale; waits
 * compare by difference, because they may well be 0. A fall is measured from the larger value and a rise from the
 * smaller one, whichever came first: noise has no direction in time. */

#include "verify/measure.h"

#include <math.h>

/* Noise is of windows of two blocks, and of as many as fit; with less than four blocks' ticks, of shorter ones. */
#define NOISE_BLOCKS 2
/* One or two shifts are small by luck too often (A/A trials with a past of 20 ticks at a correlation of 0.8 then called
 * 5 % gains and 9 % harms): single blocks, which shift more, are looked at as well, and what was found is stretched.
 * Not so where another quantity must move too: both by chance is rare enough. */
#define NOISE_SHIFTS_MIN 4
#define NOISE_FEW_FACTOR 1.25
/* A past in which the group used more than twice or less than half of what it does now was another load: its onset is
 * no noise. */
#define PAST_USAGE_RATIO 2.0

size_t window_blocks(Window w) {
        if (w.n < 2)
                return 0;
        return MIN(MAX(w.n / BLOCK_TICKS, (size_t) 2), (size_t) STATS_MAX);
}

Window window_part(Window w, size_t i, size_t n) {
        size_t first = i * w.n / n, end = (i + 1) * w.n / n;
        return (Window){w.records + first, end - first};
}

Window window_last(Window w, size_t n) {
        n = MIN(n, w.n);
        return (Window){w.records + w.n - n, n};
}

static bool block_values(const Measure *m, Window w, double *values, size_t n) {
        for (size_t i = 0; i < n; i++)
                if (!measure_value(m, window_part(w, i, n), &values[i]))
                        return false;
        return true;
}

Window window_same_load(Window past, Window before) {
        const size_t block = BLOCK_TICKS;
        Window same = window_last(past, before.n);
        double now, then;

        if (past.n <= before.n)
                return before;

        if (!quantity_value(QUANTITY_USAGE, NULL, before, &now))
                return same;
        while (same.n + block <= past.n) {
                Window earlier = {same.records - block, block};
                unsigned threads = earlier.records[0].n_threads, threads_now = before.records[0].n_threads;

                if (!quantity_value(QUANTITY_USAGE, NULL, earlier, &then))
                        break;
                if (then > now * PAST_USAGE_RATIO || then * PAST_USAGE_RATIO < now)
                        break;
                if (threads * 4 > threads_now * 5 || threads * 4 < threads_now * 3)
                        break;
                same = (Window){earlier.records, same.n + block};
        }
        return same;
}

/* What lies between two values when it is a change in `direction`, in units of `before`. */
static double distance(const Measure *m, Direction direction, double a, double b, double before) {
        if (m->kind != MEASURE_QUANTITY)
                return fabs(a - b);

        double from = direction == DIRECTION_UP ? MIN(a, b) : MAX(a, b);
        return from > 0 ? fabs(a - b) / from * before : fabs(a - b);
}

/* The largest shift between adjacent windows of `length` ticks, moved on by `step` each time; returns how many there
 * were. Windows with a hole tell nothing. */
static size_t largest_shift(const Measure *m, Direction direction, Window past, size_t length, size_t step,
                            double before, double *largest) {
        size_t n = 0;

        for (size_t end = past.n; end >= 2 * length; end -= step) {
                Window first = {past.records + end - 2 * length, length};
                Window second = {past.records + end - length, length};
                double a, b;

                if (!measure_value(m, first, &a) || !measure_value(m, second, &b))
                        continue;
                *largest = MAX(*largest, distance(m, direction, a, b, before));
                n++;
        }
        return n;
}

static bool past_noise(const Measure *m, Direction direction, Window past, double before, double *ret) {
        size_t block = MIN((size_t) BLOCK_TICKS, past.n / (2 * NOISE_BLOCKS));
        double largest = 0;

        if (block == 0)
                return false;
        size_t n = largest_shift(m, direction, past, NOISE_BLOCKS * block, block, before, &largest);
        if (n == 0 || (n < NOISE_SHIFTS_MIN && !m->corroborated)) {
                n += largest_shift(m, direction, past, block, block, before, &largest);
                largest *= NOISE_FEW_FACTOR;
        }
        if (n > 0)
                *ret = largest;
        return n > 0;
}

bool measure_compare(const Measure *m, Direction direction, Window past, Window before, Window after, Shift *ret) {
        double a[STATS_MAX], b[STATS_MAX];
        size_t n = window_blocks(before), k = window_blocks(after);
        Shift s;

        if (n == 0 || k == 0 || !block_values(m, before, a, n) || !block_values(m, after, b, k))
                return false;

        s.before = stats_median(a, n);
        s.after = stats_median(b, k);
        s.shift = stats_hodges_lehmann(a, n, b, k);
        s.p = stats_mann_whitney_greater(a, n, b, k);
        if (direction == DIRECTION_DOWN) {
                s.shift = -s.shift;
                s.p = stats_mann_whitney_greater(b, k, a, n);
        }
        if (!past_noise(m, direction, window_same_load(past, before), s.before, &s.noise))
                return false;
        *ret = s;
        return true;
}
