/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Topologies written as text, for tests: each level a list of domains with a blank between, "0-3 4-7". Nodes and
 * packages are numbered as they stand there. */

#include <stdlib.h>

#include "model/topology.h"

typedef struct TopologyText {
        const char *cpus;
        const char *domains[_DOMAIN_LEVEL_MAX];
        const char *kinds; /* NULL: uniform, and nothing known of types */
} TopologyText;

static inline Cpuset *cpus_of(const char *text, size_t len) {
        Cpuset *set = NULL;
        if (cpuset_parse_list(text, len, &set) < 0)
                fail_msg("not a list of CPUs: %.*s", (int) len, text);
        return set;
}

/* Takes the next word of *text; false at its end. */
static inline bool next_set(const char **text, Cpuset **ret) {
        if (!*text || !**text)
                return false;
        size_t len = strcspn(*text, " ");
        *ret = cpus_of(*text, len);
        *text += len + ((*text)[len] == ' ');
        return true;
}

/* Place of the one set of `list` that holds all of `cpus`; -1 where there is none. */
static inline int place_in(const char *list, const Cpuset *cpus) {
        Cpuset *set;
        int found = -1;

        for (int i = 0; next_set(&list, &set); i++) {
                if (cpuset_subset(cpus, set))
                        found = i;
                cpuset_free(set);
        }
        return found;
}

static inline Topology *topology_of(const TopologyText *text) {
        Topology *t = calloc(1, sizeof(*t));
        const char *kinds = text->kinds ? text->kinds : text->cpus;
        Cpuset *set;

        t->cpus = cpus_of(text->cpus, strlen(text->cpus));
        t->kinds_known = text->kinds;
        t->kinds = calloc(16, sizeof(*t->kinds));
        t->domains = calloc(8192, sizeof(*t->domains));
        for (const char *p = kinds; next_set(&p, &set);)
                t->kinds[t->n_kinds++] = set;

        for (DomainLevel level = 0; level < _DOMAIN_LEVEL_MAX; level++)
                for (const char *p = text->domains[level]; next_set(&p, &set);) {
                        int kind = place_in(kinds, set);
                        t->domains[t->n_domains++] = (Domain){
                                .level = level,
                                .cpus = set,
                                .node = place_in(text->domains[DOMAIN_NODE], set),
                                .package = place_in(text->domains[DOMAIN_PACKAGE], set),
                                .kind = kind < 0 ? KIND_MIXED : (unsigned) kind,
                        };
                }
        return t;
}
