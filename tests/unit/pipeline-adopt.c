/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What a predecessor left in the ledger, looked at by a pipeline that starts on a machine where the unit is there or
 * not. */

#include "test.h"

#include "pipeline-fixture.h"
#include "report/report.h"

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
        _cleanup_(pipeline_freep) Pipeline *p = start(true, "cpuset.cpus is still 0-1", NULL);

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
        _cleanup_(pipeline_freep) Pipeline *p = start(true, NULL, NULL);
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
        _cleanup_(pipeline_freep) Pipeline *p = start(false, NULL, NULL);
        TargetView view;
        size_t i;

        assert_int_equal(pipeline_tick(p, 1000000), 0);
        assert_int_equal(pipeline_tick(p, 2000000), 0);
        describe_all(p);
        assert_true(pipeline_find(p, "svc.service", &i));
        pipeline_view(p, i, &view);
        assert_null(view.change);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                TEST(test_residue_of_a_unit_that_is_gone),
                TEST(test_kept_change_is_taken_over),
                TEST(test_trial_that_was_cut_off_is_undone),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
