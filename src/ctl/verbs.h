/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The verbs of placerctl, one row each in verbs.c's table. */

#include <stdio.h>

#include "base/macros.h"
#include "base/usec.h"

/* Part of the interface: placerctl(1). */
typedef enum ExitCode {
        EXIT_DONE = 0,
        EXIT_REFUSED = 1, /* or failed */
        EXIT_USAGE = 2,
        EXIT_NO_DAEMON = 3,
} ExitCode;

typedef struct Options {
        bool json, all, no_pager;
        const char *config; /* --config=, NULL: none given */
        const char *xml;    /* --xml= */
        const char *root;   /* --root= */
        unsigned seconds;
        usec_t interval_usec;
} Options;

#define RECORD_SECONDS_DEFAULT 10
#define RECORD_INTERVAL_DEFAULT USEC_PER_SEC

typedef struct Verb {
        const char *name, *arguments; /* arguments as --help shows them */
        int min_args, max_args;
        ExitCode (*run)(const Options *options, int n_args, char **args);
        const char *help;
} Verb;

/* NULL: there is none of that name. */
const Verb *verb_find(const char *name);
void verbs_help(FILE *f);

ExitCode verb_status(const Options *options, int n_args, char **args);
ExitCode verb_explain(const Options *options, int n_args, char **args);
ExitCode verb_advise(const Options *options, int n_args, char **args);
ExitCode verb_undo(const Options *options, int n_args, char **args);
ExitCode verb_pause(const Options *options, int n_args, char **args);
ExitCode verb_resume(const Options *options, int n_args, char **args);
ExitCode verb_check_config(const Options *options, int n_args, char **args);
ExitCode verb_topology(const Options *options, int n_args, char **args);
ExitCode verb_record(const Options *options, int n_args, char **args);
ExitCode verb_replay(const Options *options, int n_args, char **args);

/* To standard error: "placerctl: ...". */
void complain(const char *format, ...) _printf_(1, 2);
