/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The list of our changes on disk: written before a change is applied, so that whoever starts after a kill -9 can put
 * everything back. One JSON file (jansson) in the runtime directory, replaced as a whole. */

#include "model/plan.h"

typedef struct Ledger Ledger;

/* Opens (reads) `name` below dirfd (duplicated). No file is an empty ledger, and so is one of another boot: what it
 * tells of went with that boot. A file that is damaged or of a newer version is moved aside as NAME.bad; the ledger is
 * then empty and ledger_was_bad() true. -errno where the file can't be read. */
int ledger_open(int dirfd, const char *name, const char *boot_id, Ledger **ret);
/* One in memory only, for dry runs. */
int ledger_new_memory(Ledger **ret);
Ledger *ledger_free(Ledger *l);
DEFINE_CLEANUP_FUNC(Ledger *, ledger_free);

bool ledger_was_bad(const Ledger *l);

size_t ledger_size(const Ledger *l);
/* Stays valid, at the same address, until it is removed. */
const Change *ledger_at(const Ledger *l, size_t i);
const Change *ledger_find(const Ledger *l, const char *target, Arm arm); /* the newest one; NULL: none */

/* Adds a change (taking over its contents: *c is empty after success), gives it a serial, and writes the file. On an
 * error nothing has changed; -EFBIG: the file would be larger than can be read again. */
int ledger_add(Ledger *l, Change *c, uint64_t *ret_serial);
/* Edits and writes: `kept`, residue, the value (with the former one, NULL: none; texts are copied), and removal.
 * -ENOENT for an unknown serial. Where the file can't be written (-errno) the edit holds in memory, and the next write
 * brings it to disk. */
int ledger_set_kept(Ledger *l, uint64_t serial, bool kept);
int ledger_set_residue(Ledger *l, uint64_t serial, const char *residue);
int ledger_set_to(Ledger *l, uint64_t serial, const char *to, const char *former);
int ledger_remove(Ledger *l, uint64_t serial);
