/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The grid by a table, and the real timer for a few short ticks: counted, never timed. */

#include "test.h"

#include <signal.h>
#include <unistd.h>

#include "daemon/wakeups.h"

static void test_stays_on_the_grid(void **state) {
        static const struct {
                usec_t due, interval, now, expected;
        } cases[] = {
                {1000, 100, 1001, 1100}, {1000, 100, 1099, 1100}, {1000, 100, 1100, 1200},
                {1000, 100, 1101, 1200}, {1000, 100, 5050, 5100}, {1000, 100, 900, 1100},
        };

        for (size_t i = 0; i < ELEMENTSOF(cases); i++)
                assert_int_equal(wakeups_next(cases[i].due, cases[i].interval, cases[i].now), cases[i].expected);
}

typedef struct Seen {
        sd_event *event;
        unsigned ticks, reloads;
        int stopped_by;
} Seen;

static void on_tick(void *userdata) {
        Seen *s = userdata;
        s->ticks++;
        if (s->ticks == 3)
                (void) kill(getpid(), SIGHUP);
        if (s->ticks == 5)
                (void) kill(getpid(), SIGTERM);
}

static void on_reload(void *userdata) {
        Seen *s = userdata;
        s->reloads++;
}

static void on_stop(void *userdata, int signal) {
        Seen *s = userdata;
        s->stopped_by = signal;
        (void) sd_event_exit(s->event, 0);
}

static void test_loop(void **state) {
        Seen seen = {};
        WakeupCallbacks callbacks = {on_tick, on_reload, on_stop, &seen};
        Wakeups *w = NULL;

        assert_true(sd_event_new(&seen.event) >= 0);
        assert_int_equal(wakeups_new(seen.event, 1000, &callbacks, &w), 0);
        assert_int_equal(wakeups_set_interval(w, 2000), 0);
        assert_int_equal(sd_event_loop(seen.event), 0);
        assert_true(seen.ticks >= 5);
        assert_int_equal(seen.reloads, 1);
        assert_int_equal(seen.stopped_by, SIGTERM);

        wakeups_free(w);
        sd_event_unref(seen.event);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_stays_on_the_grid),
                cmocka_unit_test(test_loop),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
