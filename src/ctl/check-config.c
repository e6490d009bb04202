/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* placerctl check-config: would the daemon take this configuration? Beside the parser's errors it refuses a policy
 * that could never act, because somebody else owns what it names. */

#include <fcntl.h>

#include "ctl/verbs.h"
#include "decide/guards.h"
#include "pipeline/config.h"

/* Why nothing that `match` (a unit, or a path with a leading slash; maybe a glob) names is ever changed. */
static const char *hands_off(const char *match) {
        return match[0] == '/' ? guard_hands_off(match, NULL) : guard_hands_off("/", match);
}

/* A section without match= is its own match. */
static bool policy_can_act(const Policy *policy) {
        bool can = true;

        for (size_t i = 0; i < MAX(policy->n_matches, (size_t) 1); i++) {
                const char *match = policy->n_matches > 0 ? policy->matches[i] : policy->name;
                const char *why = policy->mode == MODE_ACT ? hands_off(match) : NULL;
                if (!why)
                        continue;
                complain("%s:%u: mode=act for '%s' can't be: %s; mode=observe or mode=advise would be right",
                         policy->file, policy->line, match, why);
                can = false;
        }
        return can;
}

ExitCode verb_check_config(const Options *options, int n_args, char **args) {
        const char *file = n_args > 0 ? args[0] : options->config;
        _cleanup_settings_ Settings *settings = NULL;
        SettingsError error = {};
        bool sound = true;

        int r = config_load(AT_FDCWD, file, &settings, &error);
        if (r < 0) {
                (void) fprintf(stderr, "%s\n", error.text[0] ? error.text : strerror(-r));
                return EXIT_REFUSED;
        }
        for (size_t i = 0; i < settings->n_policies; i++)
                sound = policy_can_act(&settings->policies[i]) && sound;
        if (!sound)
                return EXIT_REFUSED;

        if (options->json)
                printf("{\"policies\":%zu}\n", settings->n_policies);
        else
                printf("%s: sound, %zu polic%s\n", file ? file : CONFIG_FILE, settings->n_policies,
                       settings->n_policies == 1 ? "y" : "ies");
        return EXIT_DONE;
}
