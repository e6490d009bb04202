/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Whom did it harm? Each is measured by what a change of ours could take from it:
 *
 *   the target             falls in its progress (never its own wait: a pin may well raise that, and still help)
 *   who wants more CPUs    falls in usage; it may lose max-take, or max-harm where its policy asks for latency
 *   than there are
 *   who hardly ever sleeps the same: it has no wait for each sleep
 *   everybody else         rises in wait per voluntary switch, by max-harm and at least 200 us
 *   kernel threads         rise in wait, all together, by 0.1 CPU-seconds per second
 *
 * A shift counts when it exceeds the bound and the noise, and when the rank test says so. With many neighbours some
 * will shift by chance: Holm's correction. Neighbours whose threads were not read, because they are too quiet, have no
 * measure and are not judged; PSI is none, since a hog's pressure falls when it loses CPUs. */

#include "verify/harm.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "verify/measure.h"
#include "verify/text.h"

#define WAIT_FLOOR_USEC 200.0
#define KERNEL_DELAY_RATE 0.1
/* Less than this of a CPU is nothing to take from anybody. */
#define USAGE_FLOOR_CPUS 0.05
/* Runs longer than 100 ms at a time. */
#define HOG_SWITCHES_PER_CPU_SECOND 10.0
/* Without threads there is no demand; who uses nearly all there is wants more. */
#define FULL_SHARE 0.9

#define EARLY_TICKS 3
#define EARLY_FACTOR 3
#define EARLY_NOISE_FACTOR 2

typedef struct Victim {
        const char *name;
        Measure measure;
        Direction direction; /* of harm */
        Window past, before, after;
        double relative, floor; /* bound: a share of before, but at least the floor */
} Victim;

static Measure quantity(Quantity q, const Policy *policy) {
        return (Measure){.kind = MEASURE_QUANTITY, .quantity = q, .policy = policy};
}

static Victim target_victim(const Trial *t) {
        Victim v = {
                .name = "itself",
                .measure = quantity(QUANTITY_PROGRESS, t->policy),
                .direction = DIRECTION_DOWN,
                .past = window_same_load(t->past, t->before),
                .before = t->before,
                .after = t->after,
                .relative = t->policy->max_harm_permille / 1000.0,
        };
        double ignored;

        if (!measure_value(&v.measure, t->before, &ignored) || !measure_value(&v.measure, t->after, &ignored))
                v.measure = quantity(QUANTITY_USAGE, NULL);
        return v;
}

/* Its threads that run or wait for a CPU (not for a quota), against the CPUs that it may use. */
static bool wants_more_than_there_is(Window w, bool *ret) {
        TickRecord sum = window_sum(w);
        double usage, allowed = w.records[w.n - 1].n_allowed;

        if (allowed == 0 || !quantity_value(QUANTITY_USAGE, NULL, w, &usage))
                return false;
        if (!counts_has(&sum.threads, THREAD_DELAY_NSEC)) {
                *ret = usage >= FULL_SHARE * allowed;
                return *ret; /* without threads, only this much can be said */
        }
        double waiting = (double) counts_get(&sum.threads, THREAD_DELAY_NSEC) / (double) NSEC_PER_USEC;
        if (sum.have_throttled)
                waiting = MAX(waiting - (double) sum.throttled_usec, 0.0);
        *ret = usage + waiting / (double) sum.dt_usec > allowed;
        return true;
}

static bool hardly_sleeps(Window w) {
        double usage, rate;
        return quantity_value(QUANTITY_USAGE, NULL, w, &usage) && quantity_value(QUANTITY_PROGRESS, NULL, w, &rate) &&
               usage >= USAGE_FLOOR_CPUS && rate < HOG_SWITCHES_PER_CPU_SECOND * usage;
}

/* False where there is nothing to judge it by. */
static bool neighbour_victim(const Trial *t, const Neighbour *n, Victim *ret) {
        Victim v = {.name = n->path, .past = n->before, .before = n->before, .after = n->after};
        const Policy *policy = n->policy ? n->policy : t->policy;
        bool full;

        if (n->before.n == 0 || n->after.n == 0)
                return false;
        if (n->kind == NEIGHBOUR_KERNEL) {
                v.name = "kernel threads";
                v.measure = (Measure){.kind = MEASURE_DELAY_RATE};
                v.direction = DIRECTION_UP;
                v.floor = KERNEL_DELAY_RATE;
        } else if (!wants_more_than_there_is(n->before, &full)) {
                return false;
        } else if (full || hardly_sleeps(n->before)) {
                bool latency = n->policy && n->policy->goal == GOAL_LATENCY;
                v.measure = quantity(QUANTITY_USAGE, NULL);
                v.direction = DIRECTION_DOWN;
                v.relative = (latency ? policy->max_harm_permille : policy->max_take_permille) / 1000.0;
                v.floor = USAGE_FLOOR_CPUS;
        } else {
                v.measure = (Measure){.kind = MEASURE_WAIT_PER_VOLUNTARY};
                v.direction = DIRECTION_UP;
                v.relative = policy->max_harm_permille / 1000.0;
                v.floor = WAIT_FLOOR_USEC;
        }
        *ret = v;
        return true;
}

static double bound(const Victim *v, double before) {
        return MAX(v->relative * before, v->floor);
}

/* "wait per voluntary switch 210 us -> 1,900 us (+805 %; noise 12 %, allowed 5 %)" */
static void describe(const Victim *v, double before, double after, double noise, char text[static 256]) {
        char from[TEXT_VALUE_MAX], to[TEXT_VALUE_MAX];

        text[0] = '\0';
        text_add(text, 256, "%s: %s %s -> %s (", v->name, text_measure(&v->measure),
                 text_value(&v->measure, before, from), text_value(&v->measure, after, to));
        if (before > 0)
                text_add(text, 256, "%+.0f %%; noise %.0f %%, ", (after / before - 1) * 100, noise / before * 100);
        if (before > 0 && bound(v, before) > v->floor)
                text_add(text, 256, "allowed %.0f %%)", v->relative * 100);
        else
                text_add(text, 256, "allowed %s)", text_value(&v->measure, bound(v, before), from));
}

/* Beyond bound and noise: then p is worth a look; else the hypothesis that nothing happened stands. */
static bool victim_shifted(const Victim *v, Shift *ret) {
        return measure_compare(&v->measure, v->direction, v->past, v->before, v->after, ret) &&
               ret->shift > bound(v, ret->before) && ret->shift > ret->noise;
}

static void harm_add(Harm *h, const Victim *v, const Shift *s) {
        text_add(h->who, sizeof(h->who), "%s%s", h->any ? ", " : "", v->name);
        if (!h->any)
                describe(v, s->before, s->after, s->noise, h->text);
        h->any = true;
}

static int harm_neighbours(const Trial *t, Harm *h) {
        _cleanup_free_ double *p = calloc(t->n_neighbours, sizeof(*p));
        _cleanup_free_ size_t *index = calloc(t->n_neighbours, sizeof(*index));
        _cleanup_free_ bool *rejected = calloc(t->n_neighbours, sizeof(*rejected));
        size_t n = 0;
        Victim v;
        Shift s;

        if (!p || !index || !rejected)
                return -ENOMEM;
        for (size_t i = 0; i < t->n_neighbours; i++) {
                if (!neighbour_victim(t, &t->neighbours[i], &v))
                        continue;
                index[n] = i;
                p[n++] = victim_shifted(&v, &s) ? s.p : 1;
        }

        /* 4 blocks against 6 reach 1/210 at best: in a crowd of more than ten, Holm's first step would ask for less,
         * and nobody could ever be harmed. Windows without any overlap must always count. */
        double attainable = (double) n * stats_mann_whitney_min(window_blocks(t->before), window_blocks(t->after));
        stats_holm(p, n, MAX(SIGNIFICANCE, attainable), rejected);
        for (size_t k = 0; k < n; k++) {
                if (!rejected[k] || !neighbour_victim(t, &t->neighbours[index[k]], &v) || !victim_shifted(&v, &s))
                        continue;
                h->neighbours[index[k]] = true;
                harm_add(h, &v, &s);
        }
        return 0;
}

void harm_done(Harm *h) {
        free(h->neighbours);
        *h = (Harm){};
}

int harm_find(const Trial *t, Harm *ret) {
        _cleanup_harm_ Harm h = {};
        Victim v = target_victim(t);
        Shift s;

        h.neighbours = calloc(t->n_neighbours + 1, sizeof(*h.neighbours));
        if (!h.neighbours)
                return -ENOMEM;
        if (victim_shifted(&v, &s) && s.p <= SIGNIFICANCE)
                harm_add(&h, &v, &s);
        if (t->n_neighbours > 0) {
                int r = harm_neighbours(t, &h);
                if (r < 0)
                        return r;
        }
        *ret = h;
        h = (Harm){};
        return 0;
}

/* How far a stretch of ticks lies in the direction of harm. */
static bool excursion(const Victim *v, Window w, double before, double *ret) {
        double value;
        if (!measure_value(&v->measure, w, &value))
                return false;
        *ret = v->direction == DIRECTION_UP ? value - before : before - value;
        return true;
}

/* 3 x the bound. Of a fall that is the bound three times over: 5 % leave 86 %, and 50 % leave 12.5 %, since no fall
 * reaches 150 %. */
static double early_bound(const Victim *v, double before) {
        if (v->direction == DIRECTION_UP)
                return EARLY_FACTOR * bound(v, before);
        return MAX(before * (1 - pow(1 - MIN(v->relative, 1.0), EARLY_FACTOR)), EARLY_FACTOR * v->floor);
}

/* The farthest that single ticks of the past lay off, either way. */
static double past_excursion(const Victim *v, double before) {
        double largest = 0, e;
        for (size_t i = 0; i < v->past.n; i++)
                if (excursion(v, (Window){v->past.records + i, 1}, before, &e))
                        largest = MAX(largest, fabs(e));
        return largest;
}

static bool victim_early(const Victim *v, char text[static 256]) {
        double before, after = 0, e;

        if (v->after.n < EARLY_TICKS || !measure_value(&v->measure, v->before, &before))
                return false;
        double limit = MAX(early_bound(v, before), EARLY_NOISE_FACTOR * past_excursion(v, before));
        for (size_t i = 0; i < EARLY_TICKS; i++) {
                Window tick = {v->after.records + v->after.n - 1 - i, 1};
                if (!excursion(v, tick, before, &e) || e <= limit)
                        return false;
        }
        (void) measure_value(&v->measure, window_last(v->after, EARLY_TICKS), &after);
        describe(v, before, after, past_excursion(v, before), text);
        return true;
}

bool judge_early_harm(const Trial *t, char ret_who[static 256]) {
        Victim v = target_victim(t);

        if (!t->ramping && victim_early(&v, ret_who))
                return true;
        for (size_t i = 0; i < t->n_neighbours; i++)
                if (neighbour_victim(t, &t->neighbours[i], &v) && victim_early(&v, ret_who))
                        return true;
        return false;
}
