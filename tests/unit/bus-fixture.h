/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* A bus of our own, on which everybody may call everybody. */

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <systemd/sd-bus.h>
#include <unistd.h>

#define NOBODY 65534

/* Starts a bus whose rules let every user call everybody, and returns its address. */
static inline bool start_bus(char *dir, char address[static 256], pid_t *ret_pid) {
        char config[512], command[1024];
        int pid;

        assert_int_equal(chmod(dir, 0755), 0);
        (void) snprintf(config, sizeof(config), "%s/bus.conf", dir);
        FILE *f = fopen(config, "we");
        assert_non_null(f);
        (void) fprintf(f,
                       "<!DOCTYPE busconfig PUBLIC \"-//freedesktop//DTD D-BUS Bus Configuration 1.0//EN\"\n"
                       " \"http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd\">\n"
                       "<busconfig><listen>unix:path=%s/socket</listen><policy context=\"default\">"
                       "<allow user=\"*\"/><allow own=\"*\"/><allow send_destination=\"*\"/><allow eavesdrop=\"true\"/>"
                       "</policy></busconfig>\n",
                       dir);
        assert_int_equal(fclose(f), 0);

        (void) snprintf(command, sizeof(command),
                        "dbus-daemon --config-file=%s --fork --nopidfile --print-address=1 --print-pid=1 2>%s/errors",
                        config, dir);
        FILE *p = popen(command, "re");
        assert_non_null(p);
        bool started = fscanf(p, "%255s %d", address, &pid) == 2;
        (void) pclose(p);
        *ret_pid = started ? pid : 0;
        return started;
}

static inline int connect_bus(const char *address, sd_bus **ret) {
        sd_bus *bus = NULL;

        int r = sd_bus_new(&bus);
        if (r >= 0)
                r = sd_bus_set_address(bus, address);
        if (r >= 0)
                r = sd_bus_set_bus_client(bus, 1);
        if (r >= 0)
                r = sd_bus_start(bus);
        *ret = bus;
        return r;
}

/* Runs the tests with *address set to that of a bus. */
static inline int run_with_bus(int (*run)(void), const char **address) {
        static char buf[256];
        char dir[] = "/tmp/placerd-bus-XXXXXX", command[64];
        pid_t pid;

        if (system("command -v dbus-daemon >/dev/null") != 0) {
                (void) fprintf(stderr, "no dbus-daemon here\n");
                return TEST_SKIPPED;
        }
        if (!mkdtemp(dir))
                return 1;
        if (!start_bus(dir, buf, &pid)) {
                (void) fprintf(stderr, "dbus-daemon does not start, see %s\n", dir);
                return 1;
        }

        *address = buf;
        int r = run();
        (void) kill(pid, SIGTERM);
        (void) snprintf(command, sizeof(command), "rm -rf %s", dir);
        return system(command) == 0 ? r : 1;
}
