/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* What an arm sets, as a text: CPUs are a list ("0-3,8"), a weight is a number ("200"), and the empty text, or none, is
 * "unset". One value has one text, so values can be compared wherever they come from: the ledger, systemd's property, a
 * drop-in, the cgroup's file. A weight can also be "idle" (CPUWeight=idle), which is only ever looked at. */

#include "act/reader.h"
#include "model/facts.h"

/* No text is the empty text. */
bool setting_equal(const char *a, const char *b);

/* Brings what a file says to that form. -EINVAL where it is no such value, -ENOMEM. */
int setting_parse(Arm arm, const char *text, size_t len, char **ret);

/* One assignment of a unit file on top of *value (NULL: none before it): what is in force after it. Errors as above;
 * *value is then as it was. */
int setting_assign(Arm arm, const char *text, size_t len, char **value);

/* To and from what was found before a change; *ret is NULL where it is unset. -ENOMEM, and -EINVAL for a bad text. */
int setting_to_facts(Arm arm, const char *value, Facts *facts);
int setting_of_facts(Arm arm, const Facts *facts, char **ret);

/* arm_file() of a cgroup. -ENOENT: no such file (the controller is off) or cgroup. */
int setting_of_file(const ActReader *reader, const char *path, Arm arm, char **ret);

/* What arm_file() reads where nobody has set it: "" for CPUs, "100" for a weight. */
const char *setting_file_default(Arm arm);
