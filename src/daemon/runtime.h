/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The runtime directory: where the ledger lies, and the lock that says a placerd is at work. */

#include "io/ledger.h"

#define RUNTIME_DIRECTORY_DEFAULT "/run/placerd"

/* First folder of $RUNTIME_DIRECTORY, or the default; `create`: made where it does not exist. Locked for as long as the
 * descriptor is open. Returns it, or -EBUSY: another placerd holds it; -ENOENT; -errno. */
int runtime_open(bool create);

/* Reads the ledger of this boot. As ledger_open(), with what it says logged. */
int runtime_ledger(int runtime_fd, Ledger **ret);
