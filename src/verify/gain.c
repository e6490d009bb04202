/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Did what was to be cured get better? What counts as better for which verdict is data (VerdictKind.gains). A gain must
 * be more than asked for, more than the target does by itself, and more than chance. */

#include "verify/gain.h"

#include "verify/measure.h"

/* A gain must stand clear of the noise, not just reach it. */
#define NOISE_FACTOR 1.25

static double asked(GainRule rule, const Policy *policy) {
        switch (rule) {
        case GAIN_AT_MOST_HALF:
                return 0.5;
        case GAIN_UP_BY_TENTH:
                return 0.1;
        case GAIN_UP_BY_MIN:
        case GAIN_DOWN_BY_MIN:
                return policy->min_gain_permille / 1000.0;
        }
        assert(false);
        return 0;
}

static Direction wanted(GainRule rule) {
        return rule == GAIN_UP_BY_MIN || rule == GAIN_UP_BY_TENTH ? DIRECTION_UP : DIRECTION_DOWN;
}

static bool enough(GainRule rule, const Shift *s, double gain, double bound) {
        return rule == GAIN_AT_MOST_HALF ? s->after <= s->before / 2 : gain > bound;
}

const GainTest *gain_tests(const Trial *t) {
        static const GainTest metric[] = {{QUANTITY_PROGRESS, GAIN_UP_BY_MIN}, {QUANTITY_NONE}};
        return t->verdict->metric_decides && t->policy->metric_file ? metric : t->verdict->gains;
}

void gain_judge(const Trial *t, const GainTest *test, Comparison *ret) {
        Measure m = {
                .kind = MEASURE_QUANTITY,
                .quantity = test->quantity,
                .policy = t->policy,
                .corroborated = gain_tests(t)[1].quantity != QUANTITY_NONE,
        };
        Direction direction = wanted(test->rule);
        Comparison c = {.quantity = test->quantity, .bound = asked(test->rule, t->policy)};
        Shift s;

        /* Nothing can be a share of 0: then nothing is known of how much it changed. */
        if (measure_compare(&m, direction, t->past, t->before, t->after, &s) && s.before > 0) {
                double gain = s.shift / s.before;

                c.known = true;
                c.before = s.before;
                c.after = s.after;
                c.shift = direction == DIRECTION_UP ? gain : -gain;
                c.noise = s.noise / s.before;
                c.p = s.p;
                c.passed =
                        s.p <= SIGNIFICANCE && enough(test->rule, &s, gain, c.bound) && gain > NOISE_FACTOR * c.noise;
        }
        *ret = c;
}
