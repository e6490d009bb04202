/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Rank statistics for very small samples. */

#include <stdbool.h>
#include <stddef.h>

/* Largest sample that these take (the median: its square). */
#define STATS_MAX 64

/* One-sided p value of Mann-Whitney's U, exact by enumeration for n + m <= 24 without regard to the size of ties (mid
 * ranks), normal approximation above: the probability of values in b as large as these, were a and b alike.
 * n, m >= 1. */
double stats_mann_whitney_greater(const double *a, size_t n, const double *b, size_t m);

/* The smallest p value that samples of these sizes can reach: 1 / (n + m over m). */
double stats_mann_whitney_min(size_t n, size_t m);

/* Hodges-Lehmann: the median of all b - a. n, m from 1 to STATS_MAX. */
double stats_hodges_lehmann(const double *a, size_t n, const double *b, size_t m);

/* Sorts a copy. n >= 1. */
double stats_median(const double *values, size_t n);

/* Holm's step-down: sets rejected[i] for each hypothesis that does not stand at level alpha, false for the others. */
void stats_holm(const double *p, size_t n, double alpha, bool *rejected);
