/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A small table of entries and a ring of recent changes. Both are linear: a machine has a handful of targets that were
 * ever changed. */

#include "decide/memory.h"

#include <errno.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/cleanup.h"

typedef struct Entry {
        char *key;
        unsigned failures[_ARM_MAX];
        usec_t until_usec[_ARM_MAX];
        usec_t used_usec;
} Entry;

typedef struct Changed {
        char *key;
        usec_t when_usec;
} Changed;

struct Memory {
        Entry *entries;
        size_t n_entries, allocated_entries;
        Changed *changes; /* oldest first, none older than an hour */
        size_t n_changes, allocated_changes;
};

Memory *memory_new(void) {
        return calloc(1, sizeof(Memory));
}

Memory *memory_free(Memory *m) {
        if (!m)
                return NULL;
        for (size_t i = 0; i < m->n_entries; i++)
                free(m->entries[i].key);
        for (size_t i = 0; i < m->n_changes; i++)
                free(m->changes[i].key);
        free(m->entries);
        free(m->changes);
        free(m);
        return NULL;
}

char *memory_key(const char *unit_or_path) {
        const char *at = strchr(unit_or_path, '@'), *dot = strrchr(unit_or_path, '.');
        char *key = strdup(unit_or_path);
        if (key && at && dot && dot > at && !strchr(unit_or_path, '/'))
                memmove(key + (at - unit_or_path) + 1, dot, strlen(dot) + 1);
        return key;
}

static Entry *entry_find(const Memory *m, const char *key) {
        for (size_t i = 0; i < m->n_entries; i++)
                if (streq(m->entries[i].key, key))
                        return &m->entries[i];
        return NULL;
}

static void forget_oldest(Memory *m) {
        size_t oldest = 0;
        for (size_t i = 1; i < m->n_entries; i++)
                if (m->entries[i].used_usec < m->entries[oldest].used_usec)
                        oldest = i;
        free(m->entries[oldest].key);
        m->entries[oldest] = m->entries[--m->n_entries];
}

static int entry_get(Memory *m, const char *key, usec_t now_usec, Entry **ret) {
        Entry *e = entry_find(m, key);
        if (!e) {
                if (m->n_entries >= MEMORY_ENTRIES_MAX)
                        forget_oldest(m);
                int r = ARRAY_RESERVE(m->entries, m->allocated_entries, m->n_entries + 1);
                if (r < 0)
                        return r;
                _cleanup_free_ char *copy = strdup(key);
                if (!copy)
                        return -ENOMEM;
                e = &m->entries[m->n_entries++];
                *e = (Entry){.key = TAKE_PTR(copy)};
        }
        e->used_usec = now_usec;
        *ret = e;
        return 0;
}

int memory_failed(Memory *m, const char *key, Arm arm, usec_t now_usec) {
        Entry *e;
        int r = entry_get(m, key, now_usec, &e);
        if (r < 0)
                return r;
        usec_t wait = BACKOFF_MIN_USEC;
        for (unsigned i = 0; i < e->failures[arm] && wait < BACKOFF_MAX_USEC; i++)
                wait *= 2;
        e->failures[arm]++;
        e->until_usec[arm] = now_usec + MIN(wait, BACKOFF_MAX_USEC);
        return 0;
}

void memory_helped(Memory *m, const char *key, Arm arm) {
        Entry *e = entry_find(m, key);
        if (!e)
                return;
        e->failures[arm] = 0;
        e->until_usec[arm] = 0;
}

int memory_hold(Memory *m, const char *key, Arm arm, usec_t until_usec) {
        Entry *e;
        int r = entry_get(m, key, until_usec, &e);
        if (r < 0)
                return r;
        e->until_usec[arm] = MAX(e->until_usec[arm], until_usec);
        return 0;
}

usec_t memory_held_until(const Memory *m, const char *key, Arm arm, usec_t now_usec) {
        const Entry *e = entry_find(m, key);
        return e && e->until_usec[arm] > now_usec ? e->until_usec[arm] : 0;
}

static void forget_older_than_an_hour(Memory *m, usec_t now_usec) {
        size_t n = 0;
        while (n < m->n_changes && m->changes[n].when_usec + USEC_PER_HOUR <= now_usec)
                free(m->changes[n++].key);
        if (n == 0)
                return;
        memmove(m->changes, m->changes + n, (m->n_changes - n) * sizeof(*m->changes));
        m->n_changes -= n;
}

int memory_changed(Memory *m, const char *key, usec_t now_usec) {
        forget_older_than_an_hour(m, now_usec);
        int r = ARRAY_RESERVE(m->changes, m->allocated_changes, m->n_changes + 1);
        if (r < 0)
                return r;
        _cleanup_free_ char *copy = strdup(key);
        if (!copy)
                return -ENOMEM;
        m->changes[m->n_changes++] = (Changed){.key = TAKE_PTR(copy), .when_usec = now_usec};
        return 0;
}

/* When so many of the last hour's changes (of one key, or all where key is NULL) are old enough that `more` fit. */
static usec_t room_at(const Memory *m, const char *key, unsigned more, unsigned limit, usec_t now_usec) {
        unsigned n = 0;
        for (size_t i = m->n_changes; i-- > 0;) {
                const Changed *c = &m->changes[i];
                if (c->when_usec + USEC_PER_HOUR <= now_usec || (key && !streq(c->key, key)))
                        continue;
                if (++n + more > limit)
                        return c->when_usec + USEC_PER_HOUR;
        }
        return more > limit ? USEC_INFINITY : 0;
}

usec_t memory_next_change(const Memory *m, const char *key, unsigned more, unsigned per_hour, usec_t now_usec) {
        return MAX(room_at(m, key, more, per_hour, now_usec),
                   room_at(m, NULL, more, per_hour * CHANGES_ALL_FACTOR, now_usec));
}
