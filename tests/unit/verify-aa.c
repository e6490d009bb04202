/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* How often is a trial misjudged on a steady load? Less than one in twenty, as the level of the tests says, for gains
 * and for harms, on quiet and on noisy hosts; and what is there is seen. tests/bench/aa prints the whole table. */

#include "test.h"

#include "../bench/trial-sim.h"

#define TRIALS 300

/* clang-format off */
static const SimLoad loads[] = {
        /* name                     noise  corr  past  neighbours */
        { "quiet",                   0.03, 0.5,    60,  5 },
        { "quiet, slow waves",       0.03, 0.8,    60,  5 },
        { "noisy",                   0.10, 0.5,    60,  5 },
        { "noisy, slow waves",       0.10, 0.8,    60,  5 },
        { "very noisy",              0.20, 0.8,    60,  5 },
        { "wild, in a crowd",        0.30, 0.8,    60, 20 },
        { "long past",               0.10, 0.8,   300,  5 },
        { "hardly any past",         0.10, 0.5,    20,  1 },
        { "hardly any, slow waves",  0.20, 0.8,    20,  5 },
};
/* clang-format on */

static void assert_rare(const SimLoad *load, const char *what, unsigned n) {
        if (n * 20 >= TRIALS)
                fail_msg("%s: %u of %u called %s", load->name, n, TRIALS, what);
}

static void test_nothing_changed(void **state) {
        for (size_t i = 0; i < ELEMENTSOF(loads); i++) {
                SimLoad load = loads[i];
                SimTally tally;

                load.progress = load.migration = 1;
                sim_run(&load, TRIALS, 1 + i, &tally);
                assert_int_equal(tally.trials, TRIALS);
                assert_rare(&load, "a gain", tally.kept);
                assert_rare(&load, "a harm", tally.worse);
                assert_rare(&load, "an early harm", tally.early);
        }
}

/* Doubled progress at a tenth of the migrations; on a host on which ticks swing by 10 % it never escapes. */
static void test_gain_is_seen(void **state) {
        for (size_t i = 0; i < ELEMENTSOF(loads); i++) {
                SimLoad load = loads[i];
                SimTally tally;

                if (load.noise > 0.1)
                        continue;
                load.churn = true;
                load.progress = 2;
                load.migration = 0.1;
                sim_run(&load, TRIALS / 3, 101 + i, &tally);
                if (tally.kept * 100 < tally.trials * 95)
                        fail_msg("%s: only %u of %u kept", load.name, tally.kept, tally.trials);
        }
}

/* Halved progress is harm, at the end at the latest. */
static void test_harm_is_seen(void **state) {
        for (size_t i = 0; i < ELEMENTSOF(loads); i++) {
                SimLoad load = loads[i];
                SimTally tally;

                if (load.noise > 0.1)
                        continue;
                load.progress = 0.5;
                load.migration = 1;
                sim_run(&load, TRIALS / 3, 201 + i, &tally);
                if (tally.worse * 100 < tally.trials * 95)
                        fail_msg("%s: only %u of %u worse", load.name, tally.worse, tally.trials);
        }
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_nothing_changed),
                cmocka_unit_test(test_gain_is_seen),
                cmocka_unit_test(test_harm_is_seen),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
