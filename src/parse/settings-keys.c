/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The table of keys: name, default, range and field of each, once. A default is a text like any other: it is read by
 * the same function that reads the file, so what the shipped file and the man page show is what happens. A lint test
 * compares those three. */

#include <errno.h>
#include <limits.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/numbers.h"
#include "parse/settings-keys.h"

/* In the order of their enums in model/settings.h. */
static const char *const mode_words[] = {"ignore", "observe", "advise", "act", NULL};
static const char *const goal_words[] = {"throughput", "latency", NULL};
static const char *const auto_words[] = {"never", "auto", NULL};
static const char *const pin_words[] = {"auto", "never", "llc", "node", "package", NULL};
static const char *const better_words[] = {"higher", "lower", NULL};

static void *field_of(const KeyRow *row, void *owner) {
        return (char *) owner + row->offset;
}

static int check_range(const KeyRow *row, uint64_t value) {
        return value < row->min || value > row->max ? -ERANGE : 0;
}

static int take_span(const KeyRow *row, const char *text, void *owner) {
        usec_t span;
        int r = usec_parse(text, &span);
        if (r < 0)
                return r;
        r = check_range(row, span);
        if (r < 0)
                return r;
        *(usec_t *) field_of(row, owner) = span;
        return 0;
}

static int take_permille(const KeyRow *row, const char *text, void *owner) {
        unsigned permille;
        int r = number_parse_permille(text, &permille);
        if (r < 0)
                return r;
        r = check_range(row, permille);
        if (r < 0)
                return r;
        *(unsigned *) field_of(row, owner) = permille;
        return 0;
}

static int take_number(const KeyRow *row, const char *text, void *owner) {
        uint64_t number;
        int r = number_parse_u64(text, strlen(text), &number);
        if (r < 0)
                return r;
        r = check_range(row, number);
        if (r < 0)
                return r;
        *(unsigned *) field_of(row, owner) = (unsigned) number;
        return 0;
}

/* Nothing behind the = is "no bound". */
static int take_number_or_none(const KeyRow *row, const char *text, void *owner) {
        if (*text)
                return take_number(row, text, owner);
        *(unsigned *) field_of(row, owner) = 0;
        return 0;
}

static int find_word(const KeyRow *row, const char *text, unsigned *ret) {
        for (unsigned i = 0; row->words[i]; i++)
                if (streq(row->words[i], text)) {
                        *ret = i;
                        return 0;
                }
        return -EINVAL;
}

static int take_word(const KeyRow *row, const char *text, void *owner) {
        unsigned word;
        int r = find_word(row, text, &word);
        if (r < 0)
                return r;
        *(unsigned *) field_of(row, owner) = word;
        return 0;
}

static int take_pin(const KeyRow *row, const char *text, void *owner) {
        Policy *policy = owner;
        _cleanup_cpuset_ Cpuset *cpus = NULL;
        unsigned word = PIN_CPUS;

        if (find_word(row, text, &word) < 0) {
                int r = cpuset_parse_list(text, strlen(text), &cpus);
                if (r < 0)
                        return r;
                if (cpuset_empty(cpus))
                        return -EINVAL;
        }
        cpuset_free(policy->pin_cpus);
        policy->pin_cpus = TAKE_PTR(cpus);
        policy->pin = (PinMode) word;
        return 0;
}

static int take_string(const KeyRow *row, const char *text, void *owner) {
        char **field = field_of(row, owner), *copy = NULL;
        if (*text) {
                copy = strdup(text);
                if (!copy)
                        return -ENOMEM;
        }
        free(*field);
        *field = copy;
        return 0;
}

static int take_path(const KeyRow *row, const char *text, void *owner) {
        if (*text && (text[0] != '/' || strlen(text) >= PATH_MAX))
                return -EINVAL;
        return take_string(row, text, owner);
}

/* Whether the pattern makes sense is asked by the caller, who can say more about it. */
static int take_match(const KeyRow *row, const char *text, void *owner) {
        Policy *policy = owner;
        if (!*text)
                return -EINVAL;
        if (policy->n_matches >= row->max)
                return -ERANGE;
        char **matches = reallocarray(policy->matches, policy->n_matches + 1, sizeof(char *));
        if (!matches)
                return -ENOMEM;
        policy->matches = matches;
        matches[policy->n_matches] = strdup(text);
        if (!matches[policy->n_matches])
                return -ENOMEM;
        policy->n_matches++;
        return 0;
}

#define DAY (24 * USEC_PER_HOUR)

#define KEY(n, d, e, main, policy)                                                                                     \
        .key = {.name = (n), .default_text = (d), .expects = (e), .in_policy = (policy), .in_main = (main)}
#define MAIN_ONLY(n, d, e, field) KEY(n, d, e, true, false), .offset = offsetof(Settings, field)
#define BOTH(n, d, e, field) KEY(n, d, e, true, true), .offset = offsetof(Policy, field)
#define POLICY_ONLY(n, d, e, field) KEY(n, d, e, false, true), .offset = offsetof(Policy, field)

/* clang-format off */
static const KeyRow rows[] = {
        { MAIN_ONLY("interval", "1s", "a time span from 20ms to 60s", interval_usec),
          .take = take_span, .min = 20 * USEC_PER_MSEC, .max = 60 * USEC_PER_SEC },
        { MAIN_ONLY("cpu-budget", "1%", "a share of one CPU from 0.1% to 100%", cpu_budget_permille),
          .take = take_permille, .min = 1, .max = 1000 },
        /* Short ones are taken, but end inconclusive: see judge_trial(). */
        { MAIN_ONLY("before", "20", "ticks from 1 to 1000", before_ticks),
          .take = take_number, .min = 1, .max = 1000 },
        { MAIN_ONLY("settle", "2", "ticks from 0 to 100", settle_ticks),
          .take = take_number, .max = 100 },
        { MAIN_ONLY("after", "30", "ticks from 1 to 1000", after_ticks),
          .take = take_number, .min = 1, .max = 1000 },
        { MAIN_ONLY("min-age", "60s", "a time span from 0s to 7d", min_age_usec),
          .take = take_span, .max = 7 * DAY },
        { MAIN_ONLY("weight-interval", "5min", "a time span from 1s to 1d", weight_interval_usec),
          .take = take_span, .min = USEC_PER_SEC, .max = DAY },
        { MAIN_ONLY("changes-per-hour", "6", "a number from 1 to 3600", changes_per_hour),
          .take = take_number, .min = 1, .max = 3600 },
        { MAIN_ONLY("retrial", "6h", "a time span from 10s to 30d", retrial_usec),
          .take = take_span, .min = 10 * USEC_PER_SEC, .max = 30 * DAY },

        { POLICY_ONLY("match", "", "a unit name or glob, or with a leading / a cgroup path glob (at most 64)", matches),
          .take = take_match, .max = 64, .repeatable = true },
        { BOTH("mode", "advise", "ignore, observe, advise or act", mode),
          .take = take_word, .words = mode_words },
        { BOTH("wait-target", "1ms", "a time span from 10us to 10s", wait_target_usec),
          .take = take_span, .min = 10, .max = 10 * USEC_PER_SEC },
        { BOTH("goal", "throughput", "latency or throughput", goal),
          .take = take_word, .words = goal_words },
        { BOTH("pin", "auto", "auto, never, llc, node, package or a list of CPUs like 0-3,8", pin),
          .take = take_pin, .words = pin_words },
        { BOTH("weight", "auto", "auto or never", weight),
          .take = take_word, .words = auto_words },
        { BOTH("weight-max", "400", "a CPUWeight from 1 to 10000", weight_max),
          .take = take_number, .min = 1, .max = 10000 },
        { BOTH("min-cpus", "", "a number from 1 to 8192, or nothing", min_cpus),
          .take = take_number_or_none, .min = 1, .max = CPUSET_CPU_MAX + 1 },
        { BOTH("kernel", "never", "never or auto", kernel),
          .take = take_word, .words = auto_words },
        { BOTH("min-gain", "20%", "a share from 1% to 1000%", min_gain_permille),
          .take = take_permille, .min = 10, .max = 10000 },
        { BOTH("max-harm", "5%", "a share from 0% to 100%", max_harm_permille),
          .take = take_permille, .max = 1000 },
        { BOTH("max-take", "50%", "a share from 0% to 100%", max_take_permille),
          .take = take_permille, .max = 1000 },
        { POLICY_ONLY("metric-file", "", "an absolute path, or nothing", metric_file),
          .take = take_path },
        { POLICY_ONLY("metric-name", "", "the name of a metric in metric-file, or nothing", metric_name),
          .take = take_string },
        { BOTH("metric-better", "higher", "lower or higher", metric_better),
          .take = take_word, .words = better_words },
};
/* clang-format on */

_Static_assert(ELEMENTSOF(rows) <= SETTINGS_KEYS_MAX, "raise SETTINGS_KEYS_MAX");
_Static_assert(sizeof(PolicyMode) == sizeof(unsigned) && sizeof(PinMode) == sizeof(unsigned), "take_word()");

const KeyRow *key_row(size_t i) {
        return i < ELEMENTSOF(rows) ? &rows[i] : NULL;
}

const SettingsKey *settings_key(size_t i) {
        return i < ELEMENTSOF(rows) ? &rows[i].key : NULL;
}

const KeyRow *key_row_find(const char *name, size_t *ret_index) {
        for (size_t i = 0; i < ELEMENTSOF(rows); i++)
                if (streq(rows[i].key.name, name)) {
                        *ret_index = i;
                        return &rows[i];
                }
        return NULL;
}

/* Levenshtein's distance, one row at a time. */
static unsigned edits(const char *a, const char *b) {
        unsigned row[32];
        size_t n = strlen(b);
        assert(n < ELEMENTSOF(row));

        for (unsigned j = 0; j <= n; j++)
                row[j] = j;
        for (unsigned i = 1; a[i - 1]; i++) {
                unsigned diagonal = row[0];
                row[0] = i;
                for (unsigned j = 1; j <= n; j++) {
                        unsigned replaced = diagonal + (a[i - 1] != b[j - 1]), moved = MIN(row[j], row[j - 1]) + 1;
                        diagonal = row[j];
                        row[j] = MIN(replaced, moved);
                }
        }
        return row[n];
}

const char *key_row_guess(const char *name) {
        const char *best = NULL;
        unsigned least = 3; /* more than two edits away is another word */
        for (size_t i = 0; i < ELEMENTSOF(rows) && strlen(name) < 32; i++) {
                unsigned n = edits(name, rows[i].key.name);
                if (n < least) {
                        least = n;
                        best = rows[i].key.name;
                }
        }
        return best;
}
