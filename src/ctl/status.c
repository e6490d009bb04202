/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* placerctl status: one row a target that somebody cares for (it has a section, a change, or a verdict other than
 * healthy), or one target in a block. What is shown are the fields of the daemon's JSON, nothing is judged again. */

#include <errno.h>
#include <libsmartcols/libsmartcols.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "ctl/client.h"
#include "ctl/screen.h"

static const char *text_of(const json_t *o, const char *key, const char *otherwise) {
        const char *text = json_string_value(json_object_get(o, key));
        return text ? text : otherwise;
}

static const char *name_of(const json_t *target) {
        return text_of(target, "unit", text_of(target, "target", "?"));
}

static bool is_of_interest(const json_t *target) {
        return json_object_get(json_object_get(target, "policy"), "section") || json_object_get(target, "change") ||
               !streq(text_of(target, "verdict", "healthy"), "healthy");
}

/* "AllowedCPUs=0-3", "-" where nothing is changed. Newly allocated. */
static char *change_of(const json_t *target) {
        const json_t *change = json_object_get(target, "change");
        char *text = NULL;

        if (!change)
                return strdup("-");
        if (asprintf(&text, "%s=%s", text_of(change, "property", "?"), text_of(change, "to", "")) < 0)
                return NULL;
        return text;
}

/* A terminal that is narrower has only room for the factor itself. */
#define OUTSIDE_WIDTH_MIN 150U

/* "x16.3 (27.5 ms against 1.7 ms outside)", or "x16.3", or "-". Newly allocated. */
static char *outside_of(const json_t *target) {
        const char *text = text_of(target, "outside", "-");
        bool narrow = screen_width() > 0 && screen_width() < OUTSIDE_WIDTH_MIN;
        return narrow ? strndup(text, strcspn(text, " ")) : strdup(text);
}

static char *verdict_of(const json_t *target) {
        char *text = NULL;
        bool treated = json_is_true(json_object_get(target, "treated"));

        if (asprintf(&text, "%s%s", text_of(target, "verdict", "-"), treated ? " (treated)" : "") < 0)
                return NULL;
        return text;
}

enum { COLUMN_TARGET, COLUMN_VERDICT, COLUMN_MODE, COLUMN_CHANGE, COLUMN_OUTSIDE, COLUMN_WHY };

static struct libscols_table *table_new(void) {
        static const struct {
                const char *name;
                int flags;
        } columns[] = {
                [COLUMN_TARGET] = {"TARGET", 0}, [COLUMN_VERDICT] = {"VERDICT", 0},
                [COLUMN_MODE] = {"MODE", 0},     [COLUMN_CHANGE] = {"CHANGE", 0},
                [COLUMN_OUTSIDE] = {"WAIT", 0},  [COLUMN_WHY] = {"STATE/WHY", SCOLS_FL_WRAP},
        };

        struct libscols_table *t = scols_new_table();
        if (!t)
                return NULL;
        (void) scols_table_enable_colors(t, screen_has_colour());
        /* Names are never cut: where they are too long the terminal breaks the line. */
        (void) scols_table_set_termforce(t, SCOLS_TERMFORCE_NEVER);
        for (size_t i = 0; i < ELEMENTSOF(columns); i++)
                if (!scols_table_new_column(t, columns[i].name, 0, columns[i].flags)) {
                        scols_unref_table(t);
                        return NULL;
                }
        struct libscols_column *why = scols_table_get_column(t, COLUMN_WHY);
        (void) scols_column_set_safechars(why, "\n");
        (void) scols_column_set_wrapfunc(why, scols_wrapnl_chunksize, scols_wrapnl_nextchunk, NULL);
        return t;
}

/* The narrowest that a sentence is still easy to read in. */
#define WHY_WIDTH_MIN 30U

/* What the other columns leave on the terminal for the sentence; 0: no limit. */
static size_t why_width(const json_t *targets, bool all) {
        size_t target_width = 0, change_width = 0, outside_width = 0, i, used;
        const json_t *target;

        if (screen_width() == 0)
                return 0;
        json_array_foreach(targets, i, target) {
                if (!all && !is_of_interest(target))
                        continue;
                _cleanup_free_ char *change = change_of(target);
                target_width = MAX(target_width, strlen(name_of(target)));
                change_width = MAX(change_width, change ? strlen(change) : 0);
                _cleanup_free_ char *outside = outside_of(target);
                outside_width = MAX(outside_width, outside ? strlen(outside) : 0);
        }
        used = target_width + change_width + outside_width + strlen("starvation (treated) observe ") + 4;
        return MAX((size_t) WHY_WIDTH_MIN, screen_width() > used ? screen_width() - used : 0);
}

/* Breaks the lines between words, in place. */
static void break_lines(char *text, size_t width) {
        char *line = text, *blank = NULL;

        for (char *c = text; width > 0 && *c; c++) {
                if (*c == ' ')
                        blank = c;
                if ((size_t) (c - line) >= width && blank) {
                        *blank = '\n';
                        line = blank + 1;
                        blank = NULL;
                }
        }
}

static int table_add(struct libscols_table *t, const json_t *target, size_t width) {
        _cleanup_free_ char *verdict = verdict_of(target), *change = change_of(target), *outside = outside_of(target);
        _cleanup_free_ char *why = strdup(text_of(target, "why", ""));
        struct libscols_line *line = scols_table_new_line(t, NULL);
        if (!line || !verdict || !change || !outside || !why)
                return -ENOMEM;
        break_lines(why, width);

        int r = scols_line_set_data(line, COLUMN_TARGET, name_of(target));
        if (r == 0)
                r = scols_line_set_data(line, COLUMN_VERDICT, verdict);
        if (r == 0)
                r = scols_line_set_data(line, COLUMN_MODE, text_of(target, "mode", "-"));
        if (r == 0)
                r = scols_line_set_data(line, COLUMN_CHANGE, change);
        if (r == 0)
                r = scols_line_set_data(line, COLUMN_OUTSIDE, outside);
        if (r == 0)
                r = scols_line_set_data(line, COLUMN_WHY, why);

        Colour colour = colour_of_verdict(text_of(target, "verdict", "unknown"));
        if (r == 0 && colour_name(colour))
                r = scols_cell_set_color(scols_line_get_cell(line, COLUMN_VERDICT), colour_name(colour));
        return r;
}

static int fill_table(struct libscols_table *t, const json_t *status, bool all, size_t *ret_shown) {
        const json_t *targets = json_object_get(status, "targets"), *target;
        size_t i, shown = 0, width = why_width(targets, all);

        json_array_foreach(targets, i, target) {
                if (!all && !is_of_interest(target))
                        continue;
                int r = table_add(t, target, width);
                if (r < 0)
                        return r;
                shown++;
        }
        *ret_shown = shown;
        return 0;
}

/* One line, and only what is off: what is on needs no word. */
static void print_sources(const json_t *sources) {
        const json_t *source;
        const char *before = "\nOff: ";
        size_t i;

        json_array_foreach(sources, i, source) {
                if (!json_is_false(json_object_get(source, "on")))
                        continue;
                printf("%s%s (%s)", before, text_of(source, "name", "?"), text_of(source, "why", "?"));
                before = ", ";
        }
        if (*before == ',')
                printf("\n");
}

static ExitCode print_status(const json_t *status, bool all) {
        struct libscols_table *t = table_new();
        size_t shown = 0, n = json_array_size(json_object_get(status, "targets"));

        int r = t ? fill_table(t, status, all, &shown) : -ENOMEM;
        if (r == 0 && shown > 0)
                r = scols_print_table(t);
        scols_unref_table(t);
        if (r < 0) {
                complain("out of memory");
                return EXIT_REFUSED;
        }

        if (json_is_true(json_object_get(status, "paused")))
                printf("%sPaused: nothing is changed or tried until 'placerctl resume'.\n", shown > 0 ? "\n" : "");
        if (shown == 0)
                printf("%zu targets, all healthy, none with a policy (--all shows them)\n", n);
        else if (shown < n)
                printf("\n%zu of %zu targets: the others are healthy and have no policy (--all shows them)\n", shown,
                       n);
        print_sources(json_object_get(status, "sources"));
        const char *hint = text_of(status, "hint", "");
        if (hint[0])
                printf("\n%s", hint);
        return EXIT_DONE;
}

static void print_field(const char *name, const char *text) {
        if (text && text[0])
                printf("%12s: %s\n", name, text);
}

static void print_change(const json_t *target) {
        const json_t *change = json_object_get(target, "change");
        if (!change)
                return;

        printf("%12s: %s from %s to %s%s\n", "Change", text_of(change, "property", "?"),
               text_of(change, "from", "unset"), text_of(change, "to", "unset"),
               json_is_true(json_object_get(change, "kept")) ? ", kept" : "");
        print_field("Reason", text_of(change, "reason", ""));
        print_field("Left over", text_of(change, "residue", ""));
}

static void print_plan(const json_t *target) {
        const json_t *plan = json_object_get(target, "plan");

        if (plan && !json_object_get(target, "change"))
                printf("%12s: %s=%s (%s)\n", "Plan", text_of(plan, "property", "?"), text_of(plan, "to", ""),
                       text_of(plan, "reason", ""));
}

static void print_phase(const json_t *target) {
        json_int_t ticks = json_integer_value(json_object_get(target, "phase_ticks"));
        json_int_t total = json_integer_value(json_object_get(target, "phase_ticks_total"));
        const char *phase = text_of(target, "phase", "");

        if (total > 0)
                printf("%12s: %s, %lld of %lld ticks\n", "Phase", phase, (long long) ticks, (long long) total);
        else
                print_field("Phase", phase);
}

static void print_outside(const json_t *target) {
        const char *text = text_of(target, "outside", NULL);
        if (text)
                printf("%12s: %s, measured on %s\n", "Wait", text,
                       text_of(json_object_get(target, "evidence"), "outside_reference", "?"));
}

static void print_target(const json_t *target) {
        const char *verdict = text_of(target, "verdict", "unknown");
        const json_t *outcome = json_object_get(target, "outcome");

        printf("%s%s%s %s\n", colour_code(colour_of_verdict(verdict)), "*", colour_code(COLOUR_NONE), name_of(target));
        print_field("Cgroup", text_of(target, "target", ""));
        print_field("Policy", text_of(json_object_get(target, "policy"), "origin", ""));
        print_field("Mode", text_of(target, "mode", ""));
        printf("%12s: %s%s%s%s, since tick %lld%s\n", "Verdict", colour_code(colour_of_verdict(verdict)), verdict,
               colour_code(COLOUR_NONE), json_is_true(json_object_get(target, "treated")) ? " (treated)" : "",
               (long long) json_integer_value(json_object_get(target, "since_tick")),
               json_is_false(json_object_get(target, "confirmed")) ? ", not sure yet" : "");
        print_field("", text_of(target, "text", ""));
        print_outside(target);
        print_phase(target);
        print_change(target);
        print_plan(target);
        if (outcome)
                printf("%12s: %s: %s\n", "Last trial", text_of(outcome, "outcome", "?"), text_of(outcome, "text", ""));
        print_field("Why", text_of(target, "why", ""));
        printf("\nplacerctl explain %s tells the whole chain.\n", name_of(target));
}

ExitCode verb_status(const Options *options, int n_args, char **args) {
        json_t *o = NULL;

        ExitCode code = n_args > 0 ? client_describe_target(args[0], &o) : client_describe(&o);
        if (code != EXIT_DONE)
                return code;

        screen_begin(options);
        if (options->json)
                code = screen_json(o);
        else if (n_args == 0)
                code = print_status(o, options->all);
        else
                print_target(o);
        screen_done();
        json_decref(o);
        return code;
}
