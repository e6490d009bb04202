/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Lays the windows of a trial out for verify/: the target's own ticks before and after the change, the same ticks of
 * its neighbours and of the kernel's threads, and the target's further past for the noise. */

#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "pipeline/state.h"
#include "verify/judge.h"
#include "verify/stats.h"

/* Who uses less than this before the change has nothing that could be taken away or measured. */
#define NEIGHBOUR_USAGE_MIN_MILLI 10

/* The copied windows of one trial; `records` owns what the windows point into. */
typedef struct Windows {
        TickRecord *records;
        size_t n_records, n_allocated;
        Neighbour *neighbours;
        size_t n_neighbours;
} Windows;

static void windows_done(Windows *w) {
        free(w->records);
        free(w->neighbours);
}

/* Copies the records of ticks first..last, oldest first. There is always room: see windows_new(). */
static Window copy_ticks(Windows *w, const History *h, uint64_t first, uint64_t last) {
        Window window = {.records = w->records + w->n_records};
        for (size_t age = h->n; age-- > 0;) {
                const TickRecord *r = history_at(h, age);
                if (r->tick >= first && r->tick <= last)
                        w->records[w->n_records + window.n++] = *r;
        }
        w->n_records += window.n;
        return window;
}

static int windows_new(const Pipeline *p, Windows *ret) {
        size_t longest = 0;
        for (size_t i = 0; i < p->targets.n; i++)
                longest = MAX(longest, p->targets.items[i]->history.n);
        longest = MAX(longest, p->kernel.n);

        /* past, before and after of each: the three together are at most twice the history. */
        Windows w = {.n_allocated = (p->targets.n + 1) * 2 * longest};
        w.records = calloc(MAX(w.n_allocated, (size_t) 1), sizeof(*w.records));
        w.neighbours = calloc(p->targets.n + 1, sizeof(*w.neighbours));
        if (!w.records || !w.neighbours) {
                windows_done(&w);
                return -ENOMEM;
        }
        *ret = w;
        return 0;
}

static uint64_t mean_usage_milli(Window w) {
        uint64_t usage = 0, dt = 0;
        for (size_t i = 0; i < w.n; i++) {
                usage += counts_get(&w.records[i].cgroup, CGROUP_USAGE_USEC);
                dt += w.records[i].dt_usec;
        }
        return dt ? usage * 1000 / dt : 0;
}

typedef struct Ticks {
        uint64_t before_first, before_last, after_first, after_last;
} Ticks;

static Ticks ticks_of(const Pipeline *p, const Target *t) {
        uint64_t applied = t->phase.applied_tick, reached = t->phase.reached_tick;
        return (Ticks){
                .before_first = applied - MIN(applied, (uint64_t) p->settings->before_ticks) + 1,
                .before_last = applied,
                .after_first = reached + p->settings->settle_ticks + 1,
                .after_last = p->tick,
        };
}

/* A neighbour that did next to nothing, or that was not there all the time, has nothing to compare. Our own daemon is
 * none: what it waits is nobody's loss. */
static void add_neighbour(Windows *w, const Target *t, const Ticks *k) {
        if (t->unit && streq(t->unit, "placerd.service"))
                return;
        Neighbour n = {
                .kind = NEIGHBOUR_GROUP,
                .path = t->path,
                .policy = t->policy->name ? t->policy : NULL,
                .before = copy_ticks(w, &t->history, k->before_first, k->before_last),
                .after = copy_ticks(w, &t->history, k->after_first, k->after_last),
        };
        if (n.before.n > 0 && n.after.n > 0 && mean_usage_milli(n.before) >= NEIGHBOUR_USAGE_MIN_MILLI)
                w->neighbours[w->n_neighbours++] = n;
}

static void add_kernel(Windows *w, const Pipeline *p, const Ticks *k) {
        Neighbour n = {
                .kind = NEIGHBOUR_KERNEL,
                .path = "kernel threads",
                .before = copy_ticks(w, &p->kernel, k->before_first, k->before_last),
                .after = copy_ticks(w, &p->kernel, k->after_first, k->after_last),
        };
        if (n.before.n > 0 && n.after.n > 0)
                w->neighbours[w->n_neighbours++] = n;
}

static int trial_lay_out(const Pipeline *p, const Target *t, Windows *w, Trial *ret) {
        int r = windows_new(p, w);
        if (r < 0)
                return r;
        const Ticks k = ticks_of(p, t);
        Trial trial = {
                .verdict = t->treats,
                .arm = t->plan.arm,
                .ramping = t->phase.phase == PHASE_RAMPING,
                .policy = t->policy,
                .past = copy_ticks(w, &t->history, 0, k.before_last),
                .before = copy_ticks(w, &t->history, k.before_first, k.before_last),
                .after = copy_ticks(w, &t->history, k.after_first, k.after_last),
        };
        for (size_t i = 0; i < p->targets.n; i++)
                if (p->targets.items[i] != t)
                        add_neighbour(w, p->targets.items[i], &k);
        add_kernel(w, p, &k);
        trial.neighbours = w->neighbours;
        trial.n_neighbours = w->n_neighbours;
        *ret = trial;
        return 0;
}

int trial_judge(Pipeline *p, Target *t, Outcome *ret) {
        _cleanup_(windows_done) Windows w = {};
        Trial trial;
        int r = trial_lay_out(p, t, &w, &trial);
        if (r >= 0)
                judge_trial(&trial, ret);
        return r;
}

int trial_early_harm(Pipeline *p, Target *t, char ret_who[static 256], bool *ret_harm) {
        _cleanup_(windows_done) Windows w = {};
        Trial trial;
        int r = trial_lay_out(p, t, &w, &trial);
        if (r >= 0)
                *ret_harm = judge_early_harm(&trial, ret_who);
        return r;
}

bool trial_median_usage(const Target *t, size_t ticks, uint64_t *ret_milli) {
        double usage[64];
        size_t n = 0;
        for (size_t age = 0; age < MIN(ticks, ELEMENTSOF(usage)); age++) {
                const TickRecord *r = history_at(&t->history, age);
                if (r && counts_has(&r->cgroup, CGROUP_USAGE_USEC) && r->dt_usec > 0)
                        usage[n++] = (double) counts_get(&r->cgroup, CGROUP_USAGE_USEC) * 1000 / (double) r->dt_usec;
        }
        if (n == 0)
                return false;
        *ret_milli = (uint64_t) stats_median(usage, n);
        return true;
}
