/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The names are an interface (design section 7): pinned down here. */

#include "test.h"

#include "model/signals.h"

static void test_interface_names(void **state) {
        static const struct {
                Signal signal;
                const char *name;
        } fixed[] = {
                {SIGNAL_USAGE, "usage_cpus"},
                {SIGNAL_DEMAND, "demand"},
                {SIGNAL_WAIT_PER_SLICE, "wait_per_slice_usec"},
                {SIGNAL_WAIT_SHARE, "wait_share"},
                {SIGNAL_MIGRATIONS_PER_SWITCH, "migrations_per_switch"},
                {SIGNAL_MIGRATIONS_PER_CPU_SECOND, "migrations_per_cpu_second"},
                {SIGNAL_IDLE, "idle"},
                {SIGNAL_OUTSIDE_WAIT, "outside_wait_usec"},
                {SIGNAL_OUTSIDE_FACTOR, "outside_factor"},
        };
        for (size_t i = 0; i < ELEMENTSOF(fixed); i++)
                assert_string_equal(signal_info(fixed[i].signal)->name, fixed[i].name);
}

static void test_every_signal_has_a_row_of_its_own(void **state) {
        for (Signal s = 0; s < _SIGNAL_MAX; s++) {
                const SignalInfo *info = signal_info(s);
                assert_non_null(info->name);
                assert_non_null(info->needs);
                for (Signal other = 0; other < s; other++)
                        assert_string_not_equal(info->name, signal_info(other)->name);
        }
}

static void test_ratio(void **state) {
        Signals s = {};
        signals_set_ratio(&s, SIGNAL_IDLE, 5, 0);
        assert_false(signals_has(&s, SIGNAL_IDLE)); /* nothing to divide by: absent, not 0 */

        signals_set_ratio(&s, SIGNAL_IDLE, 1, 8);
        assert_int_equal(s.value[SIGNAL_IDLE], 125);
        signals_set_ratio(&s, SIGNAL_IDLE, UINT64_MAX, UINT64_MAX);
        assert_int_equal(s.value[SIGNAL_IDLE], 1000); /* no overflow on the way */
        signals_set_ratio(&s, SIGNAL_IDLE, UINT64_MAX, 1);
        assert_true(s.value[SIGNAL_IDLE] == SIGNAL_VALUE_MAX);

        signals_clear(&s, SIGNAL_IDLE);
        assert_false(signals_has(&s, SIGNAL_IDLE));
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_interface_names),
                cmocka_unit_test(test_every_signal_has_a_row_of_its_own),
                cmocka_unit_test(test_ratio),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
