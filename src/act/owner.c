/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Who owns a cgroup writes it: systemd its units', by their properties, and placerd itself only what systemd leaves
 * alone. Who that is only the manager can tell. Where it can't be reached nothing is assumed and nothing is changed,
 * unless systemd does not run this machine at all (sd_booted(3)): then no cgroup is a unit's. The daemon makes no
 * changes there: see build_executor() in daemon/manager.c. */

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "act/backend.h"
#include "act/cgroup-backend.h"
#include "base/cleanup.h"

#define BOOTED_BY_SYSTEMD "run/systemd/system"

typedef struct OwnerBackend {
        Backend backend;
        int root_fd;
        Backend *systemd, *cgroup;
} OwnerBackend;

static void owner_free(Backend *b) {
        OwnerBackend *o = (OwnerBackend *) b;

        backend_free(o->systemd);
        backend_free(o->cgroup);
        closep(&o->root_fd);
        free(o);
}

/* The owner, as it was found when the change was made. */
static Backend *owner_of(Backend *b, const Change *change) {
        const OwnerBackend *o = (const OwnerBackend *) b;

        return change->unit ? o->systemd : o->cgroup;
}

static int owner_inspect(Backend *b, const char *path, Facts *ret) {
        const OwnerBackend *o = (const OwnerBackend *) b;
        bool booted = faccessat(o->root_fd, BOOTED_BY_SYSTEMD, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
        Backend *asked = booted ? o->systemd : o->cgroup;

        return asked->vtable->inspect(asked, path, ret);
}

static int owner_prepare(Backend *b, Change *change, char **ret_why) {
        Backend *owner = owner_of(b, change);
        return owner->vtable->prepare(owner, change, ret_why);
}

static int owner_check(Backend *b, const Change *change) {
        Backend *owner = owner_of(b, change);
        return owner->vtable->check(owner, change);
}

static int owner_apply(Backend *b, const Change *change, char **ret_why) {
        Backend *owner = owner_of(b, change);
        return owner->vtable->apply(owner, change, ret_why);
}

static int owner_undo(Backend *b, const Change *change, bool resumed, char **ret_residue) {
        Backend *owner = owner_of(b, change);
        return owner->vtable->undo(owner, change, resumed, ret_residue);
}

static int owner_flush(Backend *b) {
        const OwnerBackend *o = (const OwnerBackend *) b;

        int r = o->systemd->vtable->flush(o->systemd), k = o->cgroup->vtable->flush(o->cgroup);
        return r < 0 ? r : k;
}

static int owner_residue(Backend *b, const Change *change, char **ret_residue) {
        Backend *owner = owner_of(b, change);
        return owner->vtable->residue(owner, change, ret_residue);
}

static int owner_verify(Backend *b, const Change *change, bool *ret_ours) {
        Backend *owner = owner_of(b, change);
        return owner->vtable->verify(owner, change, ret_ours);
}

static int owner_fill(OwnerBackend *o, int root_fd, const ActReader *reader) {
        o->root_fd = fcntl(root_fd, F_DUPFD_CLOEXEC, 3);
        if (o->root_fd < 0)
                return -errno;
        int r = systemd_backend_new(root_fd, reader, &o->systemd);
        return r == 0 ? cgroup_backend_new(reader, &libcgroup_calls, &o->cgroup) : r;
}

int owner_backend_new(int root_fd, const ActReader *reader, Backend **ret) {
        static const BackendVTable vtable = {
                .name = "owner",
                .free = owner_free,
                .inspect = owner_inspect,
                .prepare = owner_prepare,
                .check = owner_check,
                .apply = owner_apply,
                .undo = owner_undo,
                .flush = owner_flush,
                .residue = owner_residue,
                .verify = owner_verify,
        };
        OwnerBackend *o = malloc(sizeof(*o));

        if (!o)
                return -ENOMEM;
        *o = (OwnerBackend){.backend.vtable = &vtable, .root_fd = -1};
        int r = owner_fill(o, root_fd, reader);
        if (r < 0) {
                owner_free(&o->backend);
                return r;
        }
        *ret = &o->backend;
        return 0;
}
