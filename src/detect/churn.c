/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* churn: the wakeup path drags threads from CPU to CPU although there is room where they were, and that costs. Many
 * migrations alone are no fault (design section 1: 1.1 % of switches on a good kernel, 12 to 22.8 % on a bad one), so a
 * cost must show too: waiting, or, where run delay can't be read, less work than the group did before. Remedy: keep it
 * inside one cache domain. */

#include <stdio.h>

#include "base/format.h"
#include "detect/detectors.h"

static Answer churn_costs(Question *q) {
        if (signals_has(q->signals, SIGNAL_WAIT_SHARE))
                return at_least(q, SIGNAL_WAIT_SHARE, 150);
        return at_most(q, SIGNAL_USAGE_OF_PAST, 800);
}

static Answer churn_holds(Question *q) {
        return ALL_OF(at_least(q, SIGNAL_MIGRATIONS_PER_SWITCH, 50),
                      at_least(q, SIGNAL_SWITCHES_PER_CPU_SECOND, 100 * SIGNAL_SCALE), at_least(q, SIGNAL_IDLE, 100),
                      churn_costs(q));
}

static void churn_explain(const Signals *s, char *buf, size_t size) {
        char moved[FORMAT_MAX], waited[FORMAT_MAX], idle[FORMAT_MAX], used[FORMAT_MAX];
        int n = snprintf(buf, size, "%s of its switches move a thread to another CPU",
                         format_share(s->value[SIGNAL_MIGRATIONS_PER_SWITCH], moved));
        if (n < 0 || (size_t) n >= size)
                return;
        if (signals_has(s, SIGNAL_WAIT_SHARE))
                snprintf(buf + n, size - (size_t) n,
                         ", and it waits %s of the time that it wants to run while CPUs are %s idle",
                         format_share(s->value[SIGNAL_WAIT_SHARE], waited), format_share(s->value[SIGNAL_IDLE], idle));
        else
                snprintf(buf + n, size - (size_t) n, ", and it runs %s of what it used to",
                         format_share(s->value[SIGNAL_USAGE_OF_PAST], used));
}

const Detector detector_churn = {
        .kind =
                {
                        .name = "churn",
                        .remedies = {ARM_PIN},
                        .pin_room = PIN_ROOM_USAGE,
                        .gains = {{QUANTITY_MIGRATIONS_PER_SWITCH, GAIN_AT_MOST_HALF},
                                  {QUANTITY_PROGRESS, GAIN_UP_BY_MIN}},
                },
        .holds = churn_holds,
        .explain = churn_explain,
};
