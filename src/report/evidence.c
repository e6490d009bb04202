/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The signals on which a verdict stands, under their names, rounded to the decimals that the table of signals shows:
 * what is printed is what was judged, and an absent signal has no key. */

#include <math.h>

#include "report/object.h"
#include "report/parts.h"
#include "report/report.h"

static json_t *signal_json(Signal signal, int64_t value) {
        double shown = (double) value / SIGNAL_SCALE;
        unsigned decimals = signal_info(signal)->decimals;

        if (decimals == 0)
                return json_integer((json_int_t) llround(shown));

        double step = pow(10, decimals);
        return json_real(round(shown * step) / step);
}

json_t *report_evidence(const Signals *s) {
        json_t *o = json_object();
        char reference[FORMAT_MAX];
        int failed = 0;

        for (unsigned i = 0; i < _SIGNAL_MAX; i++)
                if (signals_has(s, i))
                        failed |= object_take(o, signal_info(i)->name, signal_json(i, s->value[i]));

        if (signals_has(s, SIGNAL_OUTSIDE_WAIT))
                failed |= object_text(o, "outside_reference", outside_reference(s, reference));
        return object_finish(o, failed);
}
