/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* A change that decide/ wants and act/ may make, and what became of it. */

#include "base/cpuset.h"
#include "base/usec.h"
#include "model/verdict.h"

typedef struct Plan {
        Arm arm;
        char *target;    /* cgroup path */
        char *unit;      /* systemd unit that has exactly this cgroup; NULL: systemd does not own it */
        Cpuset *cpus;    /* for ARM_PIN */
        uint64_t weight; /* for ARM_WEIGHT: 1 to 10000; of a ramp, this step's */
        char *reason;    /* one sentence: why this one */
} Plan;

void plan_done(Plan *p);
#define _cleanup_plan_ _cleanup_(plan_done)

/* What the arm sets: systemd's property ("AllowedCPUs", "CPUWeight"), and the cgroup's file behind it ("cpuset.cpus",
 * "cpu.weight"). */
const char *arm_property(Arm arm);
const char *arm_file(Arm arm);
/* The name under which people know what is set at this target: the property of a unit, the file of any other cgroup. */
const char *arm_setting(Arm arm, const char *unit);
/* The new value as systemctl set-property takes it: "0-3", "200". Newly allocated. */
char *plan_value(const Plan *p);

/* Why nothing is changed, and until when (0: until something else changes). */
typedef struct Refusal {
        bool refused;
        usec_t until_usec;
        char text[256];
} Refusal;

void refusal_set(Refusal *r, usec_t until_usec, const char *format, ...) _printf_(3, 4);

typedef struct ThreadMask {
        pid_t pid, tid;
        uint64_t start_ticks;
        Cpuset *cpus;
} ThreadMask;

/* One change as it stands in the ledger: everything that undoing it needs. */
typedef struct Change {
        uint64_t serial; /* unique in the ledger */
        Arm arm;
        char *target, *unit;
        uint64_t cgroup_id;
        char *invocation;     /* InvocationID of the unit when it was changed, hex; NULL unknown */
        char *from;           /* property (or, where there is no unit, the file) before, NULL: unset */
        char *former;         /* of a ramp, our value before this one, which counts as ours too; NULL: none */
        char *to;             /* what we set */
        char *file_from;      /* the cgroup's file before; NULL: no such file, "" : empty */
        char *effective_from; /* cpuset.cpus.effective (or what stood for it) before */
        bool drop_in_existed, drop_in_dir_existed;
        bool drop_in_place_existed; /* /run/systemd/system.control, before any of our changes */
        ThreadMask *masks;          /* affinities before, of the target's threads and, before 6.2, of its siblings' */
        size_t n_masks;
        bool kept;           /* its trial ended well */
        usec_t applied_usec; /* CLOCK_MONOTONIC */
        char *verdict;       /* name of the verdict that it treats */
        char *reason;
        char *residue; /* what undoing could not put back; NULL nothing */
} Change;

void change_done(Change *c);
void thread_masks_free(ThreadMask *masks, size_t n);
