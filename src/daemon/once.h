/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "daemon/machine.h"

/* placerd --once: two samples one interval apart, and the verdict of each target on standard output. Changes nothing,
 * and needs no right but to read. Takes what it needs out of `m`. Returns an exit status. */
int once_run(Machine *m);
