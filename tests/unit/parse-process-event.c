/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What the process connector tells, and what is none of it. */

#include "test.h"

#include <errno.h>
#include <linux/cn_proc.h>
#include <linux/connector.h>

#include "parse/process-event.h"

typedef struct Message {
        struct cn_msg head;
        char event[40];
} Message;

static Message message(uint32_t what, uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
        Message m = {.head = {.id = {CN_IDX_PROC, CN_VAL_PROC}, .len = sizeof(m.event)}};
        const uint32_t numbers[] = {a, b, c, d};

        memcpy(m.event, &what, sizeof(what));
        memcpy(m.event + 16, numbers, sizeof(numbers));
        return m;
}

static void check(Message m, ProcessEventKind kind, pid_t pid, int error) {
        ProcessEvent e;

        assert_int_equal(process_event_parse(&m, sizeof(m), &e), 0);
        assert_int_equal(e.kind, kind);
        assert_int_equal(e.pid, pid);
        assert_int_equal(e.error, error);
}

static void test_events(void **state) {
        check(message(PROC_EVENT_FORK, 101, 100, 200, 200), PROCESS_EVENT_FORK, 100, 0);
        /* The kernel names the process's parent, 1, as the parent of its thread. */
        check(message(PROC_EVENT_FORK, 1, 1, 201, 100), PROCESS_EVENT_THREAD, 100, 0);
        check(message(PROC_EVENT_EXEC, 201, 200, 0, 0), PROCESS_EVENT_EXEC, 200, 0);
        check(message(PROC_EVENT_EXIT, 201, 100, 9, 17), PROCESS_EVENT_EXIT, 100, 0);
        check(message(PROC_EVENT_NONE, 0, 0, 0, 0), PROCESS_EVENT_ANSWER, 0, 0);
        check(message(PROC_EVENT_NONE, EPERM, 0, 0, 0), PROCESS_EVENT_ANSWER, 0, EPERM);
        check(message(PROC_EVENT_COMM, 5, 5, 0, 0), PROCESS_EVENT_OTHER, 0, 0);
        check(message(0x400, 5, 5, 0, 0), PROCESS_EVENT_OTHER, 0, 0);
}

static void refuse(Message m, size_t len) {
        ProcessEvent e;

        assert_int_equal(process_event_parse(&m, len, &e), -EBADMSG);
}

static void test_damaged(void **state) {
        Message m = message(PROC_EVENT_FORK, 1, 1, 2, 2);

        refuse(m, 0);
        refuse(m, sizeof(m.head) - 1);
        refuse(m, sizeof(m) - 1); /* shorter than its head says */
        m.head.len = 28;          /* no room for the child's pid */
        refuse(m, sizeof(m));
        m.head.len = 15;
        refuse(m, sizeof(m));
        m = message(PROC_EVENT_EXIT, 1, 1, 2, 2);
        m.head.id.idx = CN_IDX_PROC + 1;
        refuse(m, sizeof(m));
        refuse(message(PROC_EVENT_EXEC, 1, UINT32_MAX, 0, 0), sizeof(m));
        refuse(message(PROC_EVENT_NONE, UINT32_MAX, 0, 0, 0), sizeof(m));
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_events),
                cmocka_unit_test(test_damaged),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
