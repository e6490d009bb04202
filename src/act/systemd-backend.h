/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* What the two halves of the systemd backend share: systemd.c looks and changes, systemd-undo.c puts back. */

#include "act/backend.h"
#include "act/systemd-bus.h"

/* A drop-in to remove at the end of a batch. */
typedef struct Leaving {
        char *unit;
        Arm arm;
        char *leftover; /* only if it holds just this */
        bool made_dir, made_place;
} Leaving;

typedef struct SystemdBackend {
        Backend backend;
        ActReader reader;
        int root_fd;
        sd_bus *bus;
        Leaving *leavings;
        size_t n_leavings, allocated;
        bool reload_due;
} SystemdBackend;

/* The connection, opened when first needed, and anew when it has died (a bus that was restarted). */
int systemd_backend_bus(SystemdBackend *s, sd_bus **ret);

/* -EIO where the changed property does not read as `value`. */
int systemd_read_back(sd_bus *bus, const Change *change, const char *value);

void systemd_leavings_clear(SystemdBackend *s);

/* See BackendVTable. */
int systemd_undo(Backend *b, const Change *change, bool resumed, char **ret_residue);
int systemd_flush(Backend *b);
int systemd_residue(Backend *b, const Change *change, char **ret_residue);
