/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* systemd's unit names as they appear in cgroup paths (systemd.unit(5)). */

#include <stddef.h>

/* True for "nginx.service", "worker@3.service", "session-2.scope", "app.slice", ... */
_Bool unit_name_valid(const char *name, size_t len);

/* The innermost component of a cgroup path that is a unit name, newly allocated in *ret; *ret is NULL where there is
 * none. ret_exact: it is the last component, so that the unit has (by name) exactly this cgroup. -ENOMEM. */
int unit_name_from_path(const char *path, char **ret, _Bool *ret_exact);
