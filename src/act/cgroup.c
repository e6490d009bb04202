/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Changes of cgroups that nobody reconciles: the file is all there is, and what it holds is the value. It is written
 * through libcgroup, read through the same eyes as everything else, and only where it is there: which controllers are
 * on is for the owner of the cgroup to say, who also puts the processes in.
 *
 * A cgroup is an id. One that was removed and made anew under the same path is somebody else, and has nothing of ours.
 *
 * Undoing a pin that was unset empties the file. Kernels up to 6.12 refuse that while the cgroup is populated; then the
 * parent's full effective set is written, which means the same, and which counts as unset from then on. */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "act/cgroup-backend.h"
#include "act/cgroup-files.h"
#include "act/effect.h"
#include "act/setting.h"
#include "base/cleanup.h"
#include "io/log.h"

typedef struct CgroupBackend {
        Backend backend;
        ActReader reader;
        const LibcgroupCalls *calls;
        bool started;
} CgroupBackend;

static void cgroup_backend_free(Backend *b) {
        free(b);
}

static int start(CgroupBackend *c, char **ret_why) {
        if (c->started)
                return 0;
        int r = libcgroup_start(c->calls, ret_why);
        c->started = r == 0;
        return r;
}

/* -ENOENT where the changed cgroup is gone, whatever has its path now. */
static int still_there(const CgroupBackend *c, const Change *change) {
        uint64_t id;

        int r = cgroup_file_id(&c->reader, change->target, &id);
        if (r < 0)
                return r;
        return id == change->cgroup_id ? 0 : -ENOENT;
}

static int read_back(const CgroupBackend *c, const Change *change, const char *value) {
        _cleanup_free_ char *is = NULL;

        int r = setting_of_file(&c->reader, change->target, change->arm, &is);
        if (r < 0)
                return r == -ENOENT ? -EIO : r;
        return setting_equal(is, value) ? 0 : -EIO;
}

/* Asks for the id last: nothing but an open() stands between that and the write. */
static int write_file(CgroupBackend *c, const Change *change, const char *value, char **ret_why) {
        int r = start(c, ret_why);
        if (r == 0)
                r = still_there(c, change);
        if (r == 0)
                r = libcgroup_write(c->calls, change->target, arm_file(change->arm), value, ret_why);
        return r;
}

/* ---- before a change */

static int cgroup_inspect(Backend *b, const char *path, Facts *ret) {
        const CgroupBackend *c = (const CgroupBackend *) b;
        _cleanup_facts_ Facts facts = {.unmanaged = true};
        uint64_t id;

        int r = cgroup_file_id(&c->reader, path, &id);
        if (r == 0)
                r = effect_inspect_files(&c->reader, path, &facts);
        if (r == 0)
                r = effect_inspect(&c->reader, path, &facts);
        if (r < 0)
                return r;
        *ret = facts;
        facts = (Facts){};
        return 0;
}

/* cpuset.cpus is there where the controller is on in the parent's cgroup.subtree_control, which placerd never writes.
 */
static int explain_no_file(const Change *change, char **ret_why) {
        _cleanup_free_ char *parent = cgroup_path_parent(change->target);
        const char *file = arm_file(change->arm);

        if (!parent || asprintf(ret_why, "the %.*s controller is not on in %s (for its owner to switch on)",
                                (int) strcspn(file, "."), file, parent) < 0)
                return -ENOMEM;
        return -EOPNOTSUPP;
}

/* Below a unit with Delegate=yes and User= files may belong to that user, and a root without CAP_DAC_OVERRIDE is told
 * so by the kernel only when it is too late to refuse. */
static int check_writable(const CgroupBackend *c, const Change *change, char **ret_why) {
        char buf[128];

        int r = cgroup_file_writable(&c->reader, change->target, arm_file(change->arm));
        if (r == -EACCES || r == -EPERM || r == -EROFS)
                if (asprintf(ret_why, "placerd may not write there: %s", strerror_r(-r, buf, sizeof(buf))) < 0)
                        return -ENOMEM;
        return r;
}

static int check_value(const CgroupBackend *c, const Change *change, const char *value) {
        _cleanup_free_ char *is = NULL;

        int r = effect_value(&c->reader, change->target, change->arm, &is);
        if (r < 0)
                return r;
        return setting_equal(is, value) ? 0 : -ESTALE;
}

static int cgroup_prepare(Backend *b, Change *change, char **ret_why) {
        const CgroupBackend *c = (const CgroupBackend *) b;

        /* No drop-in is made, so there is none to take away: see change_share(). */
        change->drop_in_existed = change->drop_in_dir_existed = change->drop_in_place_existed = true;
        int r = effect_note(&c->reader, change);
        if (r == 0 && !change->file_from)
                return explain_no_file(change, ret_why);
        if (r == 0)
                r = check_value(c, change, change->from);
        return r == 0 ? check_writable(c, change, ret_why) : r;
}

static int cgroup_check(Backend *b, const Change *change) {
        const CgroupBackend *c = (const CgroupBackend *) b;

        int r = still_there(c, change);
        if (r == 0)
                r = check_value(c, change, change->to);
        return r;
}

/* ---- the change */

static int cgroup_apply(Backend *b, const Change *change, char **ret_why) {
        CgroupBackend *c = (CgroupBackend *) b;

        int r = write_file(c, change, change->to, ret_why);
        return r == 0 ? effect_check(&c->reader, change, ret_why) : r;
}

static int cgroup_verify(Backend *b, const Change *change, bool *ret_ours) {
        const CgroupBackend *c = (const CgroupBackend *) b;

        int r = still_there(c, change);
        return r == 0 ? effect_verify(&c->reader, change, ret_ours) : r;
}

/* ---- undone */

/* What was in the file. A change over a residue takes over what was there before that. */
static const char *value_before(const Change *change) {
        return change->from ?: change->file_from ?: setting_file_default(change->arm);
}

static int put_back(CgroupBackend *c, const Change *change, const char *whole) {
        _cleanup_free_ char *why = NULL;
        const char *value = value_before(change);

        int r = write_file(c, change, value, &why);
        if (r == 0 || r == -ENOENT)
                return r == 0 ? read_back(c, change, value) : r;
        if (!whole || value[0]) {
                log_debug("%s of %s: %s", arm_file(change->arm), change->target, why ?: "refused by the kernel");
                return r;
        }
        r = write_file(c, change, whole, &why);
        return r == 0 ? read_back(c, change, whole) : r;
}

/* `is`: what the file reads now. */
static int undo_file(CgroupBackend *c, const Change *change, const char *is, bool resumed) {
        _cleanup_free_ char *whole = NULL;

        if (setting_equal(is, value_before(change)))
                return 0;
        int r = effect_whole(&c->reader, change->target, change->arm, &whole);
        if (r < 0)
                return r;
        bool in_between = resumed && whole && setting_equal(is, whole);
        return in_between || effect_is_ours(change, is) ? put_back(c, change, whole) : -ESTALE;
}

static int cgroup_undo(Backend *b, const Change *change, bool resumed, char **ret_residue) {
        CgroupBackend *c = (CgroupBackend *) b;
        _cleanup_free_ char *is = NULL;

        *ret_residue = NULL;
        int r = still_there(c, change);
        if (r < 0)
                return r;
        /* No file: the controller went off, and the value with it. Not so the threads' masks. */
        r = setting_of_file(&c->reader, change->target, change->arm, &is);
        if (r < 0 && r != -ENOENT)
                return r;
        r = is ? undo_file(c, change, is, resumed) : 0;
        return r == 0 ? effect_residue(&c->reader, change, true, ret_residue) : r;
}

static int cgroup_flush(Backend *b) {
        return 0;
}

static int cgroup_residue(Backend *b, const Change *change, char **ret_residue) {
        const CgroupBackend *c = (const CgroupBackend *) b;

        *ret_residue = NULL;
        int r = still_there(c, change);
        return r == 0 ? effect_residue(&c->reader, change, false, ret_residue) : r;
}

int cgroup_backend_new(const ActReader *reader, const LibcgroupCalls *calls, Backend **ret) {
        static const BackendVTable vtable = {
                .name = "cgroup",
                .free = cgroup_backend_free,
                .inspect = cgroup_inspect,
                .prepare = cgroup_prepare,
                .check = cgroup_check,
                .apply = cgroup_apply,
                .undo = cgroup_undo,
                .flush = cgroup_flush,
                .residue = cgroup_residue,
                .verify = cgroup_verify,
        };
        CgroupBackend *c = malloc(sizeof(*c));

        if (!c)
                return -ENOMEM;
        *c = (CgroupBackend){.backend.vtable = &vtable, .reader = *reader, .calls = calls};
        *ret = &c->backend;
        return 0;
}
