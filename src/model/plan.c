/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Plans, refusals and changes: who owns what in them, and the words that systemd has for them. */

#include "model/plan.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void plan_done(Plan *p) {
        free(p->target);
        free(p->unit);
        cpuset_free(p->cpus);
        free(p->reason);
        *p = (Plan){};
}

const char *arm_property(Arm arm) {
        static const char *const properties[_ARM_MAX] = {
                [ARM_PIN] = "AllowedCPUs",
        };
        assert(arm > ARM_NONE && arm < _ARM_MAX);
        return properties[arm];
}

char *plan_value(const Plan *p) {
        assert(p->arm == ARM_PIN && p->cpus);
        return cpuset_format_list(p->cpus);
}

void refusal_set(Refusal *r, usec_t until_usec, const char *format, ...) {
        va_list args;

        r->refused = true;
        r->until_usec = until_usec;
        va_start(args, format);
        (void) vsnprintf(r->text, sizeof(r->text), format, args);
        va_end(args);
}

void thread_masks_free(ThreadMask *masks, size_t n) {
        for (size_t i = 0; i < n; i++)
                cpuset_free(masks[i].cpus);
        free(masks);
}

void change_done(Change *c) {
        free(c->target);
        free(c->unit);
        free(c->invocation);
        free(c->from);
        free(c->to);
        free(c->file_from);
        free(c->effective_from);
        thread_masks_free(c->masks, c->n_masks);
        free(c->verdict);
        free(c->reason);
        free(c->residue);
        *c = (Change){};
}
