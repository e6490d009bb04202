/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The command line of placerd, and which of its ways to run it asks for. Exit statuses are sysexits.h's where they mean
 * something to the unit (RestartPreventExitStatus=69 78); 2 for usage, as placerctl. */

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <sysexits.h>

#include "config.h"
#include "daemon/machine.h"
#include "daemon/manager.h"
#include "daemon/once.h"
#include "daemon/restore.h"

#define EXIT_USAGE 2

typedef enum Action { ACTION_RUN, ACTION_ONCE, ACTION_RESTORE, ACTION_CHECK_CONFIG, ACTION_DONE } Action;

static Action arg_action = ACTION_RUN;
static const char *arg_config = NULL;
static const char *arg_root = NULL;
static bool arg_dry_run = false;

static void help(void) {
        (void) printf("placerd [OPTION...]\n\n"
                      "Watches how the scheduler treats the control groups of this machine, finds what goes\n"
                      "wrong, and cures it where a policy allows it.\n\n"
                      "  -h --help            Show this help\n"
                      "     --version         Show the version\n"
                      "     --config FILE     Read this file in place of /etc/placerd.conf and its .d folder\n"
                      "     --root DIR        Look at the machine whose files are below DIR (changes nothing)\n"
                      "     --dry-run         Decide, but only note what would be changed\n"
                      "     --once            Take two samples, print the verdicts, and end\n"
                      "     --restore         Undo what an ended placerd has left, unless it starts again\n"
                      "     --check-config    Check the configuration, and end\n\n"
                      "See placerd(8) and placerd.conf(5); placerctl(1) talks to a running placerd.\n");
}

static int usage_error(const char *what, const char *argument) {
        (void) fprintf(stderr, "placerd: %s%s%s; see placerd --help\n", what, argument ? ": " : "",
                       argument ? argument : "");
        return EXIT_USAGE;
}

static int set_action(Action action, const char *option) {
        if (arg_action != ACTION_RUN && arg_action != action)
                return usage_error("only one of --once, --restore, --check-config is possible", option);
        arg_action = action;
        return EX_OK;
}

static int set_path(const char **path, const char *value) {
        if (value[0] == '\0')
                return usage_error("an empty name", NULL);
        *path = value;
        return EX_OK;
}

enum { OPTION_VERSION = 256, OPTION_CONFIG, OPTION_ROOT, OPTION_DRY_RUN, OPTION_ONCE, OPTION_RESTORE, OPTION_CHECK };

static const struct option options[] = {
        {"help", no_argument, NULL, 'h'},
        {"version", no_argument, NULL, OPTION_VERSION},
        {"config", required_argument, NULL, OPTION_CONFIG},
        {"root", required_argument, NULL, OPTION_ROOT},
        {"dry-run", no_argument, NULL, OPTION_DRY_RUN},
        {"once", no_argument, NULL, OPTION_ONCE},
        {"restore", no_argument, NULL, OPTION_RESTORE},
        {"check-config", no_argument, NULL, OPTION_CHECK},
        {},
};

static int parse_option(int c, char *argv[]) {
        switch (c) {
        case 'h':
                help();
                arg_action = ACTION_DONE;
                return EX_OK;
        case OPTION_VERSION:
                (void) puts("placerd " PLACERD_VERSION);
                arg_action = ACTION_DONE;
                return EX_OK;
        case OPTION_CONFIG:
                return set_path(&arg_config, optarg);
        case OPTION_ROOT:
                return set_path(&arg_root, optarg);
        case OPTION_DRY_RUN:
                arg_dry_run = true;
                return EX_OK;
        case OPTION_ONCE:
                return set_action(ACTION_ONCE, argv[optind - 1]);
        case OPTION_RESTORE:
                return set_action(ACTION_RESTORE, argv[optind - 1]);
        case OPTION_CHECK:
                return set_action(ACTION_CHECK_CONFIG, argv[optind - 1]);
        case ':':
                return usage_error("an argument is missing", argv[optind - 1]);
        default:
                return usage_error("unknown option", argv[optind - 1]);
        }
}

static int parse_arguments(int argc, char *argv[]) {
        int c;

        opterr = 0;
        while (arg_action != ACTION_DONE && (c = getopt_long(argc, argv, ":h", options, NULL)) >= 0) {
                int status = parse_option(c, argv);
                if (status != EX_OK)
                        return status;
        }
        if (arg_action == ACTION_DONE)
                return EX_OK;
        if (optind < argc)
                return usage_error("no argument is expected", argv[optind]);
        if (arg_action == ACTION_RESTORE && (arg_root || arg_dry_run))
                return usage_error("--restore takes neither --root nor --dry-run", NULL);
        return EX_OK;
}

static int check_config(Machine *m) {
        int status = machine_open_root(m);
        return status == EX_OK ? machine_read_settings(m) : status;
}

static int run(void) {
        _cleanup_machine_ Machine m = MACHINE_INIT;
        int status;

        m.root = arg_root;
        m.config_file = arg_config;
        switch (arg_action) {
        case ACTION_DONE:
                return EX_OK;
        case ACTION_CHECK_CONFIG:
                return check_config(&m);
        case ACTION_RESTORE:
                return restore_run();
        case ACTION_ONCE:
                status = machine_open(&m);
                return status == EX_OK ? once_run(&m) : status;
        case ACTION_RUN:
                status = machine_open(&m);
                return status == EX_OK ? manager_run(&m, arg_dry_run) : status;
        }
        return EX_SOFTWARE;
}

int main(int argc, char *argv[]) {
        int status = parse_arguments(argc, argv);
        return status == EX_OK ? run() : status;
}
