/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Asking is free for everybody, so it must stay cheap: a plan (which asks the service manager about a unit) is worked
 * out for those who ask, but at most every few seconds, however often they do. The texts of the targets are report/'s;
 * added here is what only the daemon knows: its own cost, what it reads from, and why it can't act. */

#include "daemon/describe.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/strbuf.h"
#include "report/report.h"

#define ADVISE_EVERY_USEC (5 * USEC_PER_SEC)

#define _cleanup_json_ _cleanup_(json_decrefp)

static char *dump(const json_t *json) {
        return json ? json_dumps(json, JSON_COMPACT | JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(9)) : NULL;
}

/* Plans for all that have a remedy and no change. */
static void advise(Describer *d, usec_t now_usec) {
        if (d->advised_usec > 0 && now_usec < d->advised_usec + ADVISE_EVERY_USEC)
                return;
        d->advised_usec = now_usec;

        for (size_t i = 0; i < pipeline_n_targets(d->pipeline); i++) {
                TargetView v;

                pipeline_view(d->pipeline, i, &v);
                if (v.verdict && v.verdict->confirmed && v.verdict->kind->remedies[0] != ARM_NONE && !v.change)
                        (void) pipeline_advise(d->pipeline, i, now_usec);
        }
}

static int add_daemon(const Describer *d, json_t *status) {
        const Settings *settings = pipeline_settings(d->pipeline);
        const Budget *b = d->budget;
        Source sources[_SOURCE_MAX];
        int r = json_object_set_new(status, "tick", json_integer((json_int_t) pipeline_ticks(d->pipeline)));

        r |= json_object_set_new(status, "configured_interval_usec", json_integer((json_int_t) b->interval_usec));
        r |= json_object_set_new(status, "cpu_budget", json_real((double) settings->cpu_budget_permille / 1000));
        if (b->cost_usec > 0) {
                r |= json_object_set_new(status, "tick_cpu_usec", json_integer((json_int_t) b->cost_usec));
                r |= json_object_set_new(status, "cpu_used", json_real(budget_used(b)));
        }
        r |= json_object_set_new(status, "paused", json_boolean(pipeline_paused(d->pipeline)));
        sampler_sources(pipeline_sampler(d->pipeline), sources);
        r |= json_object_set_new(status, "sources", report_sources(sources));
        r |= json_object_set_new(status, "dry_run", json_boolean(d->dry_run));
        if (*d->observe_only)
                r |= json_object_set_new(status, "observe_only", json_string(*d->observe_only));
        return r;
}

char *describe_all(Describer *d, usec_t now_usec) {
        size_t n = pipeline_n_targets(d->pipeline);

        advise(d, now_usec);
        _cleanup_free_ TargetView *views = calloc(n > 0 ? n : 1, sizeof(TargetView));
        if (!views)
                return NULL;
        for (size_t i = 0; i < n; i++)
                pipeline_view(d->pipeline, i, views + i);

        _cleanup_json_ json_t *status =
                report_status(views, n, budget_interval(d->budget), pipeline_topology(d->pipeline));
        if (!status || add_daemon(d, status) != 0)
                return NULL;
        return dump(status);
}

int describe_one(Describer *d, const char *name, usec_t now_usec, char **ret_json) {
        TargetView v;
        size_t i;

        if (!pipeline_find(d->pipeline, name, &i))
                return -ENOENT;
        advise(d, now_usec);
        pipeline_view(d->pipeline, i, &v);

        _cleanup_json_ json_t *target = report_target(&v);
        char *text = dump(target);
        if (!text)
                return -ENOMEM;
        *ret_json = text;
        return 0;
}

char *describe_undo(const TargetView *v, usec_t now_usec, const char *why) {
        _cleanup_json_ json_t *undo =
                json_pack("{s:s, s:I, s:s, s:s*, s:s}", "type", "undo", "usec", (json_int_t) now_usec, "target",
                          v->path, "unit", v->unit, "reason", why);
        return dump(undo);
}

static size_t count_changes(const Pipeline *p) {
        size_t n_changes = 0;

        for (size_t i = 0; i < pipeline_n_targets(p); i++) {
                TargetView v;

                pipeline_view(p, i, &v);
                n_changes += v.change != NULL;
        }
        return n_changes;
}

char *describe_status_line(const Describer *d) {
        size_t n_targets = pipeline_n_targets(d->pipeline), n_changes = count_changes(d->pipeline);
        char interval[USEC_FORMAT_MAX], configured[USEC_FORMAT_MAX];
        StrBuf b = {};

        strbuf_printf(&b, "%zu target%s, %zu change%s, every %s", n_targets, n_targets == 1 ? "" : "s", n_changes,
                      n_changes == 1 ? "" : "s", usec_format(budget_interval(d->budget), interval));
        if (d->budget->factor > 1)
                strbuf_printf(&b, " (in place of %s, to stay within cpu-budget)",
                              usec_format(d->budget->interval_usec, configured));
        if (pipeline_paused(d->pipeline))
                strbuf_printf(&b, "; paused");
        if (d->dry_run)
                strbuf_printf(&b, "; dry run");
        else if (*d->observe_only)
                strbuf_printf(&b, "; observes only: %s", *d->observe_only);
        return strbuf_take(&b);
}
