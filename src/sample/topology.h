/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Reads the machine's topology through hwloc. */

#include "model/topology.h"

typedef enum TopologySource {
        TOPOLOGY_LIVE, /* the running machine, also CPUs outside our own cpuset */
        TOPOLOGY_XML,  /* an hwloc export: `name` is the file */
        TOPOLOGY_ROOT, /* a folder with sys/devices/system: `name` is the folder (HWLOC_FSROOT) */
} TopologySource;

/* -EINVAL where hwloc can't make a topology of it; -errno. */
int topology_load(TopologySource source, const char *name, Topology **ret);

/* Writes the running machine's topology as hwloc XML to `path`. -errno. */
int topology_export(const char *path);
