/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Strict numbers: the whole text is a number, or it is an error. */

#include <stddef.h>
#include <stdint.h>

/* Reads an unsigned decimal that fills all of text[0..len). -EINVAL where it does not, -ERANGE above UINT64_MAX. */
int number_parse_u64(const char *text, size_t len, uint64_t *ret);

/* Reads "20%" or "12.5%" as permille (200, 125). -EINVAL, -ERANGE above 1000 %. */
int number_parse_permille(const char *text, unsigned *ret);

/* Takes the leading unsigned decimal of *text (bounded by end), moves *text behind it. -EINVAL where there is none. */
int number_take_u64(const char **text, const char *end, uint64_t *ret);
