/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* What the D-Bus object hands out: views of the pipeline as JSON. */

#include "daemon/budget.h"
#include "pipeline/pipeline.h"

typedef struct Describer {
        Pipeline *pipeline;
        const Budget *budget;
        const char *const *observe_only; /* points to the reason why nothing can be changed here; to NULL: none */
        bool dry_run;
        usec_t advised_usec; /* when plans were last worked out, 0 never */
} Describer;

/* Newly allocated, NULL where memory is short. */
char *describe_all(Describer *d, usec_t now_usec);

/* -ENOENT: no such target; -ENOMEM. */
int describe_one(Describer *d, const char *name, usec_t now_usec, char **ret_json);

/* What goes with the signal Decision for an undo. Newly allocated, NULL where memory is short. */
char *describe_undo(const TargetView *v, usec_t now_usec, const char *why);

/* The line of STATUS=. Newly allocated, NULL where memory is short. */
char *describe_status_line(const Describer *d);
