/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "verify/judge.h"

/* As judge_regime(). `harmed` has one entry a neighbour: those do not count, since what they do is our doing. */
bool regime_held(const Trial *t, const bool *harmed, char why[static 256]);
