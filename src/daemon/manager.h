/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The daemon: owns the event loop and everything in it. */

#include "daemon/machine.h"

/* Runs until it is told to stop. `m` was opened; what is needed of it is taken out. `dry_run`: changes are only noted.
 * A machine below another root is only looked at: no bus, no ledger, a dry run. Returns an exit status. */
int manager_run(Machine *m, bool dry_run);
