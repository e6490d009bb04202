/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* placerd.conf (inih) -> Settings. The table of keys, types and defaults is here and nowhere else. */

#include "model/settings.h"

/* What is wrong, where, and what would be right: "FILE:LINE: ...". */
typedef struct SettingsError {
        char text[512];
} SettingsError;

/* One configuration file's text. */
typedef struct SettingsText {
        const char *file; /* for messages and for "comes from" */
        const char *text;
        size_t len;
} SettingsText;

/* Reads the files in order (the main file first, then conf.d sorted by name) into fresh Settings; a later file may
 * repeat neither a section nor a key of [placerd]. Any error refuses all: -EBADMSG with *ret_error set; -ENOMEM.
 * No files at all: the defaults. */
int settings_parse(const SettingsText *texts, size_t n, Settings **ret, SettingsError *ret_error);

/* Built-in defaults, as the shipped file shows them. -ENOMEM. */
int settings_new_default(Settings **ret);

typedef struct SettingsKey {
        const char *name;
        const char *default_text; /* as the shipped file and the man page show it */
        const char *expects;      /* "a time span from 20ms to 60s" */
        bool in_policy;           /* also (or only) in policy sections */
        bool in_main;             /* in [placerd] */
} SettingsKey;

/* For tests and documentation: the table's rows, NULL behind the last. */
const SettingsKey *settings_key(size_t i);
