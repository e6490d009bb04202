/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* starvation: the group waits long for CPUs that others have. More weight gives it its due. That helped where it waits
 * for less of the time that it wants to run, and really gets more: a share of waiting alone also falls when the others'
 * load does. */

#include <stdio.h>

#include "base/format.h"
#include "detect/detectors.h"
#include "detect/queued.h"

static Answer starvation_holds(Question *q) {
        return ALL_OF(queued_on_busy_cpus(q), crowded_out(q));
}

static void starvation_explain(const Signals *s, char *buf, size_t size) {
        char wait[FORMAT_MAX], share[FORMAT_MAX], got[FORMAT_MAX], more[FORMAT_MAX];
        int n = snprintf(buf, size, "waits %s a slice, %s of the time that it wants to run, and gets %s CPUs",
                         format_wait(s->value[SIGNAL_WAIT_PER_SLICE], wait),
                         format_share(s->value[SIGNAL_WAIT_SHARE], share),
                         format_decimal(s->value[SIGNAL_USAGE], 2, got));
        if (n < 0 || (size_t) n >= size)
                return;
        buf += n, size -= (size_t) n;
        if (signals_has(s, SIGNAL_OTHERS))
                snprintf(buf, size, " while others have %s of the same CPUs",
                         format_decimal(s->value[SIGNAL_OTHERS], 2, more));
        else
                snprintf(buf, size, " of a fair share of %s", format_decimal(s->value[SIGNAL_FAIR_SHARE], 2, more));
}

const Detector detector_starvation = {
        .kind = {.name = "starvation",
                 .remedies = {ARM_WEIGHT},
                 .gains = {{QUANTITY_WAIT_SHARE, GAIN_DOWN_BY_MIN}, {QUANTITY_USAGE, GAIN_UP_BY_TENTH}},
                 .metric_decides = true},
        .holds = starvation_holds,
        .explain = starvation_explain,
};
