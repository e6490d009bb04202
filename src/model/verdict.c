/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The names of the arms. What a verdict is called, and which arms it has, is told by its detector's own VerdictKind. */

#include "model/verdict.h"

const char *arm_name(Arm arm) {
        static const char *const names[_ARM_MAX] = {
                [ARM_NONE] = "none",
                [ARM_WEIGHT] = "weight",
                [ARM_PIN] = "pin",
        };
        assert((unsigned) arm < _ARM_MAX);
        return names[arm];
}
