/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The runtime drop-ins that systemd writes when a property is set: /run/systemd/system.control/UNIT.d/50-PROPERTY.conf,
 * for transient units /run/systemd/transient/UNIT.d/50-PROPERTY.conf. `root_fd` is "/". */

#include "model/verdict.h"

typedef struct DropInState {
        bool file, dir; /* the drop-in, and UNIT.d */
        bool place;     /* /run/systemd/system.control, which systemd makes for the first one */
} DropInState;

/* What is there already? */
int drop_in_look(int root_fd, const char *unit, Arm arm, DropInState *ret);

/* What a drop-in sets, as a text of act/setting.h: "" for the empty assignment. -EINVAL where it says anything else. */
int drop_in_parse(const char *text, size_t len, Arm arm, char **ret);

/* Removes the drop-in where it holds nothing but `leftover`, and, where `made_dir` says that it came with the change,
 * its folder if that is empty now. *ret_removed: the manager has to reload. No file is no error. */
int drop_in_clean(int root_fd, const char *unit, Arm arm, const char *leftover, bool made_dir, bool *ret_removed);

/* Removes /run/systemd/system.control if it is empty: after drop_in_clean(), where it came with our changes. */
int drop_in_clean_place(int root_fd);
