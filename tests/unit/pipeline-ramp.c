/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A change that is made in steps: what is measured before the first is there when the last one is judged. */

#include "test.h"

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

int main(void) {
        const struct CMUnitTest tests[] = {
                TEST(test_windows_outlast_the_steps),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
