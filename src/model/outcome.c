/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The names of outcomes and of the quantities that trials are judged by: one row each, for JSON and for people. */

#include "model/outcome.h"

const char *outcome_name(OutcomeKind kind) {
        static const char *const names[_OUTCOME_MAX] = {
                [OUTCOME_NONE] = "none",
                [OUTCOME_KEPT] = "kept",
                [OUTCOME_NO_EFFECT] = "no-effect",
                [OUTCOME_WORSE] = "worse",
                [OUTCOME_OVERRIDDEN] = "overridden",
                [OUTCOME_INCONCLUSIVE] = "inconclusive",
        };
        assert((unsigned) kind < _OUTCOME_MAX);
        return names[kind];
}

/* clang-format off */
static const QuantityInfo table[_QUANTITY_MAX] = {
        [QUANTITY_NONE]                  = { "none", "nothing", 1, "" },
        [QUANTITY_MIGRATIONS_PER_SWITCH] = { "migrations_per_switch", "share of switches that migrate", 100, " %" },
        [QUANTITY_PROGRESS]              = { "progress", "voluntary switches", 1, "/s" },
        [QUANTITY_WAIT_SHARE]            = { "wait_share", "share of the time spent waiting for a CPU", 100, " %" },
        [QUANTITY_WAIT_PER_SLICE]        = { "wait_per_slice_usec", "wait per slice", 1, " us" },
        [QUANTITY_USAGE]                 = { "usage_cpus", "CPUs used", 1, "" },
};
/* clang-format on */

const QuantityInfo *quantity_info(Quantity q) {
        assert((unsigned) q < _QUANTITY_MAX);
        return &table[q];
}
