/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* /etc/placerd.conf as data. parse/settings.c fills it; its table there is the one list of keys and defaults. */

#include "base/cpuset.h"
#include "base/usec.h"

typedef enum PolicyMode { MODE_IGNORE, MODE_OBSERVE, MODE_ADVISE, MODE_ACT } PolicyMode;
typedef enum PolicyGoal { GOAL_THROUGHPUT, GOAL_LATENCY } PolicyGoal;
typedef enum PinMode { PIN_AUTO, PIN_NEVER, PIN_LLC, PIN_NODE, PIN_PACKAGE, PIN_CPUS } PinMode;
typedef enum AutoMode { AUTO_NEVER, AUTO_AUTO } AutoMode;
typedef enum MetricBetter { METRIC_HIGHER, METRIC_LOWER } MetricBetter;

typedef struct Policy {
        char *name; /* the section; NULL for the defaults */
        char *file; /* where it stands */
        unsigned line;
        char **matches; /* unit globs, or cgroup path globs with a leading slash */
        size_t n_matches;
        PolicyMode mode;
        PolicyGoal goal;
        PinMode pin;
        Cpuset *pin_cpus; /* for PIN_CPUS */
        AutoMode weight, kernel;
        unsigned weight_max;
        unsigned min_cpus; /* 0: no lower bound */
        usec_t wait_target_usec;
        unsigned min_gain_permille, max_harm_permille, max_take_permille;
        char *metric_file, *metric_name;
        MetricBetter metric_better;
} Policy;

typedef struct Settings {
        usec_t interval_usec;
        unsigned cpu_budget_permille;
        unsigned before_ticks, settle_ticks, after_ticks;
        usec_t min_age_usec, weight_interval_usec, retrial_usec;
        unsigned changes_per_hour;
        Policy defaults; /* for targets without a section: what [placerd] says of policies' keys */
        Policy *policies;
        size_t n_policies;
} Settings;

Settings *settings_free(Settings *s);
DEFINE_CLEANUP_FUNC(Settings *, settings_free);
#define _cleanup_settings_ _cleanup_(settings_freep)

/* The policy for a target: the most exact match (an exact name before a glob, of two globs the one with more literal
 * characters, of equals the later), NULL where no section matches. `unit` may be NULL. */
const Policy *settings_find_policy(const Settings *s, const char *unit, const char *path);

/* Does it match by the path, and not just by the unit that the path lies in? */
bool policy_names_path(const Policy *p, const char *path);

const char *policy_mode_name(PolicyMode mode);
