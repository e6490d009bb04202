/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "act/executor.h"

/* Undoes everything in the ledger, with a journal entry each. Returns the number that could not be undone; it stays in
 * the ledger, and that is logged. */
unsigned restore_everything(Executor *e, const char *why);

/* `placerd --restore`, also as ExecStopPost=: asks whether placerd will be started again, and if not undoes everything
 * that is in the ledger. Returns an exit status. */
int restore_run(void);
