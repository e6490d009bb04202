/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The search behind pin_choose(): which of some domains of one level to take together. */

#include "model/topology.h"

/* A domain that may be taken. */
typedef struct Candidate {
        const Domain *domain;
        Cpuset *cpus; /* what of it is available, never empty */
        unsigned n_cpus;
        unsigned room_steps; /* what others leave of it, in ROOM_STEP_MILLI */
        bool taken;          /* another target of placerd has CPUs of it */
} Candidate;

/* Free room is compared in quarters of a CPU, so that noise in what others use does not turn the ranking over. */
#define ROOM_STEP_MILLI 250U

typedef struct UnionNeed {
        uint64_t n_cpus;     /* at least so many CPUs */
        uint64_t milli;      /* the need itself, CPUs * 1000, to be held against the free room */
        size_t max_domains;  /* never more */
        size_t max_for_room; /* up to so many where only the free room asks for one more */
} UnionNeed;

/* The best union of the candidates (of one level and core type, by lowest CPU): *ret is newly allocated, NULL where
 * none is large enough. -ENOMEM. */
int union_choose(const Candidate *candidates, size_t n, const UnionNeed *need, Cpuset **ret);
