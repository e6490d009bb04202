/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* From a loaded hwloc topology to ours, one step a function. */

#include <hwloc.h>

#include "model/topology.h"

/* Reads a file with a list of CPUs. One that is missing or makes no sense leaves *ret alone. -ENOMEM. */
int topology_read_cpus(int root_fd, const char *name, Cpuset **ret);

/* Fills t->nodes, by OS number. t->cpus is there. -ENOMEM. */
int topology_add_nodes(Topology *t, hwloc_topology_t hwloc);

/* Fills t->kinds and t->kinds_known. t->cpus is there. root_fd is -1 where there are no files. -ENOMEM. */
int topology_add_kinds(Topology *t, hwloc_topology_t hwloc, int root_fd);

/* Fills t->domains. t->cpus, t->nodes and t->kinds are there. -ENOMEM. */
int topology_add_domains(Topology *t, hwloc_topology_t hwloc);
