/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The user's own figure of progress, as a service writes it into a file. */

#include <stddef.h>

/* Either the text is one number, or it is Prometheus text format and `name` (may be NULL for a plain number) says which
 * sample: the first line that starts with this metric's name, labels included where the name has them. -ENODATA where
 * it is not there; -EINVAL where it is no finite number. */
int parse_metric(const char *text, size_t len, const char *name, double *ret);
