/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The backend that only notes: for replays, and for --dry-run. It reads what the real one would read, as far as files
 * tell it, and then says yes to everything. What it "changed" is in the executor's ledger, nowhere else; so a change
 * holds until it is undone, whatever the machine (or the recording) shows. */

#include <errno.h>
#include <stdlib.h>

#include "act/backend.h"
#include "act/cgroup-files.h"
#include "act/effect.h"
#include "base/cleanup.h"
#include "model/unit-name.h"

typedef struct DryBackend {
        Backend backend;
        ActReader reader;
} DryBackend;

static void dry_free(Backend *b) {
        free(b);
}

static int dry_inspect(Backend *b, const char *path, Facts *ret) {
        const DryBackend *d = (const DryBackend *) b;
        _cleanup_facts_ Facts facts = {};
        uint64_t id;

        int r = cgroup_file_id(&d->reader, path, &id);
        if (r < 0)
                return r;
        r = unit_name_from_path(path, &facts.unit, &facts.owned_by_systemd);
        if (r < 0)
                return r;
        /* Delegate= is in no file. What is below a user's manager, or below any unit without being one, is not ours. */
        facts.delegated_above = strstr(path, "/user@") || (facts.unit && !facts.owned_by_systemd);
        facts.unmanaged = !facts.unit;
        r = effect_inspect_files(&d->reader, path, &facts);
        if (r == 0)
                r = effect_inspect(&d->reader, path, &facts);
        if (r < 0)
                return r;
        *ret = facts;
        facts = (Facts){};
        return 0;
}

static int dry_prepare(Backend *b, Change *change, char **ret_why) {
        return effect_note(&((DryBackend *) b)->reader, change);
}

static int dry_check(Backend *b, const Change *change) {
        return 0;
}

static int dry_apply(Backend *b, const Change *change, char **ret_why) {
        return 0;
}

static int dry_undo(Backend *b, const Change *change, bool resumed, char **ret_residue) {
        *ret_residue = NULL;
        return 0;
}

static int dry_flush(Backend *b) {
        return 0;
}

static int dry_residue(Backend *b, const Change *change, char **ret_residue) {
        *ret_residue = NULL;
        return 0;
}

static int dry_verify(Backend *b, const Change *change, bool *ret_ours) {
        const DryBackend *d = (const DryBackend *) b;
        uint64_t id;

        int r = cgroup_file_id(&d->reader, change->target, &id);
        if (r < 0)
                return r;
        *ret_ours = true;
        return 0;
}

int dry_backend_new(const ActReader *reader, Backend **ret) {
        static const BackendVTable vtable = {
                .name = "dry",
                .free = dry_free,
                .inspect = dry_inspect,
                .prepare = dry_prepare,
                .check = dry_check,
                .apply = dry_apply,
                .undo = dry_undo,
                .flush = dry_flush,
                .residue = dry_residue,
                .verify = dry_verify,
        };
        DryBackend *d = malloc(sizeof(*d));

        if (!d)
                return -ENOMEM;
        *d = (DryBackend){.backend.vtable = &vtable, .reader = *reader};
        *ret = &d->backend;
        return 0;
}
