/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What can be asked of a topology once it is there. Domains lie in one array, grouped by level: a level is a slice of
 * it. The fingerprint is the text by which a saved plan is told from one for another machine, or for this one before
 * a CPU went offline. */

#include "model/topology.h"

#include <errno.h>
#include <stdlib.h>

#include "base/strbuf.h"

Topology *topology_free(Topology *t) {
        if (!t)
                return NULL;

        for (size_t i = 0; i < t->n_domains; i++)
                cpuset_free(t->domains[i].cpus);
        for (size_t i = 0; i < t->n_nodes; i++)
                cpuset_free(t->nodes[i].cpus);
        for (size_t i = 0; i < t->n_kinds; i++)
                cpuset_free(t->kinds[i]);

        free(t->domains);
        free(t->nodes);
        free(t->kinds);
        cpuset_free(t->cpus);
        cpuset_free(t->isolated);
        cpuset_free(t->nohz_full);
        free(t->kernel_release);
        free(t);
        return NULL;
}

const char *domain_level_name(DomainLevel level) {
        static const char *const names[_DOMAIN_LEVEL_MAX] = {
                [DOMAIN_LLC] = "llc",
                [DOMAIN_CLUSTER] = "cluster",
                [DOMAIN_NODE] = "node",
                [DOMAIN_PACKAGE] = "package",
        };
        assert(level < _DOMAIN_LEVEL_MAX);
        return names[level];
}

const char *cgroup_mode_name(CgroupMode mode) {
        static const char *const names[_CGROUP_MODE_MAX] = {
                [CGROUP_MODE_SMP] = "smp", [CGROUP_MODE_UP] = "up",       [CGROUP_MODE_CONCUR] = "concur",
                [CGROUP_MODE_MAX] = "max", [CGROUP_MODE_TASKS] = "tasks",
        };
        assert(mode < _CGROUP_MODE_MAX);
        return names[mode];
}

bool topology_finest_level(const Topology *t, DomainLevel *ret) {
        const Domain *domains;

        for (DomainLevel level = 0; level < _DOMAIN_LEVEL_MAX; level++)
                if (topology_level(t, level, &domains) > 0) {
                        *ret = level;
                        return true;
                }
        return false;
}

size_t topology_level(const Topology *t, DomainLevel level, const Domain **ret) {
        size_t first = 0, n = 0;

        while (first < t->n_domains && t->domains[first].level != level)
                first++;
        while (first + n < t->n_domains && t->domains[first + n].level == level)
                n++;

        *ret = n > 0 ? t->domains + first : NULL;
        return n;
}

/* Takes a number of a release such as "6.12.117+deb13-cloud-amd64" or "6.1-rc3": it ends where the digits end. */
static bool take_number(const char **text, unsigned *ret) {
        const char *p = *text;
        unsigned value = 0;

        for (; *p >= '0' && *p <= '9' && value < 100000; p++)
                value = value * 10 + (unsigned) (*p - '0');
        if (p == *text)
                return false;

        *text = p;
        *ret = value;
        return true;
}

bool topology_kernel_at_least(const Topology *t, unsigned major, unsigned minor) {
        const char *p = t->kernel_release;
        unsigned has_major, has_minor;

        if (!p || !take_number(&p, &has_major) || *p != '.')
                return false;
        p++; /* the dot */
        if (!take_number(&p, &has_minor))
                return false;
        return has_major > major || (has_major == major && has_minor >= minor);
}

static int add_list(StrBuf *text, const Cpuset *cpus) {
        char *list = cpuset_format_list(cpus);
        if (!list)
                return -ENOMEM;
        strbuf_printf(text, " %s", list);
        free(list);
        return 0;
}

char *topology_fingerprint(const Topology *t) {
        StrBuf text = {};
        int r;

        strbuf_printf(&text, "%u CPUs", cpuset_count(t->cpus));
        r = add_list(&text, t->cpus);
        for (size_t i = 0; r == 0 && i < t->n_domains; i++) {
                const Domain *d = t->domains + i;
                if (i == 0 || d[-1].level != d->level)
                        strbuf_printf(&text, "; %s", domain_level_name(d->level));
                r = add_list(&text, d->cpus);
        }

        if (r < 0) {
                strbuf_done(&text);
                return NULL;
        }
        return strbuf_take(&text);
}
