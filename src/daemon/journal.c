/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The sink that writes to the journal. The fields are an interface (design section 7): scripts select by
 * PLACERD_TARGET= and MESSAGE_ID=, people read MESSAGE=. A field whose value is absent is left out.
 *
 * The pipeline tells every verdict of every tick; what is news is found here. Only targets that were last written with
 * a complaint are remembered, sorted by path: on a machine without trouble that list is empty, whatever its size. One
 * that was not seen for a while is gone and is forgotten. */

#include "daemon/journal.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/strbuf.h"
#include "daemon/message-ids.h"
#include "io/log.h"
#include "report/report.h"

#define FIELDS_MAX 10

/* Ticks after which a target that no longer shows up is forgotten. */
#define FORGET_TICKS 60

/* More complaints than this are not remembered apart: the journal would be no help any more. */
#define ENTRIES_MAX 4096

typedef struct Entry {
        char *path;
        const VerdictKind *kind;
        uint64_t seen_tick;
} Entry;

struct Journal {
        Entry *entries; /* by path */
        size_t n_entries, allocated;
        uint64_t swept_tick;
};

int journal_new(Journal **ret) {
        Journal *j = calloc(1, sizeof(Journal));
        if (!j)
                return -ENOMEM;
        *ret = j;
        return 0;
}

Journal *journal_free(Journal *j) {
        if (!j)
                return NULL;
        for (size_t i = 0; i < j->n_entries; i++)
                free(j->entries[i].path);
        free(j->entries);
        free(j);
        return NULL;
}

typedef struct Fields {
        char *text[FIELDS_MAX];
        size_t n;
} Fields;

static void fields_done(Fields *f) {
        for (size_t i = 0; i < f->n; i++)
                free(f->text[i]);
}

static void fields_add(Fields *f, const char *name, const char *value) {
        if (!value || f->n >= FIELDS_MAX)
                return;
        /* Short of memory, the entry goes out without this field. */
        if (asprintf(&f->text[f->n], "%s=%s", name, value) >= 0)
                f->n++;
}

static void fields_add_view(Fields *f, const char *message_id, const TargetView *v) {
        fields_add(f, "MESSAGE_ID", message_id);
        fields_add(f, "PLACERD_TARGET", v->path);
        fields_add(f, "PLACERD_UNIT", v->unit);

        const char *verdict = v->change && v->change->verdict ? v->change->verdict
                              : v->verdict                    ? v->verdict->kind->name
                                                              : NULL;
        fields_add(f, "PLACERD_VERDICT", verdict);
        if (!v->change)
                return;
        fields_add(f, "PLACERD_ARM", arm_name(v->change->arm));
        /* "unset" is the word for no value at all, since a field can't be null. */
        fields_add(f, "PLACERD_FROM", v->change->from ? v->change->from : "unset");
        fields_add(f, "PLACERD_TO", v->change->to);
}

static void write_entry(int level, const char *message, const Fields *f) {
        log_entry(level, message ? message : "(out of memory)", (const char *const *) f->text, f->n);
}

static size_t entries_find(const Journal *j, const char *path, bool *ret_found) {
        size_t low = 0, high = j->n_entries;

        while (low < high) {
                size_t middle = low + (high - low) / 2;
                int c = strcmp(j->entries[middle].path, path);
                if (c == 0) {
                        *ret_found = true;
                        return middle;
                }
                if (c < 0)
                        low = middle + 1;
                else
                        high = middle;
        }
        *ret_found = false;
        return low;
}

static void entries_remove(Journal *j, size_t i) {
        free(j->entries[i].path);
        memmove(j->entries + i, j->entries + i + 1, (--j->n_entries - i) * sizeof(Entry));
}

static int entries_insert(Journal *j, size_t i, const Entry *entry) {
        if (j->n_entries >= ENTRIES_MAX)
                return -ENOSPC;
        int r = ARRAY_RESERVE(j->entries, j->allocated, j->n_entries + 1);
        if (r < 0)
                return r;
        memmove(j->entries + i + 1, j->entries + i, (j->n_entries++ - i) * sizeof(Entry));
        j->entries[i] = *entry;
        return 0;
}

static void entries_sweep(Journal *j, uint64_t tick) {
        if (tick < j->swept_tick + FORGET_TICKS)
                return;
        j->swept_tick = tick;
        for (size_t i = j->n_entries; i-- > 0;)
                if (j->entries[i].seen_tick + FORGET_TICKS <= tick)
                        entries_remove(j, i);
}

/* True where this verdict is news. */
static bool entries_note(Journal *j, uint64_t tick, const TargetView *v) {
        const Verdict *verdict = v->verdict;
        bool quiet = verdict->kind->remedies[0] == ARM_NONE &&
                     (streq(verdict->kind->name, "healthy") || streq(verdict->kind->name, "unknown"));
        bool found;
        size_t i = entries_find(j, v->path, &found);

        if (found)
                j->entries[i].seen_tick = tick;
        if (!verdict->confirmed || (found ? j->entries[i].kind == verdict->kind : quiet))
                return false;
        if (found && quiet)
                entries_remove(j, i);
        else if (found)
                j->entries[i].kind = verdict->kind;
        else {
                Entry fresh = {.path = strdup(v->path), .kind = verdict->kind, .seen_tick = tick};
                if (!fresh.path || entries_insert(j, i, &fresh) < 0) {
                        /* Not remembered is not written: else it would be written each tick. */
                        free(fresh.path);
                        return false;
                }
        }
        return true;
}

void journal_verdict(Journal *j, uint64_t tick, const TargetView *v) {
        _cleanup_(fields_done) Fields f = {};
        StrBuf b = {};

        entries_sweep(j, tick);
        if (!v->verdict || !entries_note(j, tick, v))
                return;

        fields_add(&f, "MESSAGE_ID", MESSAGE_ID_VERDICT);
        fields_add(&f, "PLACERD_TARGET", v->path);
        fields_add(&f, "PLACERD_UNIT", v->unit);
        fields_add(&f, "PLACERD_VERDICT", v->verdict->kind->name);
        strbuf_printf(&b, "%s: %s: %s", v->unit ? v->unit : v->path, v->verdict->kind->name, v->verdict->text);
        _cleanup_free_ char *message = strbuf_take(&b);
        write_entry(LOG_INFO, message, &f);
}

void journal_change(const TargetView *v) {
        _cleanup_(fields_done) Fields f = {};

        fields_add_view(&f, MESSAGE_ID_CHANGE, v);
        _cleanup_free_ char *message = report_change_text(v);
        write_entry(LOG_NOTICE, message, &f);
}

void journal_outcome(const TargetView *v) {
        _cleanup_(fields_done) Fields f = {};
        OutcomeKind kind = v->outcome ? v->outcome->kind : OUTCOME_NONE;

        fields_add_view(&f, MESSAGE_ID_OUTCOME, v);
        fields_add(&f, "PLACERD_OUTCOME", outcome_name(kind));
        _cleanup_free_ char *message = report_outcome_text(v);
        write_entry(kind == OUTCOME_WORSE ? LOG_WARNING : LOG_NOTICE, message, &f);
}

void journal_undo(const TargetView *v, const char *why) {
        _cleanup_(fields_done) Fields f = {};
        StrBuf b = {};
        const Change *c = v->change;

        fields_add_view(&f, MESSAGE_ID_UNDO, v);
        strbuf_printf(&b, "%s: ", v->unit ? v->unit : v->path);
        if (c)
                strbuf_printf(&b, "%s=%s undone, it is %s again: %s", arm_setting(c->arm, c->unit), c->to,
                              c->from ? c->from : "unset", why);
        else
                strbuf_printf(&b, "the change was undone: %s", why);
        if (c && c->residue)
                strbuf_printf(&b, "; left behind: %s", c->residue);
        _cleanup_free_ char *message = strbuf_take(&b);
        write_entry(LOG_NOTICE, message, &f);
}

/* "Paused by uid 0: ...; 1 trial was broken off and undone". */
static char *pause_text(bool paused, uid_t uid, unsigned n_broken_off) {
        StrBuf b = {};

        strbuf_printf(&b, paused ? "Paused" : "Resumed");
        if (uid != JOURNAL_UID_UNKNOWN)
                strbuf_printf(&b, " by uid %u", (unsigned) uid);
        if (paused)
                strbuf_printf(&b, ": nothing is changed or tried until 'placerctl resume'");
        if (n_broken_off > 0)
                strbuf_printf(&b, "; %u trial%s broken off and undone", n_broken_off,
                              n_broken_off == 1 ? " was" : "s were");
        return strbuf_take(&b);
}

void journal_paused(bool paused, uid_t uid, unsigned n_broken_off) {
        _cleanup_(fields_done) Fields f = {};
        char number[sizeof("4294967295")];

        fields_add(&f, "MESSAGE_ID", paused ? MESSAGE_ID_PAUSED : MESSAGE_ID_RESUMED);
        (void) snprintf(number, sizeof(number), "%u", (unsigned) uid);
        fields_add(&f, "PLACERD_ASKED_BY_UID", uid != JOURNAL_UID_UNKNOWN ? number : NULL);
        _cleanup_free_ char *message = pause_text(paused, uid, n_broken_off);
        write_entry(LOG_NOTICE, message, &f);
}

void journal_note(int level, const char *message_id, const char *format, ...) {
        _cleanup_(fields_done) Fields f = {};
        char message[1024];
        va_list ap;

        va_start(ap, format);
        (void) vsnprintf(message, sizeof(message), format, ap);
        va_end(ap);

        fields_add(&f, "MESSAGE_ID", message_id);
        write_entry(level, message, &f);
}
