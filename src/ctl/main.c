/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* placerctl: shows what placerd sees, thinks and does, and undoes it. The command line is read here; what is asked for
 * is done by the verb (verbs.c). status, explain, advise, undo, pause and resume ask the daemon over D-Bus and never
 * start it; the others work without one. */

#include <getopt.h>
#include <limits.h>
#include <locale.h>
#include <stdarg.h>
#include <stdlib.h>

#include "base/numbers.h"
#include "config.h"
#include "ctl/verbs.h"
#include "io/log.h"

void complain(const char *format, ...) {
        va_list args;

        (void) fputs("placerctl: ", stderr);
        va_start(args, format);
        (void) vfprintf(stderr, format, args);
        va_end(args);
        (void) fputc('\n', stderr);
}

static ExitCode help(void) {
        printf("placerctl [OPTIONS...] VERB [ARGUMENT]\n\nShow and undo what placerd does.\n\nVerbs:\n");
        verbs_help(stdout);
        printf("\nOptions:\n"
               "  -h, --help            show this help\n"
               "      --version         show the version\n"
               "      --json            print JSON: one object, or for record and replay one a line\n"
               "      --no-pager        do not pipe into a pager\n"
               "  -a, --all             status: the healthy ones too; undo: everything\n"
               "      --config=FILE     replay, check-config: this configuration\n"
               "      --xml=FILE        topology: of an hwloc export\n"
               "      --root=DIR        topology, record: of the machine whose files are below DIR\n"
               "      --seconds=N       record: for so long (%d)\n"
               "      --interval=MS     record: a frame each so many milliseconds (%d)\n"
               "\nundo, pause and resume need root, or polkit's leave.\n"
               "TARGET is a unit or the path of a cgroup. Exit codes: 0 done, 1 refused or failed, 2 usage, 3 "
               "placerd does not run, or can't be asked.\n",
               RECORD_SECONDS_DEFAULT, (int) (RECORD_INTERVAL_DEFAULT / USEC_PER_MSEC));
        return EXIT_DONE;
}

/* A whole number from 1 to max; false where it is none, and that said. */
static bool take_number(const char *option, const char *text, uint64_t max, uint64_t *ret) {
        if (number_parse_u64(text, strlen(text), ret) == 0 && *ret >= 1 && *ret <= max)
                return true;

        complain("--%s=%s: must be a whole number from 1 to %llu", option, text, (unsigned long long) max);
        return false;
}

enum {
        OPTION_VERSION = 256,
        OPTION_JSON,
        OPTION_NO_PAGER,
        OPTION_CONFIG,
        OPTION_XML,
        OPTION_ROOT,
        OPTION_SECONDS,
        OPTION_INTERVAL
};

static const struct option long_options[] = {
        {"help", no_argument, NULL, 'h'},
        {"version", no_argument, NULL, OPTION_VERSION},
        {"json", no_argument, NULL, OPTION_JSON},
        {"no-pager", no_argument, NULL, OPTION_NO_PAGER},
        {"all", no_argument, NULL, 'a'},
        {"config", required_argument, NULL, OPTION_CONFIG},
        {"xml", required_argument, NULL, OPTION_XML},
        {"root", required_argument, NULL, OPTION_ROOT},
        {"seconds", required_argument, NULL, OPTION_SECONDS},
        {"interval", required_argument, NULL, OPTION_INTERVAL},
        {},
};

/* A day in frames of a millisecond is more than anybody will read. */
#define SECONDS_MAX 86400U
#define INTERVAL_MSEC_MAX 60000U

/* One option with a value. False where the value is wrong, and that said. */
static bool take_value(Options *o, int option) {
        uint64_t number;

        switch (option) {
        case OPTION_CONFIG:
                o->config = optarg;
                return true;
        case OPTION_XML:
                o->xml = optarg;
                return true;
        case OPTION_ROOT:
                o->root = optarg;
                return true;
        case OPTION_SECONDS:
                if (!take_number("seconds", optarg, SECONDS_MAX, &number))
                        return false;
                o->seconds = (unsigned) number;
                return true;
        case OPTION_INTERVAL:
                if (!take_number("interval", optarg, INTERVAL_MSEC_MAX, &number))
                        return false;
                o->interval_usec = number * USEC_PER_MSEC;
                return true;
        default:
                /* getopt has said what is wrong. */
                return false;
        }
}

/* Returns true where a verb is to be run; else *ret is how it ends. */
static bool take_options(Options *o, int argc, char **argv, ExitCode *ret) {
        for (int c; (c = getopt_long(argc, argv, "ha", long_options, NULL)) >= 0;)
                switch (c) {
                case 'h':
                        *ret = help();
                        return false;
                case OPTION_VERSION:
                        printf("placerctl %s\n", PLACERD_VERSION);
                        *ret = EXIT_DONE;
                        return false;
                case OPTION_JSON:
                        o->json = true;
                        break;
                case OPTION_NO_PAGER:
                        o->no_pager = true;
                        break;
                case 'a':
                        o->all = true;
                        break;
                default:
                        if (take_value(o, c))
                                break;
                        *ret = EXIT_USAGE;
                        return false;
                }
        return true;
}

static ExitCode run_verb(const Options *options, int n_args, char **args) {
        if (n_args == 0) {
                complain("what is to be done? 'placerctl --help' lists the verbs");
                return EXIT_USAGE;
        }

        const Verb *verb = verb_find(args[0]);
        if (!verb) {
                complain("'%s' is no verb; 'placerctl --help' lists them", args[0]);
                return EXIT_USAGE;
        }
        n_args--, args++;
        if (n_args < verb->min_args || n_args > verb->max_args) {
                complain("%s takes %s", verb->name, verb->arguments[0] ? verb->arguments : "no argument");
                return EXIT_USAGE;
        }
        return verb->run(options, n_args, args);
}

int main(int argc, char **argv) {
        Options options = {.seconds = RECORD_SECONDS_DEFAULT, .interval_usec = RECORD_INTERVAL_DEFAULT};
        ExitCode code;

        /* For the width of characters in tables; numbers stay as they are. */
        (void) setlocale(LC_CTYPE, "");
        log_set_level(LOG_WARNING);

        if (take_options(&options, argc, argv, &code))
                code = run_verb(&options, argc - optind, argv + optind);

        /* A full disk or a closed pipe is a failure too. */
        if (fflush(stdout) != 0 && code == EXIT_DONE)
                code = EXIT_REFUSED;
        return code;
}
