/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What is to be known of libcgroup (2.0.2 of Debian 12, 3.1 of Debian 13), each seen with the former:
 *
 * - ECGOTHER means "see cgroup_get_last_errno()", and that may be 0: a failure all the same.
 * - The values "" and "\n" are skipped, and 0 is returned. A blank is written, and the kernel strips it: so a file is
 *   emptied.
 * - ECGROUPVALUENOTEXIST stands for all reasons why the file can't be opened, a read-only mount among them.
 * - cgroup_create_cgroup() would make a cgroup that is gone. cgroup_modify_cgroup() makes none, and neither writes
 *   cgroup.subtree_control.
 */

#include "act/libcgroup.h"

#include <errno.h>
#include <stdlib.h>

#include "base/macros.h"

const LibcgroupCalls libcgroup_calls = {
        .init = cgroup_init,
        .new = cgroup_new_cgroup,
        .add_controller = cgroup_add_controller,
        .set_value = cgroup_set_value_string,
        .modify = cgroup_modify_cgroup,
        .free = cgroup_free,
        .last_errno = cgroup_get_last_errno,
};

static int failed(const LibcgroupCalls *calls, int code, char **ret_why) {
        int error = code == ECGOTHER ? calls->last_errno() : 0;

        if (error > 0 && error != ENOENT)
                return -error;
        if (code != ECGOTHER && !*ret_why)
                *ret_why = strdup(cgroup_strerror(code));
        return -EIO;
}

int libcgroup_start(const LibcgroupCalls *calls, char **ret_why) {
        int code = calls->init();

        return code == 0 ? 0 : failed(calls, code, ret_why);
}

/* The controller is what stands before the file's first dot. NULL where memory is short. */
static struct cgroup_controller *add_controller(const LibcgroupCalls *calls, struct cgroup *cgroup, const char *file) {
        char *name = strndup(file, strcspn(file, "."));
        struct cgroup_controller *controller = name ? calls->add_controller(cgroup, name) : NULL;

        free(name);
        return controller;
}

static int write_value(const LibcgroupCalls *calls, struct cgroup *cgroup, const char *file, const char *value,
                       char **ret_why) {
        struct cgroup_controller *controller = add_controller(calls, cgroup, file);

        if (!controller)
                return -ENOMEM;
        int code = calls->set_value(controller, file, value[0] ? value : " ");
        if (code == 0)
                code = calls->modify(cgroup);
        return code == 0 ? 0 : failed(calls, code, ret_why);
}

int libcgroup_write(const LibcgroupCalls *calls, const char *path, const char *file, const char *value,
                    char **ret_why) {
        struct cgroup *cgroup = calls->new (path + strspn(path, "/"));

        if (!cgroup)
                return -ENOMEM;
        int r = write_value(calls, cgroup, file, value, ret_why);
        calls->free(&cgroup);
        return r;
}
