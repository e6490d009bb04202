/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The lock is a flock() on the folder itself: it needs no file that could be left behind, and the kernel lets go of it
 * whatever way the process ends. It keeps a second daemon, and --restore by hand, away from a ledger in use. */

#include "daemon/runtime.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "io/file.h"
#include "io/log.h"

#define LEDGER_NAME "ledger.json"

/* systemd sets a list, with colons, where the unit has several. */
static char *runtime_path(void) {
        const char *list = getenv("RUNTIME_DIRECTORY");

        if (!list || list[0] != '/')
                return strdup(RUNTIME_DIRECTORY_DEFAULT);
        return strndup(list, strcspn(list, ":"));
}

int runtime_open(bool create) {
        _cleanup_free_ char *path = runtime_path();
        if (!path)
                return -ENOMEM;

        if (create && mkdir(path, 0755) < 0 && errno != EEXIST)
                return -errno;

        _cleanup_close_ int fd = dir_open(AT_FDCWD, path);
        if (fd < 0)
                return fd;
        if (flock(fd, LOCK_EX | LOCK_NB) < 0)
                return errno == EWOULDBLOCK ? -EBUSY : -errno;
        return TAKE_FD(fd);
}

int runtime_ledger(int runtime_fd, Ledger **ret) {
        _cleanup_filebuf_ FileBuf boot_id = {};

        int r = file_read(AT_FDCWD, "/proc/sys/kernel/random/boot_id", &boot_id);
        if (r < 0)
                return log_error(r, "Can't read the boot id: %m");
        boot_id.text[strcspn(boot_id.text, "\n")] = '\0';

        r = ledger_open(runtime_fd, LEDGER_NAME, boot_id.text, ret);
        if (r < 0)
                return log_error(r, "Can't read the list of changes (%s): %m", LEDGER_NAME);
        return 0;
}
