/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Which cpu.weight: the smallest one that covers what a starving group wants. Pure arithmetic on demands. */

#include "model/fair-share.h"
#include "model/plan.h"
#include "model/settings.h"

/* Another target; it only counts where it runs on the same CPUs. */
typedef struct WeightRival {
        size_t cgroup;
        const char *name;     /* for people */
        const Policy *policy; /* NULL: no section */
        bool raised;          /* a weight of ours is in force there */
        bool usage_known;
        uint64_t usage_milli; /* CPUs * 1000 */
} WeightRival;

typedef struct WeightRequest {
        Competition competition; /* as it is: `raised` and `weight` are not looked at */
        size_t cgroup;
        const Policy *policy;               /* weight_max */
        uint64_t present;                   /* weight now, WEIGHT_DEFAULT where nobody gave it one */
        uint64_t demand_milli, usage_milli; /* CPUs * 1000 */
        bool have_quota;
        uint64_t quota_milli;
        unsigned writes; /* that the limits allow: the steps of a ramp, and the undoing */
        const WeightRival *rivals;
        size_t n_rivals;
} WeightRequest;

typedef struct WeightChoice {
        uint64_t weight;
        uint64_t due_milli; /* what it would be due then, CPUs * 1000 */
} WeightChoice;

/* The smallest weight by which the group is due 1.1 x its demand, at most weight-max, and no more than the writes allow
 * in steps of x2. Sets *ret_choice and clears *ret_refusal, or says in *ret_refusal why more weight is no remedy here.
 * -ENOMEM. */
int weight_choose(const WeightRequest *q, WeightChoice *ret_choice, Refusal *ret_refusal);

/* A ramp from `present` to `top` goes in steps of at most x2. */
uint64_t weight_step(uint64_t present, uint64_t top);
unsigned weight_steps(uint64_t present, uint64_t top);

/* Cgroups that get a weight for the first time when this one does: every child of each cgroup above it that does not
 * have the cpu controller on for its children. */
size_t weight_switches_on(const Snapshot *s, size_t cgroup);
