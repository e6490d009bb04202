/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* saturated: the group's own threads are more than the CPUs it may use; nobody takes them away. No placement helps. */

#include <stdio.h>

#include "base/format.h"
#include "detect/detectors.h"
#include "detect/queued.h"

static Answer saturated_holds(Question *q) {
        return ALL_OF(queued_on_busy_cpus(q), answer_not(crowded_out(q)));
}

static void saturated_explain(const Signals *s, char *buf, size_t size) {
        char missing[FORMAT_MAX], demand[FORMAT_MAX], allowed[FORMAT_MAX];
        snprintf(buf, size, "needs %s more CPUs: %s threads want to run on %s CPUs, and they are its own",
                 format_decimal(MAX(INT64_C(0), s->value[SIGNAL_DEMAND] - s->value[SIGNAL_ALLOWED_CPUS]), 1, missing),
                 format_decimal(s->value[SIGNAL_DEMAND], 1, demand),
                 format_decimal(s->value[SIGNAL_ALLOWED_CPUS], 0, allowed));
}

const Detector detector_saturated = {
        .kind = {.name = "saturated"},
        .holds = saturated_holds,
        .explain = saturated_explain,
};
