/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* A small machine in a temporary folder, with one unit, and a pipeline over it that starts with one change in its
 * ledger. */

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "io/file.h"
#include "io/ledger.h"
#include "io/log.h"
#include "parse/settings.h"
#include "pipeline/pipeline.h"

#define UNIT_CGROUP "/system.slice/svc.service"

static char root[64];

static inline int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw) {
        return remove(path);
}

static inline int setup(void **state) {
        log_set_level(LOG_ERR);
        (void) snprintf(root, sizeof(root), "/tmp/placerd-adopt.XXXXXX");
        return mkdtemp(root) ? 0 : -1;
}

static inline int teardown(void **state) {
        return nftw(root, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static inline void put(const char *path, const char *text) {
        char full[512];

        (void) snprintf(full, sizeof(full), "%s/%s", root, path);
        for (char *p = full + strlen(root) + 1; (p = strchr(p, '/')); *p++ = '/') {
                *p = '\0';
                assert_true(mkdir(full, 0700) == 0 || errno == EEXIST);
        }
        assert_int_equal(file_replace(AT_FDCWD, full, text, strlen(text)), 0);
}

static inline void put_machine(void) {
        put("proc/stat", "cpu0 1 0 2 4 1 0 0 0 0 0\ncpu1 1 0 0 4 0 0 0 2 0 0\n");
        put("sys/fs/cgroup/cgroup.controllers", "cpuset cpu\n");
        put("sys/fs/cgroup/cpu.stat", "usage_usec 1000\n");
        put("sys/fs/cgroup/system.slice/cpu.stat", "usage_usec 900\n");
}

static inline void put_unit(void) {
        put("sys/fs/cgroup" UNIT_CGROUP "/cpu.stat", "usage_usec 800\n");
        put("sys/fs/cgroup" UNIT_CGROUP "/cgroup.procs", "");
}

static inline int reader_cgroup_fd(void *userdata) {
        return sampler_cgroup_fd(userdata);
}

/* With one change in the ledger. */
static inline Executor *executor_with_change(Sampler *sampler, bool kept, const char *residue) {
        ActReader reader = {.cgroup_fd = reader_cgroup_fd, .userdata = sampler};
        Change c = {
                .arm = ARM_PIN,
                .kept = kept,
                .target = strdup(UNIT_CGROUP),
                .unit = strdup("svc.service"),
                .to = strdup("0"),
                .verdict = strdup("churn"),
        };
        Backend *backend = NULL;
        Ledger *ledger = NULL;
        Executor *e = NULL;
        uint64_t serial;

        assert_int_equal(ledger_new_memory(&ledger), 0);
        assert_int_equal(ledger_add(ledger, &c, &serial), 0);
        assert_int_equal(ledger_set_residue(ledger, serial, residue), 0);
        assert_int_equal(dry_backend_new(&reader, &backend), 0);
        assert_int_equal(executor_new(backend, ledger, &e), 0);
        return e;
}

static inline Topology *two_cpus(void) {
        Topology *t = calloc(1, sizeof(*t));
        assert_non_null(t);
        assert_int_equal(cpuset_parse_list("0-1", 3, &t->cpus), 0);
        return t;
}

/* The policy of svc.service has mode=act. */
static inline Pipeline *start(bool kept, const char *residue, const PipelineSink *sink) {
        static const char conf[] = "[svc.service]\nmode=act\n";
        const SettingsText text = {.file = "t.conf", .text = conf, .len = strlen(conf)};
        PipelineOptions options = {.topology = two_cpus(), .sink = sink ? *sink : (PipelineSink){}};
        _cleanup_close_ int fd = dir_open(AT_FDCWD, root);
        SettingsError error = {};
        Pipeline *p = NULL;

        assert_int_equal(sampler_new(fd, &options.sampler, NULL), 0);
        assert_int_equal(settings_parse(&text, 1, &options.settings, &error), 0);
        options.executor = executor_with_change(options.sampler, kept, residue);
        assert_int_equal(pipeline_new(&options, &p), 0);
        return p;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
