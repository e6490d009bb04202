/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The table of keys for the script beside it: name, default, expects, and where it has its default. */

#include <stdio.h>

#include "parse/settings.h"

int main(void) {
        const SettingsKey *key;
        for (size_t i = 0; (key = settings_key(i)); i++)
                (void) printf("%s|%s|%s|%s\n", key->name, key->default_text, key->expects,
                              key->in_main ? "main" : "policy");
        return 0;
}
