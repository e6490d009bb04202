/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Who is a target and whose threads are read (design section 2). A leaf cgroup is a target; a slice only where a policy
 * names it exactly. Cheap first: without a policy only the cgroup's own files are read, until it looks suspicious. */

#include "base/cleanup.h"
#include "model/unit-name.h"
#include "pipeline/state.h"

/* A group without a policy is read with its threads from here on. */
#define SUSPICIOUS_PRESSURE_PERMILLE 50
#define SUSPICIOUS_USAGE_MILLI 500

/* A service that is being restarted is gone for a moment; its change waits that long. */
#define GONE_GRACE_USEC (30 * USEC_PER_SEC)

static bool is_slice(const char *path) {
        const char *dot = strrchr(path, '.');
        return dot && streq(dot, ".slice");
}

static const char *last_component(const char *path) {
        return strrchr(path, '/') + 1;
}

/* The section that names this slice exactly, NULL where none does. */
static const Policy *slice_policy(const Pipeline *p, const char *path) {
        const Policy *policy = settings_find_policy(p->settings, last_component(path), path);
        if (!policy)
                return NULL;
        if (streq(policy->name, last_component(path)))
                return policy;
        for (size_t i = 0; i < policy->n_matches; i++)
                if (streq(policy->matches[i], path) || streq(policy->matches[i], last_component(path)))
                        return policy;
        return NULL;
}

static bool has_cpuset_below(const Snapshot *s, size_t cgroup) {
        for (size_t i = cgroup + 1; i < s->n_cgroups && snapshot_is_below(s, i, cgroup); i++)
                if (s->cgroups[i].cpus && !cpuset_empty(s->cgroups[i].cpus))
                        return true;
        return false;
}

static bool is_target(const Pipeline *p, const Snapshot *s, size_t cgroup) {
        const CgroupSample *c = &s->cgroups[cgroup];
        if (cgroup == 0)
                return false;
        if (is_slice(c->path))
                return slice_policy(p, c->path) && !has_cpuset_below(s, cgroup);
        return c->leaf;
}

static const Policy *policy_for(const Pipeline *p, const Target *t) {
        const Policy *policy = settings_find_policy(p->settings, t->unit, t->path);
        return policy ? policy : &p->settings->defaults;
}

static int take_up(Pipeline *p, size_t cgroup) {
        const CgroupSample *c = &p->snapshot->cgroups[cgroup];
        Target *t;
        int r = targets_get(&p->targets, c->path, &t);
        if (r < 0)
                return r;
        t->policy = policy_for(p, t);
        t->cgroup = cgroup;
        t->gone_usec = 0;
        if (t->id != c->id) {
                target_restart(t, c->id);
                /* After a change of the unit: is the pin still wanted? Looked at when it is old enough. */
                if (t->phase.phase == PHASE_KEPT)
                        t->recheck_usec = p->now_usec + p->settings->min_age_usec;
        }
        return 0;
}

/* A target that is gone takes its measurements with it; its change stays for a moment, in case it comes back. */
static void let_go(Pipeline *p, size_t i) {
        Target *t = p->targets.items[i];
        if (t->gone_usec == 0)
                t->gone_usec = p->now_usec;
        t->judged = false;
        if (pipeline_change(p, t) && p->now_usec < t->gone_usec + GONE_GRACE_USEC)
                return;
        (void) pipeline_undo_target(p, t, "the unit has ended");
        targets_remove(&p->targets, i);
}

int pipeline_update_targets(Pipeline *p) {
        for (size_t i = 0; i < p->targets.n; i++)
                p->targets.items[i]->cgroup = CGROUP_NONE;

        for (size_t i = 0; i < p->snapshot->n_cgroups; i++) {
                if (!is_target(p, p->snapshot, i))
                        continue;
                int r = take_up(p, i);
                if (r < 0)
                        return r;
        }

        for (size_t i = p->targets.n; i-- > 0;)
                if (p->targets.items[i]->cgroup == CGROUP_NONE)
                        let_go(p, i);
        return 0;
}

bool pipeline_is_suspicious(const Target *t) {
        const TickRecord *r = history_at(&t->history, 0);
        if (!r)
                return false;
        return counts_get(&r->cgroup, CGROUP_SOME_USEC) * 1000 >= r->dt_usec * SUSPICIOUS_PRESSURE_PERMILLE ||
               counts_get(&r->cgroup, CGROUP_USAGE_USEC) * 1000 >= r->dt_usec * SUSPICIOUS_USAGE_MILLI;
}

/* For itself, or for a slice above it that is a target. */
static bool has_policy(const Pipeline *p, const Snapshot *s, size_t cgroup) {
        for (size_t i = cgroup; i != CGROUP_NONE && i != 0; i = s->cgroups[i].parent) {
                const Target *t = targets_find(&p->targets, s->cgroups[i].path);
                if (t && t->policy->name && t->policy->mode != MODE_IGNORE)
                        return true;
        }
        return false;
}

/* A policy's target that is seen for the first time is not in the set yet. */
static bool is_named(const Pipeline *p, const CgroupSample *c) {
        _cleanup_free_ char *unit = NULL;
        bool exact;
        if (unit_name_from_path(c->path, &unit, &exact) < 0)
                return false;
        const Policy *policy = settings_find_policy(p->settings, unit, c->path);
        return policy && policy->mode != MODE_IGNORE;
}

SampleWant pipeline_wants(const Snapshot *s, size_t cgroup, void *userdata) {
        const Pipeline *p = userdata;
        if (cgroup == 0)
                return SAMPLE_CGROUP; /* kernel threads: see record_make_kernel() */
        if (p->all_are_read)
                return SAMPLE_BOTH;
        const Target *t = targets_find(&p->targets, s->cgroups[cgroup].path);
        if (t ? has_policy(p, s, cgroup) : is_named(p, &s->cgroups[cgroup]))
                return SAMPLE_BOTH;
        if (p->reading_all)
                return SAMPLE_THREADS;
        return t && t->policy->mode != MODE_IGNORE && pipeline_is_suspicious(t) ? SAMPLE_THREADS : SAMPLE_CGROUP;
}
