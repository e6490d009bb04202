/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Rank statistics for very small samples. Ranks, because the few blocks of a trial have no distribution that one could
 * assume; exact, because the normal approximation is off by a factor at 4 against 6. The distribution of the rank sum
 * comes from counting subsets: how many ways are there to draw m of the n + m ranks with sum s. Mid-ranks are halves,
 * so all ranks are doubled and stay whole. */

#include "verify/stats.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/macros.h"

#define EXACT_MAX 24
#define EXACT_SUM_MAX (EXACT_MAX * (EXACT_MAX + 1)) /* doubled ranks 2..48 */

/* Twice the mid-rank of x among both samples: 2 * (number below) + (number alike) + 1. */
static unsigned doubled_rank(double x, const double *a, size_t n, const double *b, size_t m) {
        size_t below = 0, alike = 0;

        for (size_t i = 0; i < n; i++) {
                below += a[i] < x;
                alike += a[i] == x;
        }
        for (size_t i = 0; i < m; i++) {
                below += b[i] < x;
                alike += b[i] == x;
        }
        return (unsigned) (2 * below + alike + 1);
}

/* Share of all ways to draw m of the ranks whose sum is `observed` or more. */
static double exact_tail(const unsigned *ranks, size_t total, size_t m, unsigned observed) {
        double ways[EXACT_MAX + 1][EXACT_SUM_MAX + 1] = {}; /* [how many are drawn][their sum] */

        ways[0][0] = 1;
        for (size_t i = 0; i < total; i++)
                for (size_t k = MIN(i + 1, m); k > 0; k--)
                        for (unsigned s = EXACT_SUM_MAX; s >= ranks[i]; s--)
                                ways[k][s] += ways[k - 1][s - ranks[i]];

        double all = 0, tail = 0;
        for (unsigned s = 0; s <= EXACT_SUM_MAX; s++) {
                all += ways[m][s];
                tail += s >= observed ? ways[m][s] : 0;
        }
        return tail / all;
}

/* Variance corrected for ties, continuity by half a rank. */
static double normal_tail(const double *a, size_t n, const double *b, size_t m, double rank_sum) {
        double total = (double) (n + m), mean = (double) m * (total + 1) / 2, spread = 0;

        for (size_t i = 0; i < n + m; i++) {
                double rank = doubled_rank(i < n ? a[i] : b[i - n], a, n, b, m) / 2.0;
                spread += (rank - (total + 1) / 2) * (rank - (total + 1) / 2);
        }
        double variance = (double) n * (double) m / (total * (total - 1)) * spread;
        if (variance <= 0)
                return 1;
        return 0.5 * erfc((rank_sum - mean - 0.5) / sqrt(2 * variance));
}

double stats_mann_whitney_greater(const double *a, size_t n, const double *b, size_t m) {
        assert(n > 0 && m > 0);

        unsigned ranks[EXACT_MAX], observed = 0;
        for (size_t i = 0; i < m; i++)
                observed += doubled_rank(b[i], a, n, b, m);
        if (n + m > EXACT_MAX)
                return normal_tail(a, n, b, m, observed / 2.0);

        for (size_t i = 0; i < n + m; i++)
                ranks[i] = doubled_rank(i < n ? a[i] : b[i - n], a, n, b, m);
        return exact_tail(ranks, n + m, m, observed);
}

double stats_mann_whitney_min(size_t n, size_t m) {
        double ways = 1;
        for (size_t i = 1; i <= m; i++)
                ways = ways * (double) (n + i) / (double) i;
        return 1 / ways;
}

static int compare_double(const void *a, const void *b) {
        double x = *(const double *) a, y = *(const double *) b;
        return (x > y) - (x < y);
}

static double sorted_median(double *values, size_t n) {
        qsort(values, n, sizeof(*values), compare_double);
        return n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

double stats_hodges_lehmann(const double *a, size_t n, const double *b, size_t m) {
        double differences[STATS_MAX * STATS_MAX];
        assert(n > 0 && n <= STATS_MAX && m > 0 && m <= STATS_MAX);

        for (size_t i = 0; i < n; i++)
                for (size_t j = 0; j < m; j++)
                        differences[i * m + j] = b[j] - a[i];
        return sorted_median(differences, n * m);
}

double stats_median(const double *values, size_t n) {
        double copy[STATS_MAX * STATS_MAX];
        assert(n > 0 && n <= ELEMENTSOF(copy));

        memcpy(copy, values, n * sizeof(*values));
        return sorted_median(copy, n);
}

void stats_holm(const double *p, size_t n, double alpha, bool *rejected) {
        for (size_t i = 0; i < n; i++)
                rejected[i] = false;

        for (size_t left = n; left > 0; left--) {
                size_t smallest = SIZE_MAX;
                for (size_t i = 0; i < n; i++)
                        if (!rejected[i] && (smallest == SIZE_MAX || p[i] < p[smallest]))
                                smallest = i;
                if (p[smallest] > alpha / (double) left)
                        return;
                rejected[smallest] = true;
        }
}
