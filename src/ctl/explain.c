/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* placerctl explain, advise, undo, pause and resume: the daemon's own words, printed, and its buttons. */

#include "ctl/client.h"
#include "ctl/screen.h"

ExitCode verb_explain(const Options *options, int n_args, char **args) {
        json_t *o = NULL;

        ExitCode code = client_describe_target(args[0], &o);
        if (code != EXIT_DONE)
                return code;

        const char *text = json_string_value(json_object_get(o, "explain"));
        screen_begin(options);
        if (options->json)
                code = screen_json(o);
        else
                (void) fputs(text ? text : "", stdout);
        screen_done();
        json_decref(o);
        return code;
}

/* The targets that have advice: an array, new reference. */
static json_t *advised_targets(const json_t *status) {
        const json_t *targets = json_object_get(status, "targets");
        json_t *target, *list = json_array();
        size_t i;

        json_array_foreach(targets, i, target) if (json_object_get(target, "advice"))(void)
                json_array_append(list, target);
        return list;
}

static void print_advice(const json_t *targets) {
        const json_t *target;
        size_t i;

        if (json_array_size(targets) == 0)
                printf("# Nothing to advise: no target has a verdict that a change could help, or it is made "
                       "already.\n");
        json_array_foreach(targets, i, target)
                printf("%s%s", i > 0 ? "\n" : "", json_string_value(json_object_get(target, "advice")));
}

ExitCode verb_advise(const Options *options, int n_args, char **args) {
        json_t *o = NULL;

        ExitCode code = client_describe(&o);
        if (code != EXIT_DONE)
                return code;

        json_t *targets = advised_targets(o);
        screen_begin(options);
        if (options->json)
                code = screen_json(targets);
        else
                print_advice(targets);
        screen_done();
        json_decref(targets);
        json_decref(o);
        return code;
}

ExitCode verb_undo(const Options *options, int n_args, char **args) {
        unsigned undone = 0;

        if (options->all == (n_args > 0)) {
                complain("undo takes a TARGET or --all, and not both");
                return EXIT_USAGE;
        }

        ExitCode code = client_undo(options->all ? NULL : args[0], &undone);
        if (code != EXIT_DONE)
                return code;
        if (options->json)
                printf("{\"undone\":%u}\n", undone);
        else if (undone == 0)
                printf("Nothing was changed, so there is nothing to undo.\n");
        else
                printf("%u change%s undone.\n", undone, undone == 1 ? "" : "s");
        return EXIT_DONE;
}

ExitCode verb_pause(const Options *options, int n_args, char **args) {
        unsigned broken_off = 0;

        ExitCode code = client_pause(&broken_off);
        if (code != EXIT_DONE)
                return code;
        if (options->json)
                printf("{\"paused\":true,\"broken_off\":%u}\n", broken_off);
        else if (broken_off == 0)
                printf("Paused: nothing is changed or tried until 'placerctl resume'.\n");
        else
                printf("Paused: nothing is changed or tried until 'placerctl resume'; %u trial%s broken off and "
                       "undone.\n",
                       broken_off, broken_off == 1 ? " was" : "s were");
        return EXIT_DONE;
}

ExitCode verb_resume(const Options *options, int n_args, char **args) {
        ExitCode code = client_resume();
        if (code == EXIT_DONE)
                printf(options->json ? "{\"paused\":false}\n" : "placerd goes on.\n");
        return code;
}
