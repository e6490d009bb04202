/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* From a loaded hwloc topology to ours, one step a function. */

#include <hwloc.h>

#include "model/topology.h"

/* Fills t->nodes, by OS number. t->cpus is there. -ENOMEM. */
int topology_add_nodes(Topology *t, hwloc_topology_t hwloc);

/* Fills t->kinds and t->kinds_known. t->cpus is there. -ENOMEM. */
int topology_add_kinds(Topology *t, hwloc_topology_t hwloc);

/* Fills t->domains. t->cpus, t->nodes and t->kinds are there. -ENOMEM. */
int topology_add_domains(Topology *t, hwloc_topology_t hwloc);
