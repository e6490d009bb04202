/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Pausing: a trial under way is undone and counts for nothing, a kept change stays and is not tried again, and nothing
 * begins before the resume. */

#include "test.h"

#include "pipeline-fixture.h"
#include "pipeline/state.h"

typedef struct Told {
        unsigned n_outcomes, n_undone;
        OutcomeKind outcome;
} Told;

static void on_outcome(void *userdata, usec_t now_usec, const TargetView *view) {
        Told *told = userdata;

        told->n_outcomes++;
        told->outcome = view->outcome->kind;
        assert_non_null(view->change); /* the journal tells which */
}

static void on_undo(void *userdata, usec_t now_usec, const TargetView *view, const char *why) {
        Told *told = userdata;
        told->n_undone++;
}

/* A kept change, adopted by the first tick that is judged. */
static Pipeline *start_kept(Told *told) {
        PipelineSink sink = {.on_outcome = on_outcome, .on_undo = on_undo, .userdata = told};

        put_machine();
        put_unit();
        Pipeline *p = start(true, NULL, &sink);
        assert_int_equal(pipeline_tick(p, 1000000), 0);
        assert_int_equal(pipeline_tick(p, 2000000), 0);
        return p;
}

static Target *unit_target(Pipeline *p) {
        Target *t = targets_find(&p->targets, UNIT_CGROUP);
        assert_non_null(t);
        return t;
}

static void test_trial_is_broken_off(void **state) {
        static const Phase phases[] = {PHASE_SETTLING, PHASE_RAMPING, PHASE_AFTER};

        for (size_t i = 0; i < ELEMENTSOF(phases); i++) {
                Told told = {};
                _cleanup_(pipeline_freep) Pipeline *p = start_kept(&told);
                Target *t = unit_target(p);

                t->phase.phase = phases[i];
                assert_int_equal(pipeline_pause(p, 2500000), 1);
                assert_int_equal(told.n_outcomes, 1);
                assert_int_equal(told.outcome, OUTCOME_INCONCLUSIVE);
                assert_int_equal(told.n_undone, 1);
                assert_null(pipeline_change(p, t));
                assert_int_equal(t->phase.phase, PHASE_WATCHING);
                /* It has not failed: after the resume it is tried again at once. */
                assert_int_equal(memory_held_until(p->memory, t->key, ARM_PIN, 2500000), 0);

                assert_int_equal(pipeline_pause(p, 2600000), 0);
                assert_int_equal(told.n_outcomes, 1);
        }
}

static void test_measuring_before_ends(void **state) {
        Told told = {};
        _cleanup_(pipeline_freep) Pipeline *p = start_kept(&told);
        Target *t = unit_target(p);

        assert_true(pipeline_undo_target(p, t, "for the test"));
        t->phase.phase = PHASE_BEFORE;
        assert_int_equal(pipeline_pause(p, 2500000), 0);
        assert_int_equal(t->phase.phase, PHASE_WATCHING);
        assert_int_equal(told.n_outcomes, 0);
}

static void test_kept_change_stays_until_the_resume(void **state) {
        Told told = {};
        _cleanup_(pipeline_freep) Pipeline *p = start_kept(&told);
        Target *t = unit_target(p);

        assert_int_equal(pipeline_pause(p, 2500000), 0);
        assert_true(pipeline_paused(p));
        t->recheck_usec = 1;
        assert_int_equal(pipeline_tick(p, 3000000), 0);
        assert_non_null(pipeline_change(p, t));
        assert_int_equal(told.n_undone, 0);

        pipeline_resume(p);
        assert_false(pipeline_paused(p));
        assert_int_equal(pipeline_tick(p, 4000000), 0);
        assert_null(pipeline_change(p, t)); /* to see whether it is still needed */
        assert_int_equal(told.n_undone, 1);
}

/* As after SIGHUP. */
static void test_new_settings_do_not_end_it(void **state) {
        static const char conf[] = "[svc.service]\nmode=observe\n";
        const SettingsText text = {.file = "t.conf", .text = conf, .len = strlen(conf)};
        Told told = {};
        _cleanup_(pipeline_freep) Pipeline *p = start_kept(&told);
        SettingsError error = {};
        Settings *settings;

        assert_int_equal(pipeline_pause(p, 2500000), 0);
        assert_int_equal(settings_parse(&text, 1, &settings, &error), 0);
        assert_int_equal(pipeline_set_settings(p, settings), 0);
        assert_true(pipeline_paused(p));
        /* What no policy lets stand is undone also then. */
        assert_null(pipeline_change(p, unit_target(p)));
}

int main(void) {
        const struct CMUnitTest tests[] = {
                TEST(test_trial_is_broken_off),
                TEST(test_measuring_before_ends),
                TEST(test_kept_change_stays_until_the_resume),
                TEST(test_new_settings_do_not_end_it),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
