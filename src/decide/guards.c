/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The refusals of design section 4, each a row: a question and the words in which it is refused. Rows that cost a fault
 * of the machine (the kernel would destroy affinities) stand before rows that only wait. Purely a matter of what was
 * read: nothing here looks at the system. */

#include "decide/guards.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <stdio.h>

#include "base/cleanup.h"

/* Others own these, and reconcile them (container runtimes, kubelet, machined), or they are no workload. */
static const struct {
        const char *pattern;
        const char *why;
} hands_off[] = {
        {"kubepods*", "it belongs to the kubelet"},          {"docker", "it belongs to a container runtime"},
        {"docker-*", "it belongs to a container runtime"},   {"libpod-*", "it belongs to a container runtime"},
        {"crio-*", "it belongs to a container runtime"},     {"lxc*", "it belongs to a container runtime"},
        {"machine.slice", "it belongs to systemd-machined"}, {"user@*", "it belongs to a user's service manager"},
        {"init.scope", "it is the service manager itself"},  {"placerd.service", "it is placerd itself"},
};

static const char *component_hands_off(const char *name, size_t len) {
        char component[256];
        if (len >= sizeof(component))
                return NULL;
        memcpy(component, name, len);
        component[len] = '\0';
        for (size_t i = 0; i < ELEMENTSOF(hands_off); i++)
                if (fnmatch(hands_off[i].pattern, component, 0) == 0)
                        return hands_off[i].why;
        return NULL;
}

const char *guard_hands_off(const char *path, const char *unit) {
        for (const char *p = path; *p;) {
                p += strspn(p, "/");
                size_t len = strcspn(p, "/");
                const char *why = len > 0 ? component_hands_off(p, len) : NULL;
                if (why)
                        return why;
                p += len;
        }
        return unit ? component_hands_off(unit, strlen(unit)) : NULL;
}

static bool by_name(const GuardInput *in, Refusal *ret) {
        const CgroupSample *c = &in->snapshot->cgroups[in->cgroup];
        const char *why = guard_hands_off(c->path, in->facts->unit);
        if (why)
                refusal_set(ret, 0, "hands off: %s", why);
        return why;
}

static bool foreign_scheduler(const GuardInput *in, Refusal *ret) {
        if (in->snapshot->foreign_scheduler)
                refusal_set(ret, 0, "the sched_ext scheduler %s is loaded: placerd only observes",
                            in->snapshot->foreign_scheduler);
        return in->snapshot->foreign_scheduler;
}

static bool machine_is_busy(const GuardInput *in, Refusal *ret) {
        if (in->facts->system_in_transition)
                refusal_set(ret, 0, "the machine is starting, stopping or in maintenance");
        return in->facts->system_in_transition;
}

static bool not_systemds(const GuardInput *in, Refusal *ret) {
        if (in->facts->unmanaged || (in->facts->owned_by_systemd && !in->facts->delegated_above))
                return false;
        if (in->facts->delegated_above)
                refusal_set(ret, 0, "it lies below a unit that manages its own cgroups (Delegate=)");
        else
                refusal_set(ret, 0, "no systemd unit has exactly this cgroup");
        return true;
}

/* Below a unit that manages its own cgroups, the unit's name is that of the whole: who means a part says so. */
static bool not_named_by_path(const GuardInput *in, Refusal *ret) {
        const char *path = in->snapshot->cgroups[in->cgroup].path;
        if (!in->facts->unmanaged || !in->policy->name || policy_names_path(in->policy, path))
                return false;
        refusal_set(ret, 0, "systemd leaves it alone: only a policy that names its path is for it (match=%s)", path);
        return true;
}

/* systemd switches a controller on with the property. Of a cgroup that it leaves alone that is for the owner to do. */
static bool controller_off(const GuardInput *in, const char *controller, bool on, Refusal *ret) {
        const Snapshot *s = in->snapshot;
        if (!in->facts->unmanaged || on)
                return false;
        refusal_set(ret, 0, "the %s controller is not on in %s (for its owner to switch on)", controller,
                    s->cgroups[s->cgroups[in->cgroup].parent].path);
        return true;
}

static bool cpuset_is_off(const GuardInput *in, Refusal *ret) {
        return controller_off(in, "cpuset", in->snapshot->cgroups[in->cgroup].cpus, ret);
}

static bool cpu_is_off(const GuardInput *in, Refusal *ret) {
        return controller_off(in, "cpu", in->snapshot->cgroups[in->cgroup].have & CGROUP_HAVE_WEIGHT, ret);
}

static bool set_by_somebody(const GuardInput *in, Refusal *ret) {
        const CgroupSample *c = &in->snapshot->cgroups[in->cgroup];
        _cleanup_free_ char *list = NULL;
        if (in->facts->property_known && !cpuset_empty(in->facts->property_cpus))
                list = cpuset_format_list(in->facts->property_cpus);
        else if (c->cpus && !cpuset_empty(c->cpus) && !cpuset_equal(c->cpus, snapshot_allowed(in->snapshot, c->parent)))
                list = cpuset_format_list(c->cpus);
        else
                return false;
        refusal_set(ret, 0, "somebody else has set its CPUs (%s)", list ? list : "?");
        return true;
}

static bool is_partition(const GuardInput *in, Refusal *ret) {
        CpusetPartition p = in->snapshot->cgroups[in->cgroup].partition;
        bool refused = p != PARTITION_ABSENT && p != PARTITION_MEMBER;
        if (refused)
                refusal_set(ret, 0, "its cpuset is a partition of its own");
        return refused;
}

static bool has_cpuset(const GuardInput *in) {
        return in->snapshot->cgroups[in->cgroup].effective;
}

static bool isolated_cpus(const GuardInput *in, Refusal *ret) {
        const Topology *t = in->topology;
        bool isolated = (t->isolated && !cpuset_empty(t->isolated)) || (t->nohz_full && !cpuset_empty(t->nohz_full));
        bool refused = isolated && !has_cpuset(in);
        if (refused)
                refusal_set(ret, 0,
                            "the kernel runs with isolcpus or nohz_full and there is no cpuset here yet: undoing one "
                            "would not put the threads' affinities back");
        return refused;
}

/* Before 6.2 the first cpuset in a slice overwrites the affinity of every thread in it for good. A kernel whose release
 * could not be read is taken for an old one. */
static bool cpuset_destroys_affinity(const GuardInput *in, Refusal *ret) {
        if (topology_kernel_at_least(in->topology, 6, 2))
                return false;
        if (has_cpuset(in) && in->facts->n_masks_own == 0)
                return false;
        if (has_cpuset(in))
                refusal_set(ret, 0,
                            "%zu of its threads have an affinity of their own, which a cpuset would destroy for good "
                            "before kernel 6.2",
                            in->facts->n_masks_own);
        else
                refusal_set(ret, 0,
                            "before kernel 6.2 the first cpuset in a slice destroys the affinity of every thread in "
                            "it for good, and cpuset is not yet on in %s",
                            in->snapshot->cgroups[in->snapshot->cgroups[in->cgroup].parent].path);
        return true;
}

static bool too_young(const GuardInput *in, Refusal *ret) {
        if (!in->facts->age_known)
                return false;
        usec_t old_enough = in->facts->active_since_usec + in->settings->min_age_usec;
        char age[USEC_FORMAT_MAX];
        if (in->now_usec >= old_enough)
                return false;
        refusal_set(ret, old_enough, "the unit is younger than min-age=%s",
                    usec_format(in->settings->min_age_usec, age));
        return true;
}

static bool weight_set(const GuardInput *in, Refusal *ret) {
        if (in->facts->weight_idle)
                refusal_set(ret, 0, "somebody wants it to run only when all others sleep (CPUWeight=idle)");
        else if (in->facts->weight_set)
                refusal_set(ret, 0, "somebody else has set its weight (%" PRIu64 ")", in->facts->weight);
        return in->facts->weight_idle || in->facts->weight_set;
}

/* Kernels on which changing the weight of a busy group does harm, whatever the weight. */
static bool weight_breaks_kernel(const GuardInput *in, Refusal *ret) {
        static const struct {
                const char *release, *why;
        } kernels[] = {
                {"6.18.44", "changing the weight of a busy group can starve all others; fixed in 6.18.45"},
        };
        const char *release = in->topology->kernel_release;
        for (size_t i = 0; release && i < ELEMENTSOF(kernels); i++) {
                size_t len = strlen(kernels[i].release);
                if (strncmp(release, kernels[i].release, len) != 0 || (release[len] >= '0' && release[len] <= '9'))
                        continue;
                refusal_set(ret, 0, "not on kernel %s: %s", kernels[i].release, kernels[i].why);
                return true;
        }
        return false;
}

typedef bool (*Guard)(const GuardInput *in, Refusal *ret);

static void ask_guards(const Guard *guards, const GuardInput *in, Refusal *ret) {
        *ret = (Refusal){};
        while (*guards && !(*guards)(in, ret))
                guards++;
}

void guard_pin(const GuardInput *in, Refusal *ret) {
        static const Guard guards[] = {
                by_name,           foreign_scheduler, not_systemds,
                not_named_by_path, cpuset_is_off,     set_by_somebody,
                is_partition,      isolated_cpus,     cpuset_destroys_affinity,
                machine_is_busy,   too_young,         NULL,
        };
        ask_guards(guards, in, ret);
}

void guard_weight(const GuardInput *in, Refusal *ret) {
        static const Guard guards[] = {
                by_name,      foreign_scheduler,
                not_systemds, not_named_by_path,
                cpu_is_off,   weight_breaks_kernel,
                weight_set,   machine_is_busy,
                too_young,    NULL,
        };
        ask_guards(guards, in, ret);
}

void guard_fit(const Facts *facts, const Cpuset *cpus, const Cpuset *effective, Refusal *ret) {
        *ret = (Refusal){};
        for (size_t i = 0; i < facts->n_descendant_cpus; i++)
                if (!cpuset_subset(facts->descendant_cpus[i], cpus)) {
                        refusal_set(ret, 0, "a cgroup below it has a cpuset of its own that does not fit");
                        return;
                }
        for (size_t i = 0; i < facts->n_masks; i++) {
                const Cpuset *mask = facts->masks[i].cpus;
                /* A mask as wide as the effective set is no wish of the thread's own. */
                if (!mask || cpuset_subset(effective, mask) || cpuset_subset(mask, cpus))
                        continue;
                refusal_set(ret, 0, "thread %d has an affinity of its own that does not fit",
                            (int) facts->masks[i].tid);
                return;
        }
}
