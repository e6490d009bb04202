/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What a predecessor of this process left in the ledger, looked through once, at the start. */

#include "pipeline/treat.h"

/* A change that was made before this process began: kept ones are taken over as they are, those whose trial was cut off
 * are undone, and so is everything that no policy lets stand. */
static const char *reason_to_undo(const Target *t, const Change *c) {
        if (!t || t->cgroup == CGROUP_NONE)
                return "the unit has ended";
        if (!pipeline_may_stand(t, c))
                return "no policy lets it stand";
        return c->kept ? NULL : "its trial was cut off";
}

int pipeline_adopt(Pipeline *p) {
        int r = 0;
        if (p->adopted || !p->executor)
                return 0;
        for (size_t i = executor_size(p->executor); r >= 0 && i-- > 0;) {
                const Change *c = executor_at(p->executor, i);
                Target *t;
                r = targets_get(&p->targets, c->target, &t);
                if (r < 0)
                        continue;
                if (!t->policy)
                        t->policy = &p->settings->defaults;
                if (c->residue)
                        continue;
                const char *why = reason_to_undo(t, c);
                if (why)
                        (void) pipeline_undo_target(p, t, why);
                else
                        r = treat_take_over(p, t, c);
        }
        p->adopted = r >= 0; /* memory was short: the rest of it in the next tick */
        return r;
}
