/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "verify/judge.h"

/* One row of VerdictKind.gains: `known` is false where its inputs are absent. */
void gain_judge(const Trial *t, const GainTest *test, Comparison *ret);
