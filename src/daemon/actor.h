/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Puts together what can change the system: backend, ledger, executor. */

#include "act/executor.h"
#include "sample/sampler.h"

/* The real thing: systemd's manager, libcgroup for what that leaves alone, the ledger in the runtime folder. `sampler`
 * must live as long as the executor is used. Errors are logged. */
int actor_new(int root_fd, Sampler *sampler, int runtime_fd, Executor **ret);

/* One that only notes. */
int actor_new_dry(Sampler *sampler, Executor **ret);
