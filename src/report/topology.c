/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The machine as placement sees it: domains, nodes, core types. What `placerctl topology` prints is what a pin is
 * chosen from. */

#include "base/format.h"
#include "base/strbuf.h"
#include "report/object.h"
#include "report/report.h"

#define BYTES_PER_MIB (UINT64_C(1024) * 1024)

/* NULL set: no key. */
static int object_cpus(json_t *o, const char *key, const Cpuset *cpus) {
        if (!cpus)
                return 0;

        char *list = cpuset_format_list(cpus);
        int failed = list ? object_text(o, key, list) : -1;
        free(list);
        return failed;
}

static json_t *domain_json(const Domain *d) {
        json_t *o = json_object();
        int failed = object_text(o, "level", domain_level_name(d->level)) | object_cpus(o, "cpus", d->cpus);

        if (d->node >= 0)
                failed |= object_integer(o, "node", (uint64_t) d->node);
        if (d->package >= 0)
                failed |= object_integer(o, "package", (uint64_t) d->package);
        if (d->kind != KIND_MIXED)
                failed |= object_integer(o, "kind", d->kind);
        return object_finish(o, failed);
}

static json_t *domains_json(const Topology *t) {
        json_t *list = json_array();

        for (size_t i = 0; i < t->n_domains; i++)
                if (json_array_append_new(list, domain_json(&t->domains[i])) < 0)
                        return object_finish(list, -1);
        return list;
}

static json_t *nodes_json(const Topology *t) {
        json_t *list = json_array();

        for (size_t i = 0; i < t->n_nodes; i++) {
                json_t *o = json_object();
                int failed = object_integer(o, "node", t->nodes[i].id) | object_cpus(o, "cpus", t->nodes[i].cpus) |
                             object_integer(o, "memory_bytes", t->nodes[i].memory_bytes);
                if (json_array_append_new(list, object_finish(o, failed)) < 0)
                        return object_finish(list, -1);
        }
        return list;
}

static json_t *kinds_json(const Topology *t) {
        json_t *list = json_array();

        for (size_t i = 0; i < t->n_kinds; i++) {
                json_t *o = json_object();
                int failed = object_cpus(o, "cpus", t->kinds[i]);
                if (json_array_append_new(list, object_finish(o, failed)) < 0)
                        return object_finish(list, -1);
        }
        return list;
}

json_t *report_topology(const Topology *t) {
        json_t *o = json_object();
        int failed = object_cpus(o, "cpus", t->cpus) | object_cpus(o, "isolated", t->isolated) |
                     object_cpus(o, "nohz_full", t->nohz_full) | object_text(o, "kernel", t->kernel_release) |
                     object_take(o, "domains", domains_json(t)) | object_take(o, "nodes", nodes_json(t)) |
                     object_bool(o, "kinds_known", t->kinds_known);
        if (t->kinds_known)
                failed |= object_take(o, "kinds", kinds_json(t));
        return object_finish(o, failed);
}

static void add_cpus(StrBuf *b, const char *before, const Cpuset *cpus) {
        char *list = cpus ? cpuset_format_list(cpus) : NULL;

        if (cpus && !list)
                b->failed = true;
        else if (list && list[0])
                strbuf_printf(b, "%s%s", before, list);
        free(list);
}

static void add_domain(StrBuf *b, const Topology *t, const Domain *d) {
        char number[FORMAT_MAX];

        strbuf_printf(b, "%-8s ", domain_level_name(d->level));
        add_cpus(b, "", d->cpus);
        strbuf_printf(b, "  (%s CPU%s", format_count(cpuset_count(d->cpus), number),
                      cpuset_count(d->cpus) == 1 ? "" : "s");
        if (d->node >= 0)
                strbuf_printf(b, ", node %d", d->node);
        if (d->package >= 0)
                strbuf_printf(b, ", package %d", d->package);
        if (t->n_kinds > 1 && d->kind != KIND_MIXED)
                strbuf_printf(b, ", core type %u", d->kind);
        strbuf_printf(b, ")\n");
}

char *report_topology_text(const Topology *t) {
        char number[FORMAT_MAX];
        StrBuf b = {};

        strbuf_printf(&b, "%s CPU%s", format_count(cpuset_count(t->cpus), number),
                      cpuset_count(t->cpus) == 1 ? "" : "s");
        add_cpus(&b, ": ", t->cpus);
        add_cpus(&b, ", isolated ", t->isolated);
        add_cpus(&b, ", nohz_full ", t->nohz_full);
        strbuf_printf(&b, "\n");

        for (size_t i = 0; i < t->n_domains; i++)
                add_domain(&b, t, &t->domains[i]);
        for (size_t i = 0; i < t->n_nodes; i++) {
                strbuf_printf(&b, "memory   node %u: %s MiB", t->nodes[i].id,
                              format_count(t->nodes[i].memory_bytes / BYTES_PER_MIB, number));
                add_cpus(&b, ", CPUs ", t->nodes[i].cpus);
                strbuf_printf(&b, "\n");
        }
        for (size_t i = 0; t->kinds_known && t->n_kinds > 1 && i < t->n_kinds; i++) {
                strbuf_printf(&b, "cores    type %zu:", i);
                add_cpus(&b, " ", t->kinds[i]);
                strbuf_printf(&b, "\n");
        }
        return strbuf_take(&b);
}
