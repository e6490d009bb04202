/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Which policy a target falls under. Patterns are globs over whole names, as systemctl's are: "redis" is not
 * "not-redis-exporter.service", and "redis*" is not either; a backslash stands for itself, since escaped unit names
 * hold some ("a\x2db.service"). A pattern with a leading slash is one of cgroup paths, where '*' stays inside one
 * level. The most exact match wins, so that the order of sections does not decide unless two are equally exact. */

#include "model/settings.h"

#include <fnmatch.h>
#include <stdlib.h>

static void policy_done(Policy *p) {
        free(p->name);
        free(p->file);
        for (size_t i = 0; i < p->n_matches; i++)
                free(p->matches[i]);
        free(p->matches);
        cpuset_free(p->pin_cpus);
        free(p->metric_file);
        free(p->metric_name);
}

Settings *settings_free(Settings *s) {
        if (!s)
                return NULL;

        policy_done(&s->defaults);
        for (size_t i = 0; i < s->n_policies; i++)
                policy_done(&s->policies[i]);
        free(s->policies);
        free(s);
        return NULL;
}

/* A character that stands for itself. A bracket expression as a whole counts for nothing: it is no more exact than
 * '?'. */
static unsigned literal_characters(const char *pattern, bool *ret_glob) {
        unsigned n = 0;
        bool glob = false;

        for (const char *p = pattern; *p; p++) {
                if (*p == '*' || *p == '?') {
                        glob = true;
                } else if (*p == '[' && p[1] != '\0' && strchr(p + 2, ']')) {
                        glob = true;
                        p = strchr(p + 2, ']'); /* a ']' that comes first is one of the set */
                } else {
                        n++;
                }
        }
        *ret_glob = glob;
        return n;
}

/* 0: does not match. An exact name scores above every glob, which has at most as many literals as it has characters. */
static uint64_t match_score(const char *pattern, const char *unit, const char *path) {
        bool is_path = pattern[0] == '/', glob;
        const char *name = is_path ? path : unit;

        if (!name || fnmatch(pattern, name, FNM_NOESCAPE | (is_path ? FNM_PATHNAME : 0)) != 0)
                return 0;

        unsigned literals = literal_characters(pattern, &glob);
        return glob ? (uint64_t) literals + 1 : UINT64_MAX;
}

/* Of the policy's patterns, the one that fits best. A section without match= is its own pattern. */
static uint64_t policy_score(const Policy *p, const char *unit, const char *path) {
        uint64_t best = 0;

        if (p->n_matches == 0)
                return match_score(p->name, unit, path);
        for (size_t i = 0; i < p->n_matches; i++)
                best = MAX(best, match_score(p->matches[i], unit, path));
        return best;
}

const Policy *settings_find_policy(const Settings *s, const char *unit, const char *path) {
        const Policy *best = NULL;
        uint64_t best_score = 0;

        for (size_t i = 0; i < s->n_policies; i++) {
                uint64_t score = policy_score(&s->policies[i], unit, path);
                if (score > 0 && score >= best_score) {
                        best = &s->policies[i];
                        best_score = score;
                }
        }
        return best;
}

bool policy_names_path(const Policy *p, const char *path) {
        return policy_score(p, NULL, path) > 0;
}

const char *policy_mode_name(PolicyMode mode) {
        switch (mode) {
        case MODE_IGNORE:
                return "ignore";
        case MODE_OBSERVE:
                return "observe";
        case MODE_ADVISE:
                return "advise";
        case MODE_ACT:
                return "act";
        }
        assert(false);
        return NULL;
}
