/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* cgroups that systemd leaves alone, by their files. */

#include "act/backend.h"
#include "act/libcgroup.h"

/* Takes every cgroup that it is asked about for unmanaged: who may be asked is for act/owner.c to know. `calls` must
 * live as long as the backend. */
int cgroup_backend_new(const ActReader *reader, const LibcgroupCalls *calls, Backend **ret);
