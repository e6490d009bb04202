/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* For settings.c only: the rows of the table of keys, with what takes a value. */

#include "parse/settings.h"

/* A set of rows fits into a uint64_t. */
#define SETTINGS_KEYS_MAX 40

typedef struct KeyRow KeyRow;

struct KeyRow {
        SettingsKey key;
        bool repeatable;
        /* Reads `text` into its field of `owner`: a Policy where key.in_policy, else a Settings. The field may be set
         * already, and is as it was on an error: -EINVAL or -ERANGE: not what the key expects; -ENOMEM. */
        int (*take)(const KeyRow *row, const char *text, void *owner);
        size_t offset;     /* of the field in its owner */
        uint64_t min, max; /* both allowed; in the field's own unit */
        const char *const *words;
};

/* The row, NULL behind the last. */
const KeyRow *key_row(size_t i);
/* The row of that name and its index, or NULL. */
const KeyRow *key_row_find(const char *name, size_t *ret_index);
/* The name that was most likely meant, NULL where none is near. */
const char *key_row_guess(const char *name);
