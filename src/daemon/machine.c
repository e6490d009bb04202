/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Opening a machine, live or below --root. The order matters to people: a mistake in the configuration is told also
 * where the machine could not be watched anyway. */

#include "daemon/machine.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sysexits.h>

#include "base/cleanup.h"
#include "io/file.h"
#include "io/log.h"
#include "pipeline/config.h"
#include "sample/topology.h"

void machine_done(Machine *m) {
        topology_free(m->topology);
        sampler_free(m->sampler);
        settings_free(m->settings);
        closep(&m->root_fd);
        *m = MACHINE_INIT;
}

int machine_open_root(Machine *m) {
        const char *root = m->root ? m->root : "/";

        int fd = dir_open(AT_FDCWD, root);
        if (fd < 0) {
                log_error(fd, "%s: %m", root);
                return EXIT_FAILURE;
        }
        m->root_fd = fd;
        return EX_OK;
}

int machine_read_settings(Machine *m) {
        SettingsError error = {};

        int r = config_load(m->root_fd, m->config_file, &m->settings, &error);
        if (r < 0) {
                log_error(r, "%s", error.text[0] ? error.text : "Can't read the configuration: out of memory");
                return r == -ENOMEM ? EX_OSERR : EX_CONFIG;
        }
        return EX_OK;
}

/* What the kernel of the running machine tells beside its files. That it can't is no failure. */
static int ask_kernel(const Machine *m) {
        _cleanup_(taskstats_freep) Taskstats *taskstats = NULL;
        ProcessEvents *events;

        if (m->root && !streq(m->root, "/"))
                return 0;
        int r = taskstats_open(&taskstats);
        if (r >= 0)
                r = process_events_open(&events);
        if (r >= 0)
                sampler_set_kernel(m->sampler, TAKE_PTR(taskstats), events);
        return r;
}

int machine_start_sampler(Machine *m) {
        _cleanup_free_ char *why = NULL;

        int r = sampler_new(m->root_fd, &m->sampler, &why);
        if (r < 0) {
                if (why)
                        log_error(r, "%s", why);
                else
                        log_error(r, "Can't read cgroups: %m");
                return r == -ENOENT || r == -EOPNOTSUPP ? EX_UNAVAILABLE : EXIT_FAILURE;
        }
        r = ask_kernel(m);
        if (r < 0) {
                log_error(r, "Can't ask the kernel: %m");
                return EX_OSERR;
        }
        return EX_OK;
}

int machine_load_topology(Machine *m) {
        int r = topology_load(m->root ? TOPOLOGY_ROOT : TOPOLOGY_LIVE, m->root, &m->topology);
        if (r < 0) {
                log_error(r, "Can't find the topology%s%s: %m", m->root ? " below " : "", m->root ? m->root : "");
                return EXIT_FAILURE;
        }
        return EX_OK;
}

int machine_open(Machine *m) {
        int status = machine_open_root(m);
        if (status == EX_OK)
                status = machine_read_settings(m);
        if (status == EX_OK)
                status = machine_start_sampler(m);
        if (status == EX_OK)
                status = machine_load_topology(m);
        return status;
}
