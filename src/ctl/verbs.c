/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The table of verbs: what --help lists is what can be run. A verb that is not built yet has no row. */

#include "ctl/verbs.h"

/* clang-format off */
static const Verb verbs[] = {
        { "status",       "[TARGET]",  0, 1, verb_status,       "show targets, what they suffer from and what is done about it" },
        { "explain",      "TARGET",    1, 1, verb_explain,      "tell what was seen, what was done, and what that did" },
        { "advise",       "",          0, 0, verb_advise,       "print policies and commands that would help" },
        { "undo",         "TARGET|--all", 0, 1, verb_undo,      "put back now what was changed" },
        { "pause",        "",          0, 0, verb_pause,        "change and try nothing from now on" },
        { "resume",       "",          0, 0, verb_resume,       "go on after a pause" },
        { "check-config", "[FILE]",    0, 1, verb_check_config, "check the configuration" },
        { "topology",     "",          0, 0, verb_topology,     "show cache domains, nodes and core types" },
        { "record",       "DIR",       1, 1, verb_record,       "copy what a tick reads, a frame each interval" },
        { "replay",       "DIR",       1, 1, verb_replay,       "judge a recording; changes are only noted" },
};
/* clang-format on */

const Verb *verb_find(const char *name) {
        for (size_t i = 0; i < ELEMENTSOF(verbs); i++)
                if (streq(verbs[i].name, name))
                        return &verbs[i];
        return NULL;
}

void verbs_help(FILE *f) {
        for (size_t i = 0; i < ELEMENTSOF(verbs); i++)
                (void) fprintf(f, "  %-13s%-13s %s\n", verbs[i].name, verbs[i].arguments, verbs[i].help);
}
