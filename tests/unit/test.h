/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* cmocka and what it wants included before it. Exit code 77 is "skipped" for meson. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/macros.h"

#define TEST_SKIPPED 77
