/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The executor over a backend made of paper: a property, a file that may refuse to be emptied, a drop-in. Each call
 * leaves a letter, and whether the ledger on disk held the change at that moment, so that orders can be compared. */

#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "act/executor.h"
#include "base/cleanup.h"
#include "io/file.h"

#define BOOT "boot"
#define PATH "/system.slice/svc.service"

/* The system outlives the executors that come and go. */
typedef struct World {
        char dir[64];
        int dirfd;
        char calls[256];
        char *property;     /* NULL: unset */
        const char *left;   /* what undo can't put back */
        bool drop_in, gone; /* the unit is gone */
        bool was_resumed, place;
        int prepare_error, apply_error, undo_error, flush_error;
        Executor *executor;
} World;

typedef struct Fake {
        Backend backend;
        World *world;
} Fake;

static void set(World *w, const char *value) {
        free(w->property);
        w->property = value ? strdup(value) : NULL;
}

/* "A+": apply was called while the file of the ledger held something in force, "A!" begun, "A-" nothing. */
static void called(World *w, char what) {
        _cleanup_(ledger_freep) Ledger *l = NULL;
        char mark[3] = {what, '-', 0};

        assert_int_equal(ledger_open(w->dirfd, "ledger", BOOT, &l), 0);
        if (ledger_size(l) > 0)
                mark[1] = ledger_at(l, ledger_size(l) - 1)->residue ? '!' : '+';
        assert_true(strlen(w->calls) + 2 < sizeof(w->calls));
        strcat(w->calls, mark);
}

static World *world(Backend *b) {
        return ((Fake *) b)->world;
}

static void fake_free(Backend *b) {
        free(b);
}

static int fake_inspect(Backend *b, const char *path, Facts *ret) {
        return -ENOSYS;
}

static int fake_prepare(Backend *b, Change *change, char **ret_why) {
        World *w = world(b);
        called(w, 'P');
        if (w->prepare_error)
                return w->prepare_error;
        if (!streq_ptr(change->from, w->property))
                return -ESTALE;
        change->drop_in_existed = w->drop_in;
        change->drop_in_place_existed = w->place;
        change->file_from = strdup(w->left ?: "");
        return 0;
}

static int fake_check(Backend *b, const Change *change) {
        World *w = world(b);
        called(w, 'C');
        if (w->gone)
                return -ENOENT;
        return streq_ptr(w->property, change->to) ? 0 : -ESTALE;
}

static bool is_ours(const World *w, const Change *change) {
        return streq_ptr(w->property, change->to) || (change->former && streq_ptr(w->property, change->former));
}

static int fake_apply(Backend *b, const Change *change, char **ret_why) {
        World *w = world(b);
        called(w, 'A');
        if (w->apply_error == -EACCES)
                return -EACCES;
        set(w, change->to);
        w->drop_in = true;
        if (w->apply_error == -ENODATA)
                *ret_why = strdup("cpuset.cpus.effective reads 0-7");
        return w->apply_error;
}

static int fake_undo(Backend *b, const Change *change, bool resumed, char **ret_residue) {
        World *w = world(b);
        called(w, 'U');
        w->was_resumed = resumed;
        if (w->undo_error)
                return w->undo_error;
        if (w->gone)
                return -ENOENT;
        if (!is_ours(w, change) && !streq_ptr(w->property, change->from))
                return -ESTALE;
        set(w, change->from);
        *ret_residue = w->left ? strdup(w->left) : NULL;
        return 0;
}

static int fake_flush(Backend *b) {
        World *w = world(b);
        called(w, 'F');
        if (w->flush_error)
                return w->flush_error;
        w->drop_in = false;
        return 0;
}

static int fake_residue(Backend *b, const Change *change, char **ret_residue) {
        World *w = world(b);
        called(w, 'R');
        *ret_residue = w->left ? strdup(w->left) : NULL;
        return 0;
}

static int fake_verify(Backend *b, const Change *change, bool *ret_ours) {
        World *w = world(b);
        if (w->gone)
                return -ENOENT;
        *ret_ours = is_ours(w, change);
        return 0;
}

static Executor *start(World *w) {
        static const BackendVTable vtable = {
                .name = "fake",
                .free = fake_free,
                .inspect = fake_inspect,
                .prepare = fake_prepare,
                .check = fake_check,
                .apply = fake_apply,
                .undo = fake_undo,
                .flush = fake_flush,
                .residue = fake_residue,
                .verify = fake_verify,
        };
        Fake *fake = malloc(sizeof(*fake));
        Ledger *ledger = NULL;

        *fake = (Fake){.backend.vtable = &vtable, .world = w};
        assert_int_equal(ledger_open(w->dirfd, "ledger", BOOT, &ledger), 0);
        assert_false(ledger_was_bad(ledger));
        assert_int_equal(executor_new(&fake->backend, ledger, &w->executor), 0);
        return w->executor;
}

/* kill -9 and start: all that is in memory is lost. */
static Executor *restart(World *w) {
        w->executor = executor_free(w->executor);
        w->calls[0] = 0;
        return start(w);
}

static int set_up(void **state) {
        World *w = calloc(1, sizeof(*w));
        strcpy(w->dir, "/tmp/unit-executor.XXXXXX");
        assert_non_null(mkdtemp(w->dir));
        w->dirfd = dir_open(AT_FDCWD, w->dir);
        start(w);
        *state = w;
        return 0;
}

static int tear_down(void **state) {
        World *w = *state;
        executor_free(w->executor);
        (void) unlinkat(w->dirfd, "ledger", 0);
        closep(&w->dirfd);
        assert_int_equal(rmdir(w->dir), 0);
        free(w->property);
        free(w);
        return 0;
}

static int apply(World *w, const char *from, const Change **ret, Refusal *ret_refusal) {
        _cleanup_plan_ Plan plan = {.arm = ARM_PIN, .target = strdup(PATH), .unit = strdup("svc.service")};
        _cleanup_facts_ Facts facts = {.owned_by_systemd = true, .property_known = true};

        plan.reason = strdup("since it churns");
        assert_int_equal(cpuset_parse_list("0-3", 3, &plan.cpus), 0);
        assert_int_equal(cpuset_parse_list(from ?: "", from ? strlen(from) : 0, &facts.property_cpus), 0);
        return executor_apply(w->executor, &plan, &facts, "churn", 1000, ret, ret_refusal);
}

static Plan weight_plan(const char *path, const char *unit, uint64_t weight) {
        return (Plan){
                .arm = ARM_WEIGHT,
                .target = strdup(path),
                .unit = unit ? strdup(unit) : NULL,
                .weight = weight,
        };
}

/* The first step of a ramp, over what is set. */
static const Change *weighed(World *w, const char *unit, uint64_t weight) {
        _cleanup_plan_ Plan plan = weight_plan(PATH, unit, weight);
        const Facts facts = {
                .weight_set = w->property,
                .weight = w->property ? strtoull(w->property, NULL, 10) : 0,
        };
        const Change *c = NULL;
        Refusal refusal = {};
        assert_int_equal(executor_apply(w->executor, &plan, &facts, "starvation", 1000, &c, &refusal), 0);
        w->calls[0] = 0;
        return c;
}

static int step(World *w, const Change *c, uint64_t weight, Refusal *ret_refusal) {
        _cleanup_plan_ Plan plan = weight_plan(PATH, c->unit, weight);
        return executor_step(w->executor, c, &plan, ret_refusal);
}

static const Change *applied(World *w) {
        const Change *c = NULL;
        Refusal refusal = {};
        assert_int_equal(apply(w, w->property, &c, &refusal), 0);
        assert_false(refusal.refused);
        w->calls[0] = 0;
        return c;
}

static void assert_as_before(World *w, const char *property) {
        if (!streq_ptr(w->property, property))
                fail_msg("property is %s", w->property);
        assert_false(w->drop_in);
        assert_int_equal(executor_size(w->executor), 0);
        restart(w);
        assert_int_equal(executor_size(w->executor), 0);
}

static void test_ledger_first(void **state) {
        World *w = *state;
        const Change *c = NULL;
        Refusal refusal = {};

        assert_int_equal(apply(w, NULL, &c, &refusal), 0);
        assert_string_equal(w->calls, "P-A+");
        assert_string_equal(w->property, "0-3");
        assert_ptr_equal(c, executor_find(w->executor, PATH));
        assert_null(c->from);
        assert_string_equal(c->to, "0-3");
        assert_string_equal(c->verdict, "churn");
        assert_string_equal(c->reason, "since it churns");
        assert_int_equal(c->applied_usec, 1000);
        assert_false(c->kept);
        assert_int_equal(executor_keep(w->executor, c), 0);
        assert_true(executor_find(restart(w), PATH)->kept);
}

static void test_last_one_out_removes_the_place(void **state) {
        World *w = *state;
        _cleanup_plan_ Plan plan = {.arm = ARM_PIN, .target = strdup("/b"), .unit = strdup("b.service")};
        const Change *c = NULL;
        const Facts facts = {};
        Refusal refusal = {};

        applied(w); /* made the place */
        set(w, NULL);
        w->place = true;
        assert_int_equal(cpuset_parse_list("4", 1, &plan.cpus), 0);
        assert_int_equal(executor_apply(w->executor, &plan, &facts, "churn", 1, &c, &refusal), 0);
        assert_false(c->drop_in_place_existed);
}

static void test_undo_order(void **state) {
        World *w = *state;
        const Change *c = applied(w);

        assert_int_equal(executor_undo(w->executor, c), UNDO_DONE);
        assert_null(executor_find(w->executor, PATH));
        assert_int_equal(executor_undo(w->executor, c), UNDO_DONE);
        assert_int_equal(executor_flush(w->executor), 0);
        /* Marked before, in the ledger until the drop-in is gone too; and the second undo asked nobody. */
        assert_string_equal(w->calls, "U!F!R!");
        assert_as_before(w, NULL);
}

static void test_undo_to_a_value(void **state) {
        World *w = *state;
        set(w, "0-5");
        const Change *c = applied(w);
        assert_string_equal(c->from, "0-5");
        assert_int_equal(executor_undo(w->executor, c), UNDO_DONE);
        assert_int_equal(executor_flush(w->executor), 0);
        assert_as_before(w, "0-5");
}

static void test_failures_to_apply(void **state) {
        World *w = *state;
        static const struct {
                int prepare, apply, result;
                const char *calls, *text;
        } cases[] = {
                {-ENOENT, 0, -ENOENT, "P-", "AllowedCPUs of svc.service not set: it is gone"},
                {-ESTALE, 0, -ESTALE, "P-",
                 "AllowedCPUs of svc.service not set: it was changed by somebody else in the meantime"},
                {0, -EACCES, -EACCES, "P-A+U!F!R!", "AllowedCPUs of svc.service set and undone: Permission denied"},
                {0, -ENODATA, -ENODATA, "P-A+U!F!R!",
                 "AllowedCPUs of svc.service set and undone: cpuset.cpus.effective reads 0-7"},
        };

        for (size_t i = 0; i < ELEMENTSOF(cases); i++) {
                const Change *c = NULL;
                Refusal refusal = {};
                w->prepare_error = cases[i].prepare;
                w->apply_error = cases[i].apply;
                assert_int_equal(apply(w, NULL, &c, &refusal), cases[i].result);
                assert_null(c);
                assert_true(refusal.refused);
                assert_string_equal(refusal.text, cases[i].text);
                assert_string_equal(w->calls, cases[i].calls);
                assert_as_before(w, NULL);
        }
}

static void test_no_change_without_a_ledger(void **state) {
        World *w = *state;
        const Change *c = NULL;
        Refusal refusal = {};

        /* Its folder is gone: nothing can be written, also by root, and nothing is there to be read. */
        assert_int_equal(rmdir(w->dir), 0);
        int r = apply(w, NULL, &c, &refusal);
        assert_int_equal(mkdir(w->dir, 0700), 0);
        assert_int_equal(r, -ENOENT);
        assert_string_equal(w->calls, "P-");
        assert_null(w->property);
        assert_int_equal(executor_size(w->executor), 0);
        assert_non_null(strstr(refusal.text, "the ledger can't be written: No such file"));
}

static void test_only_one_change_a_target(void **state) {
        World *w = *state;
        const Change *c = NULL;
        Refusal refusal = {};

        applied(w);
        assert_int_equal(apply(w, "0-3", &c, &refusal), -EBUSY);
        assert_true(refusal.refused);
        assert_string_equal(w->calls, "");
}

static void test_kill_after_apply(void **state) {
        World *w = *state;
        applied(w);
        restart(w);
        /* Adopted as it is; tidy() does not touch what is in force. */
        executor_tidy(w->executor, 0);
        assert_string_equal(w->calls, "");
        assert_non_null(executor_find(w->executor, PATH));
        assert_int_equal(executor_undo_all(w->executor), 0);
        assert_as_before(w, NULL);
}

static void test_kill_before_the_set(void **state) {
        World *w = *state;
        applied(w);
        set(w, NULL); /* in the ledger, but not set yet */
        restart(w);
        assert_int_equal(executor_undo_all(w->executor), 0);
        assert_as_before(w, NULL);
}

static void test_kill_between_undo_and_flush(void **state) {
        World *w = *state;
        assert_int_equal(executor_undo(w->executor, applied(w)), UNDO_DONE);
        restart(w);
        assert_true(w->drop_in);
        executor_tidy(w->executor, 0);
        assert_string_equal(w->calls, "U!F!R!");
        assert_true(w->was_resumed);
        assert_as_before(w, NULL);
}

static void test_failed_undo_is_tried_again(void **state) {
        World *w = *state;
        const Change *c = applied(w);

        executor_tidy(w->executor, 0);
        w->undo_error = -ETIMEDOUT;
        assert_int_equal(executor_undo(w->executor, c), UNDO_FAILED);
        assert_false(w->was_resumed);
        assert_ptr_equal(executor_find(w->executor, PATH), c);
        assert_string_equal(c->residue, "undo not finished: Connection timed out");
        /* Not at every tick. */
        executor_tidy(w->executor, 59 * USEC_PER_SEC);
        assert_string_equal(w->calls, "U!");
        executor_tidy(w->executor, 60 * USEC_PER_SEC);
        executor_tidy(w->executor, 61 * USEC_PER_SEC);
        assert_string_equal(w->calls, "U!U!");
        w->undo_error = 0;
        executor_tidy(w->executor, 121 * USEC_PER_SEC);
        assert_true(w->was_resumed);
        assert_as_before(w, NULL);
}

static void test_failed_flush_keeps_it(void **state) {
        World *w = *state;
        assert_int_equal(executor_undo(w->executor, applied(w)), UNDO_DONE);
        w->flush_error = -EIO;
        assert_int_equal(executor_flush(w->executor), -EIO);
        assert_non_null(executor_find(w->executor, PATH));
        w->flush_error = 0;
        assert_int_equal(executor_undo_all(w->executor), 0);
        assert_as_before(w, NULL);
}

static void test_failures_are_counted(void **state) {
        World *w = *state;
        applied(w);
        w->undo_error = -EIO;
        assert_int_equal(executor_undo_all(w->executor), 1);
        w->undo_error = 0;
        w->flush_error = -EIO;
        assert_int_equal(executor_undo_all(w->executor), 1);
        w->flush_error = 0;
        assert_int_equal(executor_undo_all(w->executor), 0);
        assert_as_before(w, NULL);
}

static void test_somebody_elses_value(void **state) {
        World *w = *state;
        const Change *c = applied(w);
        bool ours = true;

        assert_int_equal(executor_verify(w->executor, c, &ours), 0);
        assert_true(ours);
        set(w, "2-5");
        assert_int_equal(executor_verify(w->executor, c, &ours), 0);
        assert_false(ours);
        assert_int_equal(executor_undo(w->executor, c), UNDO_OVERRIDDEN);
        assert_int_equal(executor_flush(w->executor), 0);
        assert_as_before(w, "2-5");
}

static void test_forget(void **state) {
        World *w = *state;
        const Change *c = applied(w);

        set(w, "2-5");
        w->undo_error = -ETIMEDOUT;
        assert_int_equal(executor_forget(w->executor, c), -EAGAIN);
        w->undo_error = 0;
        assert_int_equal(executor_forget(w->executor, c), 0);
        assert_as_before(w, "2-5");

        /* Only the cgroup's file was overwritten: the property is still ours, and must not stay. */
        set(w, NULL);
        c = applied(w);
        w->left = "somebody's 4-5 in the file";
        assert_int_equal(executor_forget(w->executor, c), 0);
        w->left = NULL;
        assert_as_before(w, NULL);
}

static void test_unit_gone(void **state) {
        World *w = *state;
        const Change *c = applied(w);
        bool ours;

        w->gone = true;
        assert_int_equal(executor_verify(w->executor, c, &ours), -ENOENT);
        assert_int_equal(executor_undo(w->executor, c), UNDO_GONE);
        assert_int_equal(executor_flush(w->executor), 0);
        assert_as_before(w, "0-3"); /* the property of a unit that is gone is nobody's */
}

static void test_residue(void **state) {
        World *w = *state;
        const Change *c = applied(w);

        w->left = "cpuset.cpus stays 0-7";
        assert_int_equal(executor_undo(w->executor, c), UNDO_RESIDUE);
        assert_int_equal(executor_flush(w->executor), 0);
        assert_ptr_equal(executor_find(w->executor, PATH), c);
        assert_string_equal(c->residue, "cpuset.cpus stays 0-7");

        /* After a restart it is undone once more, then only looked at. */
        executor_tidy(restart(w), 0);
        assert_string_equal(w->calls, "U!F!R!R!");
        executor_tidy(w->executor, USEC_PER_HOUR);
        assert_string_equal(w->calls, "U!F!R!R!R!");
        assert_non_null(executor_find(w->executor, PATH));
        w->left = NULL;
        executor_tidy(w->executor, USEC_PER_HOUR);
        assert_as_before(w, NULL);
}

static void test_residue_gone_by_the_flush(void **state) {
        World *w = *state;
        const Change *c = applied(w);

        w->left = "cpuset.cpus stays 0-7";
        assert_int_equal(executor_undo(w->executor, c), UNDO_RESIDUE);
        w->left = NULL; /* the controller went off */
        assert_int_equal(executor_flush(w->executor), 0);
        assert_as_before(w, NULL);
}

static const Change *applied_over_a_residue(World *w, const char *property) {
        assert_string_equal(applied(w)->file_from, "");
        w->left = "0-7";
        assert_int_equal(executor_undo(w->executor, executor_at(w->executor, 0)), UNDO_RESIDUE);
        assert_int_equal(executor_flush(w->executor), 0);
        set(w, property);
        const Change *c = applied(w);
        assert_int_equal(executor_size(w->executor), 1);
        assert_null(c->residue);
        return c;
}

static void test_new_change_over_a_residue(void **state) {
        World *w = *state;

        /* "Before" is what was before the first. */
        assert_string_equal(applied_over_a_residue(w, NULL)->file_from, "");
        w->left = NULL;
        assert_int_equal(executor_undo_all(w->executor), 0);
        assert_as_before(w, NULL);
}

static void test_new_change_over_a_residue_and_a_property(void **state) {
        World *w = *state;

        assert_string_equal(applied_over_a_residue(w, "0-5")->file_from, "0-7");
        w->left = NULL;
        assert_int_equal(executor_undo_all(w->executor), 0);
        assert_as_before(w, "0-5");
}

/* ---- ramps */

static void test_steps(void **state) {
        World *w = *state;
        Refusal refusal = {};
        set(w, "50");
        const Change *c = weighed(w, "svc.service", 100);

        assert_string_equal(c->from, "50");
        assert_string_equal(c->to, "100");
        assert_int_equal(step(w, c, 200, &refusal), 0);
        assert_int_equal(step(w, c, 400, &refusal), 0);
        assert_string_equal(w->calls, "C+A+C+A+");
        assert_string_equal(w->property, "400");
        assert_string_equal(c->from, "50");
        assert_string_equal(c->to, "400");
        assert_null(c->former);
        /* And so it is on disk. */
        restart(w);
        assert_string_equal(executor_find(w->executor, PATH)->to, "400");
        assert_null(executor_find(w->executor, PATH)->former);
        assert_int_equal(executor_undo_all(w->executor), 0);
        assert_as_before(w, "50");
}

static void test_kill_in_a_step(void **state) {
        World *w = *state;
        /* In the ledger, and not set yet; or set, and not read back. */
        static const char *const in_force[] = {"200", "400"};

        for (size_t i = 0; i < ELEMENTSOF(in_force); i++) {
                _cleanup_(ledger_freep) Ledger *l = NULL;
                const Change *c = weighed(w, "svc.service", 200);
                uint64_t serial = c->serial;
                Refusal refusal = {};
                bool ours = false;
                w->executor = executor_free(w->executor);
                assert_int_equal(ledger_open(w->dirfd, "ledger", BOOT, &l), 0);
                assert_int_equal(ledger_set_to(l, serial, "400", "200"), 0);
                set(w, in_force[i]);
                start(w);
                c = executor_find(w->executor, PATH);
                assert_int_equal(executor_verify(w->executor, c, &ours), 0);
                assert_true(ours);
                if (i == 0) {
                        assert_int_equal(executor_undo_all(w->executor), 0);
                } else {
                        /* Nobody knows from where to go on: the ramp ends. */
                        assert_int_equal(step(w, c, 800, &refusal), -EALREADY);
                        assert_true(refusal.refused);
                }
                assert_as_before(w, NULL);
        }
}

static void test_step_over_somebody_elses_value(void **state) {
        World *w = *state;
        const Change *c = weighed(w, "svc.service", 200);
        Refusal refusal = {};

        set(w, "150");
        assert_int_equal(step(w, c, 400, &refusal), -ESTALE);
        assert_string_equal(w->calls, "C+");
        assert_string_equal(refusal.text,
                            "CPUWeight of svc.service not set: it was changed by somebody else in the meantime");
        assert_string_equal(w->property, "150");
        assert_string_equal(c->to, "200");
        assert_null(c->former);
}

static void test_failed_step_undoes_it_all(void **state) {
        World *w = *state;
        static const struct {
                int apply;
                const char *text;
        } cases[] = {
                {-ENODATA, "CPUWeight of svc.service set and undone: cpuset.cpus.effective reads 0-7"},
                {-EACCES, "CPUWeight of svc.service set and undone: Permission denied"},
        };

        for (size_t i = 0; i < ELEMENTSOF(cases); i++) {
                const Change *c = weighed(w, "svc.service", 200);
                Refusal refusal = {};
                w->apply_error = cases[i].apply;
                assert_int_equal(step(w, c, 400, &refusal), cases[i].apply);
                assert_string_equal(w->calls, "C+A+U!F!R!");
                assert_string_equal(refusal.text, cases[i].text);
                w->apply_error = 0;
                assert_as_before(w, NULL);
        }
}

static void test_step_of_what_is_gone(void **state) {
        World *w = *state;
        const Change *c = weighed(w, "svc.service", 200);
        Refusal refusal = {};

        w->gone = true;
        assert_int_equal(step(w, c, 400, &refusal), -ENOENT);
        assert_string_equal(w->calls, "C+U!F!");
        assert_string_equal(refusal.text, "CPUWeight of svc.service undone: it is gone");
        assert_as_before(w, "200");
}

static void test_no_step_without_a_ledger(void **state) {
        World *w = *state;
        const Change *c = weighed(w, "svc.service", 200);
        Refusal refusal = {};

        /* A folder in the ledger's place can't be replaced, also by root. Then there is nothing but to undo. */
        assert_int_equal(unlinkat(w->dirfd, "ledger", 0), 0);
        assert_int_equal(rmdir(w->dir), 0);
        int r = step(w, c, 400, &refusal);
        assert_int_equal(mkdir(w->dir, 0700), 0);
        assert_int_equal(r, -ENOENT);
        assert_string_equal(w->calls, "C-U-F-R-");
        assert_null(w->property);
}

static void test_both_arms_in_one_batch(void **state) {
        World *w = *state;
        _cleanup_plan_ Plan plan = weight_plan("/b", NULL, 200);
        const Facts facts = {};
        const Change *c = NULL;
        Refusal refusal = {};

        applied(w);
        set(w, NULL);
        assert_int_equal(executor_apply(w->executor, &plan, &facts, "starvation", 1, &c, &refusal), 0);
        assert_null(c->unit);
        restart(w);
        assert_int_equal(executor_size(w->executor), 2);
        set(w, NULL); /* either's "before" */
        assert_int_equal(executor_undo_all(w->executor), 0);
        assert_string_equal(w->calls, "U+U!F!R!R!");
        assert_as_before(w, NULL);
}

/* A weight does not take over what a pin left, nor forget it. */
static void test_weight_beside_the_residue_of_a_pin(void **state) {
        World *w = *state;
        const Change *pin = applied(w);

        w->left = "cpuset.cpus stays 0-7";
        assert_int_equal(executor_undo(w->executor, pin), UNDO_RESIDUE);
        assert_int_equal(executor_flush(w->executor), 0);
        w->left = NULL;
        const Change *weight = weighed(w, "svc.service", 200);
        assert_int_equal(executor_size(w->executor), 2);
        assert_ptr_equal(executor_find(w->executor, PATH), weight);
        assert_int_equal(executor_undo_all(w->executor), 0);
        assert_as_before(w, NULL);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test_setup_teardown(test_ledger_first, set_up, tear_down),
                cmocka_unit_test_setup_teardown(test_last_one_out_removes_the_place, set_up, tear_down),
                cmocka_unit_test_setup_teardown(test_undo_order, set_up, tear_down),
                cmocka_unit_test_setup_teardown(test_undo_to_a_value, set_up, tear_down),
                cmocka_unit_test_setup_teardown(test_failures_to_apply, set_up, tear_down),
                cmocka_unit_test_setup_teardown(test_no_change_without_a_ledger, set_up, tear_down),
                cmocka_unit_test_setup_teardown(test_only_one_change_a_target, set_up, tear_down),
                cmocka_unit_test_setup_teardown(test_kill_after_apply, set_up, tear_down),
                cmocka_unit_test_setup_teardown(test_kill_before_the_set, set_up, tear_down),
                cmocka_unit_test_setup_teardown(test_kill_between_undo_and_flush, set_up, tear_down),
                cmocka_unit_test_setup_teardown(test_failed_undo_is_tried_again, set_up, tear_down),
                cmocka_unit_test_setup_teardown(test_failed_flush_keeps_it, set_up, tear_down),
                cmocka_unit_test_setup_teardown(test_failures_are_counted, set_up, tear_down),
                cmocka_unit_test_setup_teardown(test_somebody_elses_value, set_up, tear_down),
                cmocka_unit_test_setup_teardown(test_forget, set_up, tear_down),
                cmocka_unit_test_setup_teardown(test_unit_gone, set_up, tear_down),
                cmocka_unit_test_setup_teardown(test_residue, set_up, tear_down),
                cmocka_unit_test_setup_teardown(test_residue_gone_by_the_flush, set_up, tear_down),
                cmocka_unit_test_setup_teardown(test_new_change_over_a_residue, set_up, tear_down),
                cmocka_unit_test_setup_teardown(test_new_change_over_a_residue_and_a_property, set_up, tear_down),
                cmocka_unit_test_setup_teardown(test_steps, set_up, tear_down),
                cmocka_unit_test_setup_teardown(test_kill_in_a_step, set_up, tear_down),
                cmocka_unit_test_setup_teardown(test_step_over_somebody_elses_value, set_up, tear_down),
                cmocka_unit_test_setup_teardown(test_failed_step_undoes_it_all, set_up, tear_down),
                cmocka_unit_test_setup_teardown(test_step_of_what_is_gone, set_up, tear_down),
                cmocka_unit_test_setup_teardown(test_no_step_without_a_ledger, set_up, tear_down),
                cmocka_unit_test_setup_teardown(test_both_arms_in_one_batch, set_up, tear_down),
                cmocka_unit_test_setup_teardown(test_weight_beside_the_residue_of_a_pin, set_up, tear_down),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
