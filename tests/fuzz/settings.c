/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* placerd.conf: any bytes are Settings or one clear error; and what is taken holds to the ranges of the man page. */

#include "fuzz.h"

#include <errno.h>
#include <string.h>

#include "parse/settings.h"

static void check_error(const SettingsError *error) {
        FUZZ_CHECK(strncmp(error->text, "f:", 2) == 0);
        FUZZ_CHECK(error->text[2] >= '1' && error->text[2] <= '9');
}

static void check_settings(const Settings *s) {
        FUZZ_CHECK(s->before_ticks + s->after_ticks >= 35);
        FUZZ_CHECK(s->interval_usec >= 20 * USEC_PER_MSEC);
        for (size_t i = 0; i < s->n_policies; i++) {
                const Policy *p = &s->policies[i];
                FUZZ_CHECK(p->name && p->line > 0);
                FUZZ_CHECK((p->pin == PIN_CPUS) == (p->pin_cpus && !cpuset_empty(p->pin_cpus)));
        }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
        SettingsText text = {.file = "f", .text = (const char *) data, .len = size};
        _cleanup_settings_ Settings *s = NULL;
        SettingsError error = {};

        int r = settings_parse(&text, 1, &s, &error);
        FUZZ_CHECK((r == 0) == (s != NULL));
        if (r == -EBADMSG)
                check_error(&error);
        if (r == 0) {
                check_settings(s);
                (void) settings_find_policy(s, "nginx.service", "/system.slice/nginx.service");
        }
        return 0;
}
