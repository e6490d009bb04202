/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The machine as placement sees it: CPUs, and the domains inside which a group of threads is at home. */

#include "base/cpuset.h"

typedef enum DomainLevel {
        DOMAIN_LLC, /* CPUs that share the last-level cache, cut at node borders */
        DOMAIN_CLUSTER,
        DOMAIN_NODE,
        DOMAIN_PACKAGE,
        _DOMAIN_LEVEL_MAX,
} DomainLevel;

typedef struct Domain {
        DomainLevel level;
        Cpuset *cpus;  /* never empty, online CPUs only */
        int node;      /* NUMA node's OS number, -1 where the CPUs are in none, or in several */
        int package;   /* OS number, -1 where unknown, or in several */
        unsigned kind; /* index of its core type, KIND_MIXED where it has several */
} Domain;

#define KIND_MIXED UINT32_MAX

/* What a cpu.weight of W means for a group of which M threads want to run, on N CPUs: kernels up to 7.2 know only SMP,
 * 7.3 has a choice of five (cgroup_mode). The whole group weighs */
typedef enum CgroupMode {
        CGROUP_MODE_SMP,    /* W, divided over the CPUs */
        CGROUP_MODE_UP,     /* W on every CPU where it runs */
        CGROUP_MODE_CONCUR, /* W * min(M, N): 7.3's default */
        CGROUP_MODE_MAX,    /* W * N, wherever it runs */
        CGROUP_MODE_TASKS,  /* W * M */
        _CGROUP_MODE_MAX,
} CgroupMode;

typedef struct Node {
        unsigned id;
        Cpuset *cpus; /* may be empty (memory only) */
        uint64_t memory_bytes;
} Node;

typedef struct Topology {
        Cpuset *cpus;      /* online */
        Cpuset *isolated;  /* isolcpus= and isolated partitions; NULL where it could not be read */
        Cpuset *nohz_full; /* NULL where it could not be read */
        Domain *domains;   /* grouped by level, inside a level by lowest CPU; only levels that exist */
        size_t n_domains;
        Node *nodes;
        size_t n_nodes;
        Cpuset **kinds; /* CPUs of each core type (P and E cores), most capable first; one entry where uniform */
        size_t n_kinds;
        bool kinds_known;     /* false: no class information, treated as uniform */
        char *kernel_release; /* "6.12.117+deb13-cloud-amd64"; NULL where unknown */
        CgroupMode cgroup_mode;
        bool cgroup_mode_assumed; /* could not be read (lockdown, no debugfs): by the release */
} Topology;

Topology *topology_free(Topology *t);
DEFINE_CLEANUP_FUNC(Topology *, topology_free);
#define _cleanup_topology_ _cleanup_(topology_freep)

/* "llc", "cluster", "node", "package". */
const char *domain_level_name(DomainLevel level);

/* "up", "smp", "concur", "max", "tasks": the kernel's own words. */
const char *cgroup_mode_name(CgroupMode mode);

/* The finest level at which the machine has domains, for pin=auto: LLC, else cluster, node, package. Returns false
 * where there are none at all. */
bool topology_finest_level(const Topology *t, DomainLevel *ret);

/* The domains of one level: a pointer into t->domains and their number (0 where the level does not exist). */
size_t topology_level(const Topology *t, DomainLevel level, const Domain **ret);

/* Compares "MAJOR.MINOR" of t->kernel_release. False where it is unknown. */
bool topology_kernel_at_least(const Topology *t, unsigned major, unsigned minor);

/* A text that differs where online CPUs or domains differ: "8 CPUs 0-7; llc 0-3 4-7; node 0-7; package 0-7". Newly
 * allocated. NULL where memory is short. */
char *topology_fingerprint(const Topology *t);
