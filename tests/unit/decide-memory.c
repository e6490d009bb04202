/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "test.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "decide/memory.h"

static void test_keys(void **state) {
        static const struct {
                const char *name, *key;
        } table[] = {
                {"worker@3.service", "worker@.service"},
                {"nginx.service", "nginx.service"},
                {"/foo@1/bar.x", "/foo@1/bar.x"},
                {"a@b", "a@b"},
        };
        for (size_t i = 0; i < ELEMENTSOF(table); i++) {
                _cleanup_free_ char *key = memory_key(table[i].name);
                assert_string_equal(key, table[i].key);
        }
}

static void test_backoff_doubles_up_to_a_day(void **state) {
        _cleanup_(memory_freep) Memory *m = memory_new();
        usec_t now = USEC_PER_HOUR, expected = 5 * USEC_PER_MINUTE;
        for (unsigned i = 0; i < 12; i++) {
                assert_int_equal(memory_failed(m, "a", ARM_PIN, now), 0);
                assert_int_equal(memory_held_until(m, "a", ARM_PIN, now), now + expected);
                expected = MIN(expected * 2, 24 * USEC_PER_HOUR);
                now += 25 * USEC_PER_HOUR;
                assert_int_equal(memory_held_until(m, "a", ARM_PIN, now), 0);
        }
        memory_helped(m, "a", ARM_PIN);
        assert_int_equal(memory_failed(m, "a", ARM_PIN, now), 0);
        assert_int_equal(memory_held_until(m, "a", ARM_PIN, now), now + 5 * USEC_PER_MINUTE);
        assert_int_equal(memory_held_until(m, "b", ARM_PIN, now), 0);
}

static void test_hold_never_shortens(void **state) {
        _cleanup_(memory_freep) Memory *m = memory_new();
        assert_int_equal(memory_hold(m, "a", ARM_PIN, 1000), 0);
        assert_int_equal(memory_hold(m, "a", ARM_PIN, 500), 0);
        assert_int_equal(memory_held_until(m, "a", ARM_PIN, 10), 1000);
        assert_int_equal(memory_held_until(m, "a", ARM_PIN, 1000), 0);
}

static void test_limit_per_hour(void **state) {
        _cleanup_(memory_freep) Memory *m = memory_new();
        usec_t now = 10 * USEC_PER_HOUR;
        unsigned trials = 0;
        /* Three hours of somebody who would try every minute: a trial writes twice. */
        for (unsigned minute = 0; minute < 180; minute++, now += USEC_PER_MINUTE) {
                if (memory_next_change(m, "a", 2, 6, now) > now)
                        continue;
                assert_int_equal(memory_changed(m, "a", now), 0);
                assert_int_equal(memory_changed(m, "a", now), 0);
                trials++;
        }
        assert_int_equal(trials, 9);
        assert_int_equal(memory_next_change(m, "b", 2, 6, now), 0);
        assert_int_equal(memory_next_change(m, "b", 2, 1, now), USEC_INFINITY);
}

static void test_limit_of_the_machine(void **state) {
        _cleanup_(memory_freep) Memory *m = memory_new();
        usec_t now = 10 * USEC_PER_HOUR;
        for (unsigned i = 0; i < 60; i++) {
                char key[16];
                snprintf(key, sizeof(key), "unit%u", i);
                assert_int_equal(memory_next_change(m, key, 1, 6, now), 0);
                assert_int_equal(memory_changed(m, key, now), 0);
        }
        assert_int_equal(memory_next_change(m, "fresh", 1, 6, now), now + USEC_PER_HOUR);
        assert_int_equal(memory_next_change(m, "fresh", 1, 6, now + USEC_PER_HOUR), 0);
}

static void test_bounded(void **state) {
        _cleanup_(memory_freep) Memory *m = memory_new();
        for (unsigned i = 0; i < 3 * MEMORY_ENTRIES_MAX; i++) {
                char key[16];
                snprintf(key, sizeof(key), "u%u", i);
                assert_int_equal(memory_failed(m, key, ARM_PIN, i + 1), 0);
        }
        assert_int_equal(memory_held_until(m, "u0", ARM_PIN, 1), 0);
        assert_true(memory_held_until(m, "u3071", ARM_PIN, 3072) > 0);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_keys),
                cmocka_unit_test(test_backoff_doubles_up_to_a_day),
                cmocka_unit_test(test_hold_never_shortens),
                cmocka_unit_test(test_limit_per_hour),
                cmocka_unit_test(test_limit_of_the_machine),
                cmocka_unit_test(test_bounded),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
