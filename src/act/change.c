/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A change as it goes into the ledger: what the executor knows of it. The rest, what undoing will need, is the
 * backend's to add. */

#include "act/change.h"

#include <errno.h>
#include <stdlib.h>

#include "act/setting.h"

const char *change_name(const Change *change) {
        return change->unit ? change->unit : change->target;
}

static int text_copy(const char *text, char **ret) {
        *ret = text ? strdup(text) : NULL;
        return text && !*ret ? -ENOMEM : 0;
}

int change_make(const Plan *plan, const Facts *facts, const char *verdict, usec_t now_usec, Change *c) {
        int r = text_copy(plan->target, &c->target);
        if (r == 0)
                r = text_copy(plan->unit, &c->unit);
        if (r == 0)
                r = text_copy(facts->invocation, &c->invocation);
        if (r == 0)
                r = text_copy(verdict, &c->verdict);
        if (r == 0)
                r = text_copy(plan->reason, &c->reason);
        if (r == 0)
                r = setting_of_facts(plan->arm, facts, &c->from);
        if (r < 0)
                return r;
        c->to = plan_value(plan);
        c->arm = plan->arm;
        c->applied_usec = now_usec;
        return c->to ? 0 : -ENOMEM;
}

int change_inherit(Change *c, const Change *earlier) {
        char *file_from;

        /* Where a property is set by now, the file is as that says. */
        if (c->from)
                return 0;
        int r = text_copy(earlier->file_from, &file_from);
        if (r < 0)
                return r;
        free(c->file_from);
        c->file_from = file_from;
        return 0;
}

void change_share(Change *c, const Change *other) {
        c->drop_in_place_existed &= other->drop_in_place_existed;
        if (streq_ptr(other->unit, c->unit))
                c->drop_in_dir_existed &= other->drop_in_dir_existed;
}
