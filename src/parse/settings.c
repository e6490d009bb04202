/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* placerd.conf -> Settings. inih splits KEY=VALUE lines, and nothing else: the reader that feeds it line by line sees
 * every raw line first, since inih cuts section names at 49 bytes without a word, goes on with the old section after a
 * header that is not closed, and tells its handler no line number. So sections, comments and anything that is no text
 * are dealt with in the reader, which also counts lines. Comments stand on lines of their own; a ; or # behind a value
 * belongs to it.
 *
 * A value is kept as text until all files are read, since [placerd] may stand behind the policies that inherit from it:
 * a policy's own keys are taken at once, those it lacks at the end, from [placerd] or from the table.
 * The first error ends it all. */

#include <errno.h>
#include <ini.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "parse/settings-keys.h"
#include "parse/settings-lines.h"
#include "parse/settings-names.h"

#define MAIN_SECTION "placerd"
#define POLICIES_MAX 4096

typedef enum Section { SECTION_NONE, SECTION_MAIN, SECTION_POLICY } Section;

/* A key of [placerd]: where it stands, and for policies' keys its value, to be inherited. */
typedef struct MainValue {
        char *text; /* NULL: not given */
        const char *file;
        unsigned line;
} MainValue;

typedef struct Parser {
        Settings *settings;
        size_t policies_allocated;
        uint64_t *given; /* for each policy a bit for each row that its section gives */
        size_t given_allocated;
        MainValue main[SETTINGS_KEYS_MAX];

        const SettingsText *text; /* being read */
        size_t offset;            /* of its next line */
        unsigned line;            /* the current one, from 1 */
        const char *rest;         /* of the current line, for inih */
        size_t rest_len;
        Section section;
        unsigned main_line; /* of [placerd] in this file, 0: not yet */

        int error;
        SettingsError *ret_error;
} Parser;

static void parser_done(Parser *p) {
        settings_free(p->settings);
        free(p->given);
        for (size_t i = 0; i < SETTINGS_KEYS_MAX; i++)
                free(p->main[i].text);
}

static int fault_at(Parser *p, const char *file, unsigned line, const char *format, ...) _printf_(4, 5);
static int fault_at(Parser *p, const char *file, unsigned line, const char *format, ...) {
        char *text = p->ret_error->text;
        size_t size = sizeof(p->ret_error->text);
        int n = snprintf(text, size, "%s:%u: ", file, line);
        va_list args;
        va_start(args, format);
        if (n >= 0 && (size_t) n < size)
                (void) vsnprintf(text + n, size - (size_t) n, format, args);
        va_end(args);
        return p->error = -EBADMSG;
}

#define fault(p, ...) fault_at((p), (p)->text->file, (p)->line, __VA_ARGS__)

/* ---- sections ---- */

static int open_main(Parser *p) {
        if (p->main_line > 0)
                return fault(p, "[" MAIN_SECTION "] stands already in line %u; put all its keys there", p->main_line);
        p->main_line = p->line;
        p->section = SECTION_MAIN;
        return 0;
}

static const Policy *find_section(const Settings *s, const char *name) {
        for (size_t i = 0; i < s->n_policies; i++)
                if (streq(s->policies[i].name, name))
                        return &s->policies[i];
        return NULL;
}

static int add_policy(Parser *p, const char *name) {
        Settings *s = p->settings;
        _cleanup_free_ char *copy = strdup(name), *file = strdup(p->text->file);
        if (!copy || !file || ARRAY_RESERVE(s->policies, p->policies_allocated, s->n_policies + 1) < 0 ||
            ARRAY_RESERVE(p->given, p->given_allocated, s->n_policies + 1) < 0)
                return p->error = -ENOMEM;

        p->given[s->n_policies] = 0;
        s->policies[s->n_policies++] = (Policy){.name = TAKE_PTR(copy), .file = TAKE_PTR(file), .line = p->line};
        p->section = SECTION_POLICY;
        return 0;
}

static int open_policy(Parser *p, const char *name) {
        const Policy *twin = find_section(p->settings, name);
        if (twin)
                return fault(p, "[%.100s] stands already at %.150s:%u; keep one of the two", name, twin->file,
                             twin->line);
        if (p->settings->n_policies >= POLICIES_MAX)
                return fault(p, "this is section %u; at most %u are taken, use globs", POLICIES_MAX + 1, POLICIES_MAX);
        return add_policy(p, name);
}

/* ---- keys ---- */

static int unknown_key(Parser *p, const char *name) {
        const char *guess = key_row_guess(name);
        if (guess)
                return fault(p, "unknown key '%.100s'; did you mean '%s'?", name, guess);
        return fault(p, "unknown key '%.100s'; placerd.conf(5) lists those there are", name);
}

static int bad_value(Parser *p, const KeyRow *row, const char *value, int error) {
        if (error == -ENOMEM)
                return p->error = error;
        return fault(p, "%s=%.100s is not accepted; expected %s", row->key.name, value, row->key.expects);
}

static int take_main_value(Parser *p, const KeyRow *row, size_t i, const char *value) {
        MainValue *main = &p->main[i];
        if (!row->key.in_main)
                return fault(p, "%s= belongs into a unit's section, not into [" MAIN_SECTION "]", row->key.name);
        if (main->text)
                return fault(p, "%s= stands already at %.150s:%u; keep one of the two", row->key.name, main->file,
                             main->line);

        Settings *s = p->settings;
        int r = row->take(row, value, row->key.in_policy ? (void *) &s->defaults : s);
        if (r < 0)
                return bad_value(p, row, value, r);
        *main = (MainValue){.text = strdup(value), .file = p->text->file, .line = p->line};
        return main->text ? 0 : (p->error = -ENOMEM);
}

static int take_policy_value(Parser *p, const KeyRow *row, size_t i, const char *value) {
        size_t last = p->settings->n_policies - 1;
        Policy *policy = &p->settings->policies[last];
        uint64_t bit = UINT64_C(1) << i;
        if (!row->key.in_policy)
                return fault(p, "%s= belongs into [" MAIN_SECTION "], it is not for one unit", row->key.name);
        if ((p->given[last] & bit) && !row->repeatable)
                return fault(p, "%s= stands already in this section; keep one of the two", row->key.name);

        int r = row->take(row, value, policy);
        if (r < 0)
                return bad_value(p, row, value, r);
        p->given[last] |= bit;
        const char *wrong = row->repeatable ? pattern_fault(value) : NULL;
        return wrong ? fault(p, "%s=%.100s %s", row->key.name, value, wrong) : 0;
}

/* inih's handler: 1 goes on, 0 stops. Its idea of the section is not asked for: see above. */
static int handle_value(void *userdata, const char *section, const char *name, const char *value) {
        Parser *p = userdata;
        size_t i;
        const KeyRow *row = key_row_find(name, &i);
        if (!row)
                return unknown_key(p, name) == 0;
        switch (p->section) {
        case SECTION_MAIN:
                return take_main_value(p, row, i, value) == 0;
        case SECTION_POLICY:
                return take_policy_value(p, row, i, value) == 0;
        case SECTION_NONE:
                break;
        }
        return fault(p, "%s= stands before any section; put [" MAIN_SECTION "] or a unit's [NAME] above it", name) == 0;
}

/* ---- lines ---- */

/* Deals with all of a line that is not for inih; what is left goes into p->rest. */
static int take_line(Parser *p, const char *text, size_t len) {
        Line line;
        const char *wrong = line_read(text, len, &line);
        if (wrong)
                return fault(p, "%s", wrong);

        p->rest = "\n";
        p->rest_len = 1;
        switch (line.kind) {
        case LINE_EMPTY:
                break;
        case LINE_HEADER:
                return streq(line.name, MAIN_SECTION) ? open_main(p) : open_policy(p, line.name);
        case LINE_ASSIGNMENT:
                p->rest = text;
                p->rest_len = len;
                break;
        }
        return 0;
}

static bool next_line(Parser *p) {
        const char *line = p->text->text + p->offset;
        size_t left = p->text->len - p->offset;
        if (p->error || left == 0)
                return false;

        const char *newline = memchr(line, '\n', left);
        size_t len = newline ? (size_t) (newline - line) + 1 : left;
        p->offset += len;
        p->line++;
        if (p->line == 1 && len >= 3 && memcmp(line, "\xef\xbb\xbf", 3) == 0) { /* byte order mark */
                line += 3;
                len -= 3;
        }
        return take_line(p, line, len) >= 0;
}

/* As fgets(): a line, or the part of it that fits. */
static char *read_line(char *buf, int size, void *userdata) {
        Parser *p = userdata;
        if (size < 2 || (p->rest_len == 0 && !next_line(p)))
                return NULL;
        size_t n = MIN(p->rest_len, (size_t) size - 1);
        memcpy(buf, p->rest, n);
        buf[n] = '\0';
        p->rest += n;
        p->rest_len -= n;
        return buf;
}

static int parse_text(Parser *p, const SettingsText *text) {
        p->text = text;
        p->offset = p->rest_len = 0;
        p->line = p->main_line = 0;
        p->section = SECTION_NONE;

        int r = ini_parse_stream(read_line, p, handle_value, p);
        if (p->error)
                return p->error;
        if (r == -2)
                return p->error = -ENOMEM;
        return r != 0 ? fault(p, "expected KEY=VALUE") : 0;
}

/* Lines as long as they are, each one line whatever it starts with, and nothing behind a value cut off. These are
 * variables of the library as Debian builds it (meson looks for them). */
static void set_up_inih(void) {
        ini_use_stack = false;
        ini_allow_realloc = true;
        ini_max_line = LINE_SIZE_MAX;
        ini_allow_multiline = false;
        ini_allow_inline_comments = false;
        ini_allow_no_value = false;
        ini_stop_on_first_error = true;
}

/* ---- when all is read ---- */

static int inherit(Parser *p, Policy *policy, uint64_t given) {
        const KeyRow *row;
        for (size_t i = 0; (row = key_row(i)); i++) {
                if (!row->key.in_policy || row->repeatable || (given & (UINT64_C(1) << i)))
                        continue;
                const char *text = p->main[i].text ? p->main[i].text : row->key.default_text;
                int r = row->take(row, text, policy);
                assert(r >= 0 || r == -ENOMEM); /* it was taken before */
                if (r < 0)
                        return p->error = r;
        }
        return 0;
}

/* A section without match= is for the unit that it is named after. */
static int check_name(Parser *p, const Policy *policy) {
        const char *wrong = policy->n_matches == 0 ? pattern_fault(policy->name) : NULL;
        if (!wrong)
                return 0;
        return fault_at(p, policy->file, policy->line, "[%.100s] %s%s", policy->name, wrong,
                        strpbrk(policy->name, "./@*") ? "" : ", or a match= in this section");
}

static int check_owner(Parser *p, const Policy *policy, const char *pattern) {
        if (policy->mode != MODE_ACT || !pattern_is_container(pattern))
                return 0;
        return fault_at(p, policy->file, policy->line,
                        "%.100s belongs to a container manager, which placerd never works against; mode=observe or "
                        "mode=advise is possible here",
                        pattern);
}

static int check_keys(Parser *p, const Policy *policy) {
        if (policy->metric_name && !policy->metric_file)
                return fault_at(p, policy->file, policy->line, "[%.100s] has metric-name= but no metric-file=; add it",
                                policy->name);
        if (policy->pin == PIN_CPUS && cpuset_count(policy->pin_cpus) < policy->min_cpus)
                return fault_at(p, policy->file, policy->line,
                                "[%.100s] pins to %u CPUs, but min-cpus=%u; change one of the two", policy->name,
                                cpuset_count(policy->pin_cpus), policy->min_cpus);
        return 0;
}

static int check_policy(Parser *p, const Policy *policy) {
        int r = check_name(p, policy);
        if (r >= 0 && policy->n_matches == 0)
                r = check_owner(p, policy, policy->name);
        for (size_t i = 0; r >= 0 && i < policy->n_matches; i++)
                r = check_owner(p, policy, policy->matches[i]);
        return r < 0 ? r : check_keys(p, policy);
}

static int finish(Parser *p) {
        Settings *s = p->settings;
        assert(s->n_policies == 0 || p->given);

        int r = 0;
        for (size_t i = 0; r >= 0 && i < s->n_policies; i++) {
                r = inherit(p, &s->policies[i], p->given[i]);
                if (r >= 0)
                        r = check_policy(p, &s->policies[i]);
        }
        return r;
}

int settings_new_default(Settings **ret) {
        _cleanup_settings_ Settings *s = calloc(1, sizeof(Settings));
        const KeyRow *row;
        if (!s)
                return -ENOMEM;
        for (size_t i = 0; (row = key_row(i)); i++) {
                if (row->repeatable)
                        continue;
                int r = row->take(row, row->key.default_text, row->key.in_policy ? (void *) &s->defaults : s);
                assert(r >= 0 || r == -ENOMEM);
                if (r < 0)
                        return r;
        }
        *ret = TAKE_PTR(s);
        return 0;
}

int settings_parse(const SettingsText *texts, size_t n, Settings **ret, SettingsError *ret_error) {
        _cleanup_(parser_done) Parser p = {.ret_error = ret_error};
        int r = settings_new_default(&p.settings);
        if (r < 0)
                return r;

        set_up_inih();
        for (size_t i = 0; i < n; i++) {
                r = parse_text(&p, &texts[i]);
                if (r < 0)
                        return r;
        }
        r = finish(&p);
        if (r < 0)
                return r;
        *ret = TAKE_PTR(p.settings);
        return 0;
}
