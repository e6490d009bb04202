/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Reads the configuration files below a root and has them parsed: shared by placerd and placerctl. */

#include "parse/settings.h"

#define CONFIG_FILE "/etc/placerd.conf"

/* `file` NULL: CONFIG_FILE and CONFIG_FILE.d/ *.conf, sorted by name (missing ones are fine); else this one alone,
 * which must exist. An absolute name is looked up below root_fd (unless that is AT_FDCWD), a relative one from the
 * working directory. As settings_parse(); -errno with *ret_error set where a file can't be read. */
int config_load(int root_fd, const char *file, Settings **ret, SettingsError *ret_error);
