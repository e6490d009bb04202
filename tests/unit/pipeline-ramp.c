/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A change that is made in steps: what is measured before the first is there when the last one is judged, and a step
 * that can't be made ends the trial. */

#include "test.h"

#include "detect/detectors.h"
#include "pipeline-fixture.h"
#include "pipeline/state.h"

static Target *unit_target(Pipeline *p) {
        Target *t = targets_find(&p->targets, UNIT_CGROUP);
        assert_non_null(t);
        return t;
}

static Pipeline *start_with_change(const PipelineSink *sink) {
        put_machine();
        put_unit();
        put("sys/fs/cgroup/system.slice/other.service/cpu.stat", "usage_usec 100\n");
        put("sys/fs/cgroup/system.slice/other.service/cgroup.procs", "");
        Pipeline *p = start(true, NULL, sink);
        assert_int_equal(pipeline_tick(p, 1000000), 0);
        assert_int_equal(pipeline_tick(p, 2000000), 0);
        return p;
}

/* The neighbours' windows are as long as the target's, or whoever is harmed is not seen. */
static void test_windows_outlast_the_steps(void **state) {
        _cleanup_(pipeline_freep) Pipeline *p = start_with_change(NULL);
        Target *t = unit_target(p), *other = targets_find(&p->targets, "/system.slice/other.service");
        const Settings *s = p->settings;
        const uint64_t steps = 500; /* ticks */

        assert_non_null(other);
        p->reading_all = true;
        t->phase = (PhaseTrack){.phase = PHASE_RAMPING, .since_tick = p->tick, .applied_tick = 1};
        t->phase.reached_tick = t->phase.applied_tick + steps;
        assert_int_equal(pipeline_tick(p, 3000000), 0);
        size_t wanted = s->before_ticks + steps + s->settle_ticks + s->after_ticks;
        assert_true(t->history.capacity >= wanted);
        assert_true(other->history.capacity >= wanted);
        assert_true(p->kernel.capacity >= wanted);
}

/* ---- somebody else's value */

static unsigned n_outcomes, n_checks;

static void on_outcome(void *userdata, usec_t now_usec, const TargetView *view) {
        n_outcomes++;
        assert_int_equal(view->outcome->kind, OUTCOME_OVERRIDDEN);
}

/* Of the owner's property only the step knows; the file still reads what we wrote. */
static int stale_check(Backend *b, const Change *change) {
        n_checks++;
        return -ESTALE;
}

static int ours_verify(Backend *b, const Change *change, bool *ret_ours) {
        *ret_ours = true;
        return 0;
}

static int stale_undo(Backend *b, const Change *change, bool resumed, char **ret_residue) {
        *ret_residue = NULL;
        return -ESTALE;
}

static int accept_change(Backend *b, Change *change, char **ret_why) {
        return 0;
}

static int apply_change(Backend *b, const Change *change, char **ret_why) {
        return 0;
}

static int inspect_nothing(Backend *b, const char *path, Facts *ret) {
        *ret = (Facts){};
        return 0;
}

static int flush_nothing(Backend *b) {
        return 0;
}

static int no_residue(Backend *b, const Change *change, char **ret_residue) {
        *ret_residue = NULL;
        return 0;
}

static void free_nothing(Backend *b) {
}

static const BackendVTable stale_vtable = {
        .name = "stale",
        .free = free_nothing,
        .inspect = inspect_nothing,
        .prepare = accept_change,
        .check = stale_check,
        .apply = apply_change,
        .undo = stale_undo,
        .flush = flush_nothing,
        .residue = no_residue,
        .verify = ours_verify,
};

static void put_plan(Target *t, uint64_t weight) {
        plan_done(&t->plan);
        t->plan = (Plan){
                .arm = ARM_WEIGHT,
                .target = strdup(UNIT_CGROUP),
                .unit = strdup("svc.service"),
                .reason = strdup("for the test"),
                .weight = weight,
        };
        assert_true(t->plan.target && t->plan.unit && t->plan.reason);
}

static void begin_ramp(Pipeline *p, Target *t) {
        const Facts facts = {};
        const Change *change;
        Refusal refusal;

        put_plan(t, 200);
        assert_int_equal(executor_apply(p->executor, &t->plan, &facts, "starvation", 1, &change, &refusal), 0);
        t->plan.weight = 400;
        t->treats = &verdict_unknown;
        t->phase = (PhaseTrack){.phase = PHASE_RAMPING, .since_tick = 0, .applied_tick = 1, .reached_tick = 1};
}

static void test_stale_step_ends_the_trial(void **state) {
        static Backend stale = {.vtable = &stale_vtable};
        const PipelineSink sink = {.on_outcome = on_outcome};
        _cleanup_(pipeline_freep) Pipeline *p = start_with_change(&sink);
        Target *t = unit_target(p);

        n_outcomes = n_checks = 0;
        executor_free(p->executor);
        assert_int_equal(executor_new(&stale, NULL, &p->executor), 0);
        begin_ramp(p, t);
        for (usec_t now = 3; now < 13; now++)
                assert_int_equal(pipeline_tick(p, now * USEC_PER_SEC), 0);
        assert_int_equal(n_checks, 1);
        assert_int_equal(n_outcomes, 1);
        assert_int_equal(t->phase.phase, PHASE_WATCHING);
        assert_null(pipeline_change(p, t));
        assert_true(memory_held_until(p->memory, t->key, ARM_WEIGHT, 13 * USEC_PER_SEC) > 0);
}

/* As after SIGHUP: what may not be done any more is not gone on with, and not kept. */
static void test_new_limits_in_a_ramp(void **state) {
        static const struct {
                const char *conf;
                bool stands;
                uint64_t top;
        } table[] = {
                {"[svc.service]\nmode=act\n", true, 400},
                {"[svc.service]\nmode=act\npin=never\n", true, 400},
                {"[svc.service]\nmode=act\nweight-max=300\n", true, 300},
                {"[svc.service]\nmode=act\nweight-max=199\n", false, 0},
                {"[svc.service]\nmode=act\nweight=never\n", false, 0},
                {"[svc.service]\nmode=observe\n", false, 0},
        };
        static Backend stale = {.vtable = &stale_vtable};

        for (size_t i = 0; i < ELEMENTSOF(table); i++) {
                const SettingsText text = {.file = "t.conf", .text = table[i].conf, .len = strlen(table[i].conf)};
                _cleanup_(pipeline_freep) Pipeline *p = start_with_change(NULL);
                Target *t = unit_target(p);
                SettingsError error = {};
                Settings *settings;

                executor_free(p->executor);
                assert_int_equal(executor_new(&stale, NULL, &p->executor), 0);
                begin_ramp(p, t);
                assert_int_equal(settings_parse(&text, 1, &settings, &error), 0);
                assert_int_equal(pipeline_set_settings(p, settings), 0);
                assert_true((pipeline_change(p, t) != NULL) == table[i].stands);
                assert_true(phase_on_trial(t->phase.phase) == table[i].stands);
                if (table[i].stands)
                        assert_int_equal(t->plan.weight, table[i].top);
        }
}

static void test_new_settings_forbid_the_pin(void **state) {
        static const char conf[] = "[svc.service]\nmode=act\npin=never\n";
        const SettingsText text = {.file = "t.conf", .text = conf, .len = strlen(conf)};
        _cleanup_(pipeline_freep) Pipeline *p = start_with_change(NULL);
        SettingsError error = {};
        Settings *settings;

        assert_non_null(pipeline_change(p, unit_target(p)));
        assert_int_equal(settings_parse(&text, 1, &settings, &error), 0);
        assert_int_equal(pipeline_set_settings(p, settings), 0);
        assert_null(pipeline_change(p, unit_target(p)));
}

/* That is no matter of waiting. */
static void test_too_few_changes_allowed(void **state) {
        _cleanup_(pipeline_freep) Pipeline *p = start_with_change(NULL);
        Target *t = unit_target(p);

        assert_true(pipeline_undo_target(p, t, "for the test"));
        p->settings->changes_per_hour = 1;
        for (size_t i = 0; detectors[i]; i++)
                if (streq(detectors[i]->kind.name, "churn"))
                        t->verdict.kind = &detectors[i]->kind;
        t->verdict.confirmed = t->judged = true;
        t->planned_usec = p->now_usec;
        assert_int_equal(pipeline_steer(p), 0);
        assert_string_equal(t->refusal.text, "changes-per-hour=1 is too few: the change and its undoing are 2");
        assert_int_equal(t->refusal.until_usec, 0);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                TEST(test_windows_outlast_the_steps), TEST(test_stale_step_ends_the_trial),
                TEST(test_new_limits_in_a_ramp),      TEST(test_new_settings_forbid_the_pin),
                TEST(test_too_few_changes_allowed),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
