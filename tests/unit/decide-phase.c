/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "test.h"

#include "decide/phase.h"

static PhaseInput input(uint64_t tick) {
        return (PhaseInput){
                .tick = tick, .curable = true, .confirmed = true, .turn = true, .before = 20, .settle = 2, .after = 30};
}

/* The ticks from the first sign to the judgement: 20 + 2 + 30. */
static void test_whole_trial(void **state) {
        PhaseTrack t = {};
        uint64_t tick = 5;
        PhaseInput in = input(tick);
        assert_int_equal(phase_step(&t, &in), PHASE_NOTHING);
        assert_int_equal(t.phase, PHASE_BEFORE);

        for (tick = 6; tick < 25; tick++) {
                in = input(tick);
                assert_int_equal(phase_step(&t, &in), PHASE_NOTHING);
        }
        in = input(25);
        assert_int_equal(phase_step(&t, &in), PHASE_APPLY);
        phase_applied(&t, 25);

        for (tick = 26; tick < 57; tick++) {
                in = input(tick);
                in.curable = false; /* the cure hides the fault */
                assert_int_equal(phase_step(&t, &in), PHASE_NOTHING);
        }
        in = input(57);
        assert_int_equal(phase_step(&t, &in), PHASE_JUDGE);
        phase_kept(&t, 57);

        in = input(100);
        assert_int_equal(phase_step(&t, &in), PHASE_NOTHING);
        in.recheck_due = true;
        assert_int_equal(phase_step(&t, &in), PHASE_RECHECK);
        phase_reset(&t, 100);
        assert_int_equal(t.phase, PHASE_WATCHING);
}

static void test_unconfirmed_never_applies(void **state) {
        PhaseTrack t = {};
        for (uint64_t tick = 1; tick < 200; tick++) {
                PhaseInput in = input(tick);
                in.confirmed = false;
                assert_int_equal(phase_step(&t, &in), PHASE_NOTHING);
        }
}

static void test_lost_verdict_starts_over(void **state) {
        PhaseTrack t = {};
        for (uint64_t tick = 1; tick < 200; tick++) {
                PhaseInput in = input(tick);
                in.curable = tick % 10 != 0;
                assert_int_equal(phase_step(&t, &in), PHASE_NOTHING);
        }
}

static void test_waits_for_its_turn(void **state) {
        PhaseTrack t = {};
        for (uint64_t tick = 1; tick < 50; tick++) {
                PhaseInput in = input(tick);
                in.turn = false;
                assert_int_equal(phase_step(&t, &in), PHASE_NOTHING);
                assert_int_equal(t.phase, PHASE_WATCHING);
        }
}

static void test_early_harm(void **state) {
        PhaseTrack t = {.phase = PHASE_AFTER, .since_tick = 10, .applied_tick = 8};
        PhaseInput in = input(13);
        in.early_harm = true;
        assert_int_equal(phase_step(&t, &in), PHASE_UNDO_WORSE);
}

/* A ramp of three steps: each settles, is watched, and is followed by the next; the last one is judged. */
static void test_ramp(void **state) {
        PhaseTrack t = {};
        uint64_t tick = 30;
        phase_applied(&t, tick);
        for (unsigned left = 2; left > 0; left--) {
                for (unsigned i = 0; i < 2 + RAMPING_TICKS; i++) {
                        PhaseInput in = input(++tick);
                        in.more_steps = true;
                        PhaseAction action = phase_step(&t, &in);
                        assert_int_equal(action, i + 1 < 2 + RAMPING_TICKS ? PHASE_NOTHING : PHASE_STEP);
                }
                assert_int_equal(t.phase, PHASE_RAMPING);
                phase_stepped(&t, tick);
                assert_int_equal(t.phase, PHASE_SETTLING);
        }
        assert_int_equal(t.applied_tick, 30);
        assert_int_equal(t.reached_tick, 40);
        for (unsigned i = 0; i < 2 + 30; i++) {
                PhaseInput in = input(++tick);
                assert_int_equal(phase_step(&t, &in), i + 1 < 2 + 30 ? PHASE_NOTHING : PHASE_JUDGE);
        }
}

static void test_harm_ends_a_ramp(void **state) {
        PhaseTrack t = {.phase = PHASE_RAMPING, .since_tick = 10, .applied_tick = 8, .reached_tick = 8};
        PhaseInput in = input(13);
        in.more_steps = in.early_harm = true;
        assert_int_equal(phase_step(&t, &in), PHASE_UNDO_WORSE);
}

static void test_progress(void **state) {
        PhaseTrack t = {.phase = PHASE_AFTER, .since_tick = 10};
        PhaseInput in = input(13);
        unsigned done, total;
        phase_progress(&t, &in, &done, &total);
        assert_int_equal(done, 3);
        assert_int_equal(total, 30);
        t.phase = PHASE_KEPT;
        phase_progress(&t, &in, &done, &total);
        assert_int_equal(total, 0);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_whole_trial),
                cmocka_unit_test(test_unconfirmed_never_applies),
                cmocka_unit_test(test_lost_verdict_starts_over),
                cmocka_unit_test(test_waits_for_its_turn),
                cmocka_unit_test(test_early_harm),
                cmocka_unit_test(test_ramp),
                cmocka_unit_test(test_harm_ends_a_ramp),
                cmocka_unit_test(test_progress),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
