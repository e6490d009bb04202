/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A tick costs what it costs; the only screw is how often it comes. The budget is a mean over an hour, kept as a
 * credit: what is not spent is earned, up to an hour's worth, so that a short burst (the start, a look at many
 * threads) passes. Once the credit is used up, the interval becomes the configured one times a whole number, by the
 * mean cost of some ticks (a single one is noisy), all that the process does in between included: down again only where
 * the smaller number would leave room, or every measurement would flip it. */

#include "daemon/budget.h"

/* The first ticks build everything up (2 to 3 times the cost) and are no measure. */
#define WARMUP_TICKS 3
#define MEASURE_TICKS 10

/* Down only where the cost plus a third fits. */
#define DOWN_NUM 4
#define DOWN_DEN 3

/* What may be saved up. */
#define CREDIT_SPAN_USEC USEC_PER_HOUR

/* The longest interval that can be configured. */
#define INTERVAL_MAX_USEC (60 * USEC_PER_SEC)

void budget_init(Budget *b, usec_t interval_usec, unsigned permille, usec_t cpu_usec) {
        *b = (Budget){
                .interval_usec = interval_usec,
                .permille = permille,
                .factor = 1,
                .start_usec = cpu_usec,
                .last_usec = cpu_usec,
                .credit_usec = (int64_t) (CREDIT_SPAN_USEC * permille / 1000),
        };
}

static int64_t earned_in(const Budget *b, usec_t span_usec) {
        return (int64_t) (span_usec * b->permille / 1000);
}

/* Never below nothing: what a trial cost is not paid back. */
static void account(Budget *b, usec_t cpu_usec) {
        int64_t credit = b->credit_usec + earned_in(b, budget_interval(b)) - (int64_t) (cpu_usec - b->last_usec);

        b->credit_usec = MAX(INT64_C(0), MIN(credit, earned_in(b, CREDIT_SPAN_USEC)));
        b->last_usec = cpu_usec;
}

/* A whole measurement is over: its mean cost a tick. False before that. */
static bool measured(Budget *b, usec_t cpu_usec) {
        b->ticks++;
        if (!b->warm && b->ticks == WARMUP_TICKS) {
                b->warm = true;
                b->ticks = 0;
                b->start_usec = cpu_usec;
        }
        if (!b->warm || b->ticks < MEASURE_TICKS)
                return false;

        b->cost_usec = MAX((cpu_usec - b->start_usec) / MEASURE_TICKS, (usec_t) 1);
        b->start_usec = cpu_usec;
        b->ticks = 0;
        return true;
}

/* The smallest factor at which `cost` a tick is within the budget. */
static unsigned factor_for(const Budget *b, usec_t cost_usec) {
        usec_t per_factor = b->interval_usec * b->permille;
        usec_t factor = (cost_usec * 1000 + per_factor - 1) / per_factor;

        factor = MIN(factor, INTERVAL_MAX_USEC / b->interval_usec);
        return (unsigned) MAX(factor, (usec_t) 1);
}

static unsigned factor_wanted(const Budget *b) {
        unsigned up = factor_for(b, b->cost_usec), down = factor_for(b, b->cost_usec * DOWN_NUM / DOWN_DEN);

        if (up > b->factor)
                return b->factor > 1 || b->credit_usec == 0 ? up : 1;
        return MIN(down, b->factor);
}

bool budget_tick(Budget *b, usec_t cpu_usec, bool on_trial) {
        unsigned before = b->factor;
        bool whole = measured(b, cpu_usec);

        account(b, cpu_usec);
        if (b->permille == 0 || on_trial)
                b->factor = 1;
        else if (whole)
                b->factor = factor_wanted(b);
        return b->factor != before;
}

usec_t budget_interval(const Budget *b) {
        return b->interval_usec * b->factor;
}

double budget_used(const Budget *b) {
        return (double) b->cost_usec / (double) budget_interval(b);
}
