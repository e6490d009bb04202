/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A tick costs what it costs; the only screw is how often it comes. The cost is a mean over some ticks (a single one is
 * noisy), all that the process does in between included, and the interval becomes the configured one times a whole
 * number: up as soon as the budget is broken, down only where the smaller number would leave room, or every
 * measurement would flip it. */

#include "daemon/budget.h"

/* The first ticks build everything up (2 to 3 times the cost) and are no measure. */
#define WARMUP_TICKS 3
#define MEASURE_TICKS 10

/* Down only where the cost plus a third fits. */
#define DOWN_NUM 4
#define DOWN_DEN 3

/* The longest interval that can be configured. */
#define INTERVAL_MAX_USEC (60 * USEC_PER_SEC)

void budget_init(Budget *b, usec_t interval_usec, unsigned permille, usec_t cpu_usec) {
        *b = (Budget){.interval_usec = interval_usec, .permille = permille, .factor = 1, .start_usec = cpu_usec};
}

/* The smallest factor at which `cost` a tick is within the budget. */
static unsigned factor_for(const Budget *b, usec_t cost_usec) {
        usec_t per_factor = b->interval_usec * b->permille;
        usec_t factor = (cost_usec * 1000 + per_factor - 1) / per_factor;

        factor = MIN(factor, INTERVAL_MAX_USEC / b->interval_usec);
        return (unsigned) MAX(factor, (usec_t) 1);
}

bool budget_tick(Budget *b, usec_t cpu_usec) {
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
        if (b->permille == 0)
                return false;

        unsigned before = b->factor;
        unsigned up = factor_for(b, b->cost_usec), down = factor_for(b, b->cost_usec * DOWN_NUM / DOWN_DEN);
        if (up > b->factor)
                b->factor = up;
        else if (down < b->factor)
                b->factor = down;
        return b->factor != before;
}

usec_t budget_interval(const Budget *b) {
        return b->interval_usec * b->factor;
}

double budget_used(const Budget *b) {
        return (double) b->cost_usec / (double) budget_interval(b);
}
