/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The list of our changes on disk: written before a change is applied, so that whoever starts after a kill -9 can put
 * everything back. One JSON file (jansson) in the runtime directory, replaced as a whole. */

#include "model/plan.h"

typedef struct Ledger Ledger;

/* Opens (reads) `name` below dirfd; no file is an empty ledger. -EBADMSG: it is not ours or damaged (it is then moved
 * aside as NAME.bad, and the ledger is empty, ret_moved true); -errno. */
int ledger_open(int dirfd, const char *name, const char *boot_id, Ledger **ret);
Ledger *ledger_free(Ledger *l);
DEFINE_CLEANUP_FUNC(Ledger *, ledger_free);

size_t ledger_size(const Ledger *l);
const Change *ledger_at(const Ledger *l, size_t i);
const Change *ledger_find(const Ledger *l, const char *target, Arm arm); /* NULL: none */

/* Adds a change (taking over its contents: *c is empty after success), gives it a serial, and writes the file. */
int ledger_add(Ledger *l, Change *c, uint64_t *ret_serial);
/* Edits and writes: `kept`, residue (copied), and removal. -ENOENT for an unknown serial. */
int ledger_set_kept(Ledger *l, uint64_t serial, bool kept);
int ledger_set_residue(Ledger *l, uint64_t serial, const char *residue);
int ledger_remove(Ledger *l, uint64_t serial);
