/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The backend that only notes: for replays, and for --dry-run. It reads what the real one would read, as far as files
 * tell it, and then says yes to everything. What it "changed" is in the executor's ledger, nowhere else; so a change
 * holds until it is undone, whatever the machine (or the recording) shows. */

#include <errno.h>
#include <stdlib.h>

#include "act/affinity.h"
#include "act/backend.h"
#include "act/cgroup-files.h"
#include "base/cleanup.h"
#include "model/unit-name.h"

typedef struct DryBackend {
        Backend backend;
        ActReader reader;
} DryBackend;

static void dry_free(Backend *b) {
        free(b);
}

/* The property, as far as the kernel's file tells it; no file means that nobody set it. */
static int property_from_file(const ActReader *reader, const char *path, Cpuset **ret) {
        int r = cgroup_file_cpus(reader, path, "cpuset.cpus", ret);
        if (r != -ENOENT)
                return r;
        *ret = cpuset_new();
        return *ret ? 0 : -ENOMEM;
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
        r = property_from_file(&d->reader, path, &facts.property_cpus);
        if (r < 0)
                return r;
        facts.property_known = true;
        r = affinity_inspect(&d->reader, path, &facts);
        if (r < 0)
                return r;
        *ret = facts;
        facts = (Facts){};
        return 0;
}

/* The list as text, NULL where there is no file. */
static int note_cpus(int r, Cpuset *cpus, char **ret) {
        _cleanup_cpuset_ Cpuset *owned = r == 0 ? cpus : NULL;

        if (r < 0)
                return r == -ENOENT || r == -ENODATA ? 0 : r;
        *ret = cpuset_format_list(owned);
        return *ret ? 0 : -ENOMEM;
}

static int dry_prepare(Backend *b, const Plan *plan, Change *change) {
        const ActReader *reader = &((DryBackend *) b)->reader;
        Cpuset *cpus = NULL;

        int r = cgroup_file_id(reader, plan->target, &change->cgroup_id);
        if (r < 0)
                return r;
        r = cgroup_file_cpus(reader, plan->target, "cpuset.cpus", &cpus);
        r = note_cpus(r, cpus, &change->file_from);
        if (r < 0)
                return r;
        r = cgroup_file_effective(reader, plan->target, &cpus);
        return note_cpus(r, cpus, &change->effective_from);
}

static int dry_apply(Backend *b, const Plan *plan, const Change *change, char **ret_why) {
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
