/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Each figure of each group is its mean times exp(x), x an AR(1) series with the wanted spread and lag-1 correlation:
 * steady, as a load is that a trial may judge, but noisy in the way of a shared host. Among the neighbours are the
 * kernel threads, services that answer requests, and batches that want more CPUs than there are. */

#include "trial-sim.h"

#include <math.h>

#define TICKS_MAX 1024
#define NEIGHBOURS_MAX 64
#define CPUS 8

typedef struct Rng {
        uint64_t state;
} Rng;

/* splitmix64 (Steele, Lea, Flood 2014). */
static double uniform(Rng *r) {
        uint64_t z = r->state += UINT64_C(0x9e3779b97f4a7c15);
        z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
        z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
        return ((double) ((z ^ (z >> 31)) >> 11) + 0.5) / 9007199254740992.0; /* 2^53 */
}

static double normal(Rng *r) {
        double u = uniform(r), v = uniform(r);
        return sqrt(-2 * log(u)) * cos(2 * M_PI * v);
}

typedef struct Series {
        double x, noise, correlation;
} Series;

static Series series_start(Rng *r, const SimLoad *load) {
        return (Series){normal(r) * load->noise, load->noise, load->correlation};
}

static double series_next(Series *s, Rng *r) {
        s->x = s->correlation * s->x + sqrt(1 - s->correlation * s->correlation) * s->noise * normal(r);
        return exp(s->x);
}

typedef enum SimKind { SIM_TARGET, SIM_SERVICE, SIM_BATCH, SIM_KERNEL } SimKind;

/* usage in CPUs, wait in CPUs, switches and migrations a second. */
static const struct {
        double usage, wait, voluntary, involuntary, migrations;
        unsigned threads;
} means[] = {
        [SIM_TARGET] = {3.4, 1.4, 40000, 2000, 6000, 40},
        [SIM_SERVICE] = {0.4, 0.1, 500, 20, 10, 8},
        [SIM_BATCH] = {3.5, 12, 4, 900, 40, 16},
        [SIM_KERNEL] = {0.05, 0.03, 400, 5, 20, 120},
};

static void fill(TickRecord *records, size_t n, size_t change, SimKind kind, const SimLoad *load, Rng *r) {
        Series usage = series_start(r, load), wait = series_start(r, load), switches = series_start(r, load),
               migrations = series_start(r, load);

        for (size_t i = 0; i < n; i++) {
                bool changed = kind == SIM_TARGET && i >= change;
                double run = means[kind].usage * series_next(&usage, r),
                       delay = means[kind].wait * series_next(&wait, r);
                double rate = series_next(&switches, r) * (changed ? load->progress : 1);
                double moved = rate * series_next(&migrations, r) * (changed ? load->migration : 1);
                TickRecord *t = &records[i];

                *t = (TickRecord){
                        .tick = i,
                        .dt_usec = USEC_PER_SEC,
                        .n_threads = means[kind].threads,
                        .have_throttled = true,
                        .n_allowed = CPUS,
                        .have_idle = true,
                        .idle_ticks = 300,
                        .total_ticks = 800,
                };
                counts_set(&t->cgroup, CGROUP_USAGE_USEC, (uint64_t) (run * 1e6));
                counts_set(&t->threads, THREAD_RUN_NSEC, (uint64_t) (run * 1e9));
                counts_set(&t->threads, THREAD_SEEN_RUN_NSEC, (uint64_t) (run * 1e9));
                counts_set(&t->threads, THREAD_DELAY_NSEC, (uint64_t) (delay * 1e9));
                counts_set(&t->threads, THREAD_SEEN_DELAY_NSEC, (uint64_t) (delay * 1e9));
                counts_set(&t->threads, THREAD_VOLUNTARY, (uint64_t) (means[kind].voluntary * rate));
                counts_set(&t->threads, THREAD_SWITCHES,
                           (uint64_t) ((means[kind].voluntary + means[kind].involuntary) * rate));
                counts_set(&t->threads, THREAD_MIGRATIONS, (uint64_t) (means[kind].migrations * moved));
        }
}

static bool early_harm(const Trial *whole) {
        char who[256];
        for (size_t n = 1; n <= whole->after.n; n++) {
                Neighbour partial[NEIGHBOURS_MAX];
                Trial t = *whole;
                t.after.n = n;
                for (size_t i = 0; i < t.n_neighbours; i++) {
                        partial[i] = whole->neighbours[i];
                        partial[i].after.n = n;
                }
                t.neighbours = partial;
                if (judge_early_harm(&t, who))
                        return true;
        }
        return false;
}

static void tally_add(SimTally *tally, const Trial *t) {
        Outcome o;
        char why[256];

        judge_trial(t, &o);
        tally->trials++;
        tally->kept += o.kind == OUTCOME_KEPT;
        tally->no_effect += o.kind == OUTCOME_NO_EFFECT;
        tally->worse += o.kind == OUTCOME_WORSE;
        tally->inconclusive += o.kind == OUTCOME_INCONCLUSIVE;
        tally->regime += !judge_regime(t, why);
        tally->early += early_harm(t);
}

static void sim_trial(const SimLoad *load, Rng *r, SimTally *tally) {
        static TickRecord target[TICKS_MAX], others[NEIGHBOURS_MAX][SIM_BEFORE + SIM_SETTLE + SIM_AFTER];
        static const VerdictKind churn = {
                .name = "churn",
                .gains = {{QUANTITY_MIGRATIONS_PER_SWITCH, GAIN_AT_MOST_HALF}, {QUANTITY_PROGRESS, GAIN_UP_BY_MIN}}};
        static const VerdictKind progress = {.name = "spread", .gains = {{QUANTITY_PROGRESS, GAIN_UP_BY_MIN}}};
        static const Policy policy = {.min_gain_permille = 200, .max_harm_permille = 50, .max_take_permille = 500};
        Neighbour neighbours[NEIGHBOURS_MAX];
        size_t total = load->past + SIM_SETTLE + SIM_AFTER;

        assert(load->past >= SIM_BEFORE && total <= TICKS_MAX && load->n_neighbours <= NEIGHBOURS_MAX);
        fill(target, total, load->past, SIM_TARGET, load, r);
        for (size_t i = 0; i < load->n_neighbours; i++) {
                SimKind kind = i == 0 ? SIM_KERNEL : i % 2 ? SIM_SERVICE : SIM_BATCH;
                fill(others[i], ELEMENTSOF(others[i]), SIZE_MAX, kind, load, r);
                neighbours[i] = (Neighbour){.kind = kind == SIM_KERNEL ? NEIGHBOUR_KERNEL : NEIGHBOUR_GROUP,
                                            .path = "/neighbour",
                                            .before = {others[i], SIM_BEFORE},
                                            .after = {others[i] + SIM_BEFORE + SIM_SETTLE, SIM_AFTER}};
        }

        Trial t = {
                .verdict = load->churn ? &churn : &progress,
                .arm = ARM_PIN,
                .policy = &policy,
                .past = {target, load->past},
                .before = {target + load->past - SIM_BEFORE, SIM_BEFORE},
                .after = {target + load->past + SIM_SETTLE, SIM_AFTER},
                .neighbours = neighbours,
                .n_neighbours = load->n_neighbours,
        };
        tally_add(tally, &t);
}

void sim_run(const SimLoad *load, unsigned trials, uint64_t seed, SimTally *ret) {
        Rng r = {seed};
        SimTally tally = {};

        for (unsigned i = 0; i < trials; i++)
                sim_trial(load, &r, &tally);
        *ret = tally;
}
