/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Lets go of what was learned of a target; the backends fill it in. */

#include "model/facts.h"

#include <stdlib.h>

void facts_done(Facts *f) {
        free(f->unit);
        free(f->invocation);
        cpuset_free(f->property_cpus);
        thread_masks_free(f->masks, f->n_masks);
        for (size_t i = 0; i < f->n_descendant_cpus; i++)
                cpuset_free(f->descendant_cpus[i]);
        free(f->descendant_cpus);
        *f = (Facts){};
}
