/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What a predecessor left in the ledger, looked at by a pipeline that starts on a machine where the unit is there or
 * not. */

#include "test.h"

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
#include "report/report.h"

#define UNIT_CGROUP "/system.slice/svc.service"

static char root[64];

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw) {
        return remove(path);
}

static int setup(void **state) {
        log_set_level(LOG_ERR);
        (void) snprintf(root, sizeof(root), "/tmp/placerd-adopt.XXXXXX");
        return mkdtemp(root) ? 0 : -1;
}

static int teardown(void **state) {
        return nftw(root, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static void put(const char *path, const char *text) {
        char full[512];

        (void) snprintf(full, sizeof(full), "%s/%s", root, path);
        for (char *p = full + strlen(root) + 1; (p = strchr(p, '/')); *p++ = '/') {
                *p = '\0';
                assert_true(mkdir(full, 0700) == 0 || errno == EEXIST);
        }
        assert_int_equal(file_replace(AT_FDCWD, full, text, strlen(text)), 0);
}

static void put_machine(void) {
        put("proc/stat", "cpu0 1 0 2 4 1 0 0 0 0 0\ncpu1 1 0 0 4 0 0 0 2 0 0\n");
        put("sys/fs/cgroup/cgroup.controllers", "cpuset cpu\n");
        put("sys/fs/cgroup/cpu.stat", "usage_usec 1000\n");
        put("sys/fs/cgroup/system.slice/cpu.stat", "usage_usec 900\n");
}

static void put_unit(void) {
        put("sys/fs/cgroup" UNIT_CGROUP "/cpu.stat", "usage_usec 800\n");
        put("sys/fs/cgroup" UNIT_CGROUP "/cgroup.procs", "");
}

static int reader_cgroup_fd(void *userdata) {
        return sampler_cgroup_fd(userdata);
}

/* With one change in the ledger. */
static Executor *executor_with_change(Sampler *sampler, bool kept, const char *residue) {
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

static Topology *two_cpus(void) {
        Topology *t = calloc(1, sizeof(*t));
        assert_non_null(t);
        assert_int_equal(cpuset_parse_list("0-1", 3, &t->cpus), 0);
        return t;
}

static Pipeline *start(bool kept, const char *residue) {
        static const char conf[] = "[svc.service]\nmode=act\n";
        const SettingsText text = {.file = "t.conf", .text = conf, .len = strlen(conf)};
        PipelineOptions options = {.topology = two_cpus()};
        _cleanup_close_ int fd = dir_open(AT_FDCWD, root);
        SettingsError error = {};
        Pipeline *p = NULL;

        assert_int_equal(sampler_new(fd, &options.sampler, NULL), 0);
        assert_int_equal(settings_parse(&text, 1, &options.settings, &error), 0);
        options.executor = executor_with_change(options.sampler, kept, residue);
        assert_int_equal(pipeline_new(&options, &p), 0);
        return p;
}

/* Whatever is asked between two ticks finds targets that can be described. */
static void describe_all(const Pipeline *p) {
        for (size_t i = 0; i < pipeline_n_targets(p); i++) {
                TargetView view;
                pipeline_view(p, i, &view);
                assert_non_null(view.policy);
                _cleanup_free_ char *text = report_explain(&view);
                assert_non_null(text);
        }
}

static void test_residue_of_a_unit_that_is_gone(void **state) {
        put_machine();
        _cleanup_(pipeline_freep) Pipeline *p = start(true, "cpuset.cpus is still 0-1");

        assert_int_equal(pipeline_tick(p, 1000000), 0);
        assert_int_equal(pipeline_tick(p, 2000000), 0);
        describe_all(p);
        /* The unit starts: its first look must not meet what was made for the ledger. */
        put_unit();
        assert_int_equal(pipeline_tick(p, 3000000), 0);
        assert_int_equal(pipeline_tick(p, 4000000), 0);
        describe_all(p);
        size_t i;
        assert_true(pipeline_find(p, "svc.service", &i));
}

static void test_kept_change_is_taken_over(void **state) {
        put_machine();
        put_unit();
        _cleanup_(pipeline_freep) Pipeline *p = start(true, NULL);
        TargetView view;
        size_t i;

        assert_int_equal(pipeline_tick(p, 1000000), 0);
        assert_int_equal(pipeline_tick(p, 2000000), 0);
        describe_all(p);
        assert_true(pipeline_find(p, "svc.service", &i));
        pipeline_view(p, i, &view);
        assert_non_null(view.change);
        assert_null(view.change->residue);
}

static void test_trial_that_was_cut_off_is_undone(void **state) {
        put_machine();
        put_unit();
        _cleanup_(pipeline_freep) Pipeline *p = start(false, NULL);
        TargetView view;
        size_t i;

        assert_int_equal(pipeline_tick(p, 1000000), 0);
        assert_int_equal(pipeline_tick(p, 2000000), 0);
        describe_all(p);
        assert_true(pipeline_find(p, "svc.service", &i));
        pipeline_view(p, i, &view);
        assert_null(view.change);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void) {
        const struct CMUnitTest tests[] = {
                TEST(test_residue_of_a_unit_that_is_gone),
                TEST(test_kept_change_is_taken_over),
                TEST(test_trial_that_was_cut_off_is_undone),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
