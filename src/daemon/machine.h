/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* What every way of running placerd begins with: the root, the configuration, the sampler, the topology. Each step
 * says in one line what is wrong and returns the exit status that follows from it (EX_OK: go on). */

#include "model/settings.h"
#include "model/topology.h"
#include "sample/sampler.h"

typedef struct Machine {
        int root_fd;
        const char *root;        /* NULL: the running machine */
        const char *config_file; /* NULL: the usual ones */
        Settings *settings;
        Sampler *sampler;
        Topology *topology;
} Machine;

/* -1 for root_fd before anything is opened. */
#define MACHINE_INIT ((Machine){.root_fd = -1})

void machine_done(Machine *m);
#define _cleanup_machine_ _cleanup_(machine_done)

/* EXIT_FAILURE: there is no such folder. */
int machine_open_root(Machine *m);

/* EX_CONFIG: "FILE:LINE: ..." was written. */
int machine_read_settings(Machine *m);

/* EX_UNAVAILABLE: no cgroup2, or without cpu accounting. */
int machine_start_sampler(Machine *m);

/* EXIT_FAILURE: hwloc finds no machine there. */
int machine_load_topology(Machine *m);

/* All four. */
int machine_open(Machine *m);
