/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Prints how often trials are misjudged: A/A (nothing was changed) called a gain or a harm, A/B (progress doubled,
 * migrations down to a tenth) kept, and A/C (progress halved) found harmful. Deterministic. Usage: aa [TRIALS] */

#include <stdio.h>
#include <stdlib.h>

#include "trial-sim.h"

static const double noises[] = {0.02, 0.05, 0.10, 0.20, 0.30, 0.50};
static const double correlations[] = {0.0, 0.5, 0.8};
static const size_t pasts[] = {20, 60, 300};
static const size_t neighbours[] = {1, 5, 20};

static double percent(unsigned part, unsigned whole) {
        return whole > 0 ? 100.0 * part / whole : 0;
}

static void print_row(const SimLoad *base, unsigned trials) {
        SimLoad churn = *base, cured = *base, halved = *base;
        SimTally aa, aa_churn, ab, ac;

        churn.churn = cured.churn = true;
        cured.progress = 2;
        cured.migration = 0.1;
        halved.progress = 0.5;
        sim_run(base, trials, 1, &aa);
        sim_run(&churn, trials, 2, &aa_churn);
        sim_run(&cured, trials, 3, &ab);
        sim_run(&halved, trials, 4, &ac);
        printf("%5.0f %% %5.1f %5zu %4zu | %7.2f %7.2f %7.2f %7.2f %7.2f | %7.2f %7.2f %7.2f | %7.2f\n",
               base->noise * 100, base->correlation, base->past, base->n_neighbours, percent(aa.kept, aa.trials),
               percent(aa_churn.kept, aa_churn.trials), percent(aa.worse, aa.trials), percent(aa.early, aa.trials),
               percent(aa.regime, aa.trials), percent(ab.kept, ab.trials), percent(ab.worse, ab.trials),
               percent(ab.inconclusive, ab.trials), percent(ac.worse, ac.trials));
}

int main(int argc, char **argv) {
        unsigned trials = argc > 1 ? (unsigned) strtoul(argv[1], NULL, 10) : 400;

        printf("%u trials a row, percent of them; A/A: nothing changed; A/B: progress x2, migrations x0.1; "
               "A/C: progress x0.5\n\n",
               trials);
        printf("                           | A/A                                     | A/B                     | "
               "A/C\n");
        printf(" noise  corr  past  nb | progress  churn   worse   early  regime |    kept   worse inconcl |   "
               "worse\n");
        for (size_t i = 0; i < ELEMENTSOF(correlations); i++)
                for (size_t j = 0; j < ELEMENTSOF(noises); j++)
                        for (size_t k = 0; k < ELEMENTSOF(pasts); k++) {
                                SimLoad load = {.noise = noises[j],
                                                .correlation = correlations[i],
                                                .past = pasts[k],
                                                .n_neighbours = neighbours[k],
                                                .progress = 1,
                                                .migration = 1};
                                print_row(&load, trials);
                        }
        return EXIT_SUCCESS;
}
