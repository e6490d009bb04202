/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Plans, refusals and changes: who owns what in them, and the words that systemd has for them. */

#include "model/plan.h"

#include <inttypes.h>
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

static const struct {
        const char *property, *file;
} settings[_ARM_MAX] = {
        [ARM_WEIGHT] = {"CPUWeight", "cpu.weight"},
        [ARM_PIN] = {"AllowedCPUs", "cpuset.cpus"},
};

const char *arm_property(Arm arm) {
        assert(arm > ARM_NONE && arm < _ARM_MAX);
        return settings[arm].property;
}

const char *arm_file(Arm arm) {
        assert(arm > ARM_NONE && arm < _ARM_MAX);
        return settings[arm].file;
}

const char *arm_setting(Arm arm, const char *unit) {
        return unit ? arm_property(arm) : arm_file(arm);
}

char *plan_value(const Plan *p) {
        char *text = NULL;
        switch (p->arm) {
        case ARM_WEIGHT:
                return asprintf(&text, "%" PRIu64, p->weight) < 0 ? NULL : text;
        case ARM_PIN:
                return cpuset_format_list(p->cpus);
        case ARM_NONE:
        case _ARM_MAX:
                break;
        }
        assert(false);
        return NULL;
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
        free(c->former);
        free(c->to);
        free(c->file_from);
        free(c->effective_from);
        thread_masks_free(c->masks, c->n_masks);
        free(c->verdict);
        free(c->reason);
        free(c->residue);
        *c = (Change){};
}
