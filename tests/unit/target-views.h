/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* A made-up target for the tests of report/: the churning service of design section 7, before and after a pin. The
 * tests change what they ask about. */

#include "model/target-view.h"

/* They are edited by tests, so none is const; the strings are never freed. */
typedef struct MadeUp {
        VerdictKind kind, other;
        Verdict verdict;
        Policy policy;
        Plan plan;
        Change change;
        Outcome outcome;
        Refusal refusal;
        TargetView view;
} MadeUp;

#define TEXT(s) ((char *) (uintptr_t) (s))

static inline void made_up_init(MadeUp *m) {
        *m = (MadeUp){
                .kind = {.name = "churn", .remedies = {ARM_PIN}},
                .other = {.name = "saturated"},
                .verdict = {.since_tick = 2, .confirmed = true, .text = "its threads are dragged from CPU to CPU"},
                .policy = {.name = TEXT("svc.service"),
                           .file = TEXT("/etc/placerd.conf"),
                           .line = 12,
                           .mode = MODE_ACT},
                .plan = {.arm = ARM_PIN,
                         .target = TEXT("/system.slice/svc.service"),
                         .unit = TEXT("svc.service"),
                         .reason = TEXT("one L3 domain has room for 3.44 CPUs")},
                .change = {.arm = ARM_PIN,
                           .target = TEXT("/system.slice/svc.service"),
                           .unit = TEXT("svc.service"),
                           .to = TEXT("0-3"),
                           .verdict = TEXT("churn"),
                           .applied_usec = 10 * USEC_PER_SEC,
                           .reason = TEXT("one L3 domain has room for 3.44 CPUs")},
                .outcome = {.kind = OUTCOME_KEPT,
                            .n_gains = 1,
                            .gains = {{.quantity = QUANTITY_MIGRATIONS_PER_SWITCH,
                                       .known = true,
                                       .before = 0.153,
                                       .after = 0.011,
                                       .shift = -0.928,
                                       .noise = 0.08,
                                       .bound = 0.5,
                                       .p = 0.0048,
                                       .passed = true}},
                            .text = "migrations fell to a fourteenth"},
                .refusal = {.refused = true, .text = "the unit is younger than min-age"},
        };

        Signals *s = &m->verdict.evidence;
        signals_set(s, SIGNAL_USAGE, 3440);
        signals_set(s, SIGNAL_DEMAND, 4900);
        signals_set(s, SIGNAL_WAIT_PER_SLICE, 774 * SIGNAL_SCALE);
        signals_set(s, SIGNAL_OUTSIDE_WAIT, 48 * SIGNAL_SCALE);
        signals_set(s, SIGNAL_OUTSIDE_FACTOR, 16125);
        signals_set(s, SIGNAL_OUTSIDE_GROUPS, 5 * SIGNAL_SCALE);
        signals_set(s, SIGNAL_WAIT_SHARE, 290);
        signals_set(s, SIGNAL_MIGRATIONS_PER_SWITCH, 153);
        signals_set(s, SIGNAL_MIGRATIONS_PER_CPU_SECOND, 81800);
        signals_set(s, SIGNAL_IDLE, 400);

        m->verdict.kind = &m->kind;
        m->view = (TargetView){
                .path = "/system.slice/svc.service",
                .unit = "svc.service",
                .tick = 14,
                .now_usec = 100 * USEC_PER_SEC,
                .policy = &m->policy,
                .verdict = &m->verdict,
                .phase = "watching",
        };
}
