/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What an administrator could do: the policy that lets placerd do it (and judge it, and undo it), and the one command
 * that does the same by hand. Both can be pasted as they are: whatever is no such line begins with '#'. */

#include "base/strbuf.h"
#include "report/parts.h"
#include "report/report.h"

/* Is this very section the target's own, so that a second one of that name would be an error? */
static bool has_own_section(const TargetView *v) {
        return v->policy && v->policy->name && (streq_ptr(v->policy->name, v->unit) || streq(v->policy->name, v->path));
}

static void add_policy(StrBuf *b, const TargetView *v) {
        if (has_own_section(v))
                strbuf_printf(b, "# in %s:%u\n[%s]\nmode=act\n", v->policy->file ? v->policy->file : "?",
                              v->policy->line, v->policy->name);
        else if (v->unit)
                strbuf_printf(b, "[%s]\nmode=act\n", v->unit);
        else
                strbuf_printf(b, "[%s]\nmatch=%s\nmode=act\n", v->path, v->path);
}

static bool is_plain(char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               (c && strchr("_-.:@/+,", c));
}

/* Unit names may hold backslashes (dev-disk-by\x2dlabel...), which a shell would take. */
static void add_shell_word(StrBuf *b, const char *word) {
        size_t plain = 0;
        while (is_plain(word[plain]))
                plain++;
        if (word[plain] == '\0') {
                strbuf_printf(b, "%s", word);
                return;
        }

        strbuf_printf(b, "'");
        for (const char *c = word; *c; c++)
                if (*c == '\'')
                        strbuf_printf(b, "'\\''");
                else
                        strbuf_printf(b, "%c", *c);
        strbuf_printf(b, "'");
}

static void add_set_property(StrBuf *b, const Plan *plan, const char *value) {
        strbuf_printf(b, "systemctl set-property --runtime ");
        add_shell_word(b, plan->unit);
        strbuf_printf(b, " %s=%s\n", arm_property(plan->arm), value);
}

/* Where no unit has the cgroup, whoever made it writes its files. */
static void add_echo(StrBuf *b, const Plan *plan, const char *value) {
        strbuf_printf(b, "echo %s >/sys/fs/cgroup", value);
        add_shell_word(b, plan->target);
        strbuf_printf(b, "/%s\n", arm_file(plan->arm));
}

static void add_command(StrBuf *b, const TargetView *v) {
        char *value = plan_value(v->plan);
        if (!value) {
                b->failed = true;
                return;
        }

        strbuf_printf(b, "# or once, by hand, until the next boot:\n");
        if (v->plan->unit)
                add_set_property(b, v->plan, value);
        else
                add_echo(b, v->plan, value);
        free(value);
}

static bool has_advice(const TargetView *v) {
        return v->plan && v->plan->arm != ARM_NONE && !v->change && !(v->refusal && v->refusal->refused) &&
               !(v->policy && v->policy->mode == MODE_IGNORE);
}

char *report_advice(const TargetView *v) {
        StrBuf b = {};

        if (!has_advice(v))
                return strbuf_take_shown(&b);

        strbuf_printf(&b, "# %s: %s\n", view_name(v),
                      v->plan->reason ? v->plan->reason
                      : v->verdict    ? v->verdict->text
                                      : "");
        if (!v->policy || v->policy->mode != MODE_ACT)
                add_policy(&b, v);
        add_command(&b, v);
        return strbuf_take_shown(&b);
}

char *report_hint(const TargetView *views, size_t n) {
        const TargetView *first = NULL;
        size_t more = 0;
        StrBuf b = {};

        for (size_t i = 0; i < n; i++) {
                if (views[i].policy && views[i].policy->name && views[i].policy->mode == MODE_ACT)
                        return strbuf_take_shown(&b);
                if (!has_advice(&views[i]) || !views[i].unit)
                        continue;
                if (first)
                        more++;
                else
                        first = &views[i];
        }
        if (!first)
                return strbuf_take_shown(&b);

        strbuf_printf(&b, "Nothing is changed: no policy says mode=act. These three lines would switch it on for what "
                          "is seen here:\n\n");
        strbuf_printf(&b, "# /etc/placerd.conf.d/local.conf, then: systemctl reload placerd\n[%s]\nmode=act\n",
                      first->unit);
        if (more > 0)
                strbuf_printf(&b, "\nand likewise for %zu more: placerctl advise\n", more);
        return strbuf_take_shown(&b);
}
