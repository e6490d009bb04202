/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Events of made-up kernels: what is kept of them, what a socket that ran over means, and who can't listen. */

#include "test.h"

#include <errno.h>

#include "fake-process-events.h"
#include "io/log.h"
#include "sample/process-events.h"

static ProcessEvents *start(int error) {
        ProcessEvents *e = NULL;

        assert_int_equal(process_events_new(fake_events_socket(error), &e), 0);
        return e;
}

static void test_events(void **state) {
        static const struct {
                uint32_t what, number[4];
                pid_t touched;
                bool execed;
        } table[] = {
                {PROC_EVENT_FORK, {101, 100, 200, 200}, 100, false},
                {PROC_EVENT_FORK, {1, 1, 101, 100}, 100, false}, /* a thread */
                {PROC_EVENT_EXEC, {100, 100, 0, 0}, 100, true},
                {PROC_EVENT_EXIT, {101, 100, 0, 17}, 100, false},
                {PROC_EVENT_COMM, {100, 100, 0, 0}, 0, false},
        };
        _cleanup_(process_events_freep) ProcessEvents *e = start(0);

        assert_null(process_events_off(e));
        assert_int_equal(fake_last_operation, PROC_CN_MCAST_LISTEN);
        for (size_t i = 0; i < ELEMENTSOF(table); i++) {
                const uint32_t *n = table[i].number;
                fake_put_event(table[i].what, n[0], n[1], n[2], n[3]);
                assert_int_equal(process_events_drain(e), 0);
                assert_int_equal(process_events_any(e), table[i].touched != 0);
                assert_int_equal(process_events_touched(e, 100), table[i].touched == 100);
                assert_int_equal(process_events_execed(e, 100), table[i].execed);
                assert_false(process_events_touched(e, 1));
                assert_false(process_events_touched(e, 200));
        }
        assert_int_equal(process_events_drain(e), 0);
        assert_false(process_events_any(e));
        assert_false(process_events_touched(e, 100));
}

static void test_many(void **state) {
        _cleanup_(process_events_freep) ProcessEvents *e = start(0);

        for (uint32_t i = 0; i < 6000; i++)
                fake_put_event(PROC_EVENT_EXIT, 1, 5000 - i % 3000, 0, 0);
        assert_int_equal(process_events_drain(e), 0);
        for (pid_t pid = 2001; pid <= 5000; pid++)
                assert_true(process_events_touched(e, pid));
        assert_false(process_events_touched(e, 2000));
        assert_false(process_events_touched(e, 5001));
}

static void test_lost(void **state) {
        _cleanup_(process_events_freep) ProcessEvents *e = start(0);

        fake_put_event(PROC_EVENT_EXEC, 7, 7, 0, 0);
        fake_put_failure(-NLE_NOMEM); /* libnl's word for ENOBUFS */
        fake_put_event(PROC_EVENT_EXEC, 8, 8, 0, 0);
        assert_int_equal(process_events_drain(e), 0);
        assert_true(process_events_any(e));
        assert_true(process_events_touched(e, 9));
        assert_true(process_events_execed(e, 7));
        assert_true(process_events_execed(e, 8));
        assert_false(process_events_execed(e, 9));
        assert_null(process_events_off(e));

        /* It is over with the next tick. */
        assert_int_equal(process_events_drain(e), 0);
        assert_false(process_events_touched(e, 9));
}

/* More different processes, and more messages, than there is room for. */
static void test_bounds(void **state) {
        _cleanup_(process_events_freep) ProcessEvents *e = start(0);

        for (uint32_t i = 0; i < 5000; i++)
                fake_put_event(PROC_EVENT_EXIT, 1, 100 + i, 0, 0);
        assert_int_equal(process_events_drain(e), 0);
        assert_true(process_events_touched(e, 1));

        for (uint32_t i = 0; i < 10000; i++)
                fake_put_event(PROC_EVENT_COMM, 1, 1, 0, 0);
        assert_int_equal(process_events_drain(e), 0);
        assert_true(process_events_touched(e, 1));
        assert_true(fake_kernel.n > 0);
        assert_int_equal(process_events_drain(e), 0);
        assert_false(process_events_touched(e, 1));
}

static void test_failures_without_end(void **state) {
        _cleanup_(process_events_freep) ProcessEvents *e = start(0);

        for (unsigned i = 0; i < 10000; i++)
                fake_put_failure(-NLE_NOMEM);
        assert_int_equal(process_events_drain(e), 0);
        assert_true(fake_kernel.n > 0);
        assert_null(process_events_off(e));
}

static void assert_off(ProcessEvents *e, const char *why) {
        assert_non_null(strstr(process_events_off(e), why));
        assert_int_equal(process_events_drain(e), 0);
        assert_false(process_events_any(e));
        process_events_free(e);
}

static void test_off(void **state) {
        ProcessEvents *e = start(EPERM);
        assert_off(e, "CAP_NET_ADMIN");
        e = start(ENOSYS);
        assert_off(e, "not implemented");

        struct nl_sock *silent = fake_events_socket(0);
        fake_listen_silent = true;
        assert_int_equal(process_events_new(silent, &e), 0);
        assert_off(e, "CONFIG_PROC_EVENTS");

        struct nl_sock *refused = fake_events_socket(0);
        fake_kernel.send_error = -NLE_FAILURE;
        assert_int_equal(process_events_new(refused, &e), 0);
        assert_off(e, nl_geterror(NLE_FAILURE));
}

static void test_it_ends_later(void **state) {
        ProcessEvents *e = start(0);

        fake_put_failure(-NLE_BAD_SOCK);
        assert_int_equal(process_events_drain(e), 0);
        assert_off(e, nl_geterror(NLE_BAD_SOCK));
}

static void test_damaged(void **state) {
        struct nlmsghdr head = {.nlmsg_len = sizeof(head), .nlmsg_type = NLMSG_DONE};
        _cleanup_(process_events_freep) ProcessEvents *e = start(0);

        fake_put(&head, sizeof(head));
        fake_put_event(PROC_EVENT_EXIT, 7, 7, 0, 0);
        assert_int_equal(process_events_drain(e), 0);
        assert_true(process_events_touched(e, 7));
}

static void test_the_kernel_is_told_to_stop(void **state) {
        process_events_free(start(0));
        assert_int_equal(fake_last_operation, PROC_CN_MCAST_IGNORE);
        assert_int_equal(process_events_drain(NULL), 0);
        assert_false(process_events_touched(NULL, 1));
        assert_false(process_events_execed(NULL, 1));
        assert_false(process_events_any(NULL));
}

/* Whatever machine this is: on or off, and no failure. */
static void test_real(void **state) {
        _cleanup_(process_events_freep) ProcessEvents *e = NULL;

        assert_int_equal(process_events_open(&e), 0);
        print_message("process events: %s\n", process_events_off(e) ? process_events_off(e) : "on");
        assert_int_equal(process_events_drain(e), 0);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_events),
                cmocka_unit_test(test_many),
                cmocka_unit_test(test_lost),
                cmocka_unit_test(test_bounds),
                cmocka_unit_test(test_failures_without_end),
                cmocka_unit_test(test_off),
                cmocka_unit_test(test_it_ends_later),
                cmocka_unit_test(test_damaged),
                cmocka_unit_test(test_the_kernel_is_told_to_stop),
                cmocka_unit_test(test_real),
        };
        log_set_level(LOG_ERR);
        return cmocka_run_group_tests(tests, NULL, NULL);
}
