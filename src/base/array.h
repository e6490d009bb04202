/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Growing arrays: one doubling rule for all of them. */

#include <errno.h>
#include <stdlib.h>

#include "base/macros.h"

/* Makes room for `need` elements of `size` bytes in *array, whose capacity is *allocated. -ENOMEM leaves both as
 * they were. */
int array_reserve(void **array, size_t *allocated, size_t need, size_t size);

#define ARRAY_RESERVE(array, allocated, need) array_reserve((void **) &(array), &(allocated), (need), sizeof(*(array)))
