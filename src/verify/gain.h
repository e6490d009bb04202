/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "verify/judge.h"

/* By what the trial is judged: the verdict's own quantities, or the user's metric where that decides. */
const GainTest *gain_tests(const Trial *t);

/* One row of VerdictKind.gains: `known` is false where its inputs are absent. */
void gain_judge(const Trial *t, const GainTest *test, Comparison *ret);
