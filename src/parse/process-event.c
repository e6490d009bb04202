/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A struct cn_msg of 20 bytes (idx, val, seq, ack, len, flags) with CN_IDX_PROC and CN_VAL_PROC, and behind it a struct
 * proc_event, which so is not aligned:
 *
 *   offset 0   __u32 what          1 fork, 2 exec, 0x80000000 exit, 0 an answer; others are not looked at
 *   offset 4   __u32 cpu
 *   offset 8   __u64 timestamp_ns
 *   offset 16  fork: parent's tid, its pid, child's tid, its pid; exec, exit: tid, pid; answer: an errno
 *
 * (The kernel's own names are pid and tgid.) A new thread is a fork too, whose "parent" is not the process that it
 * belongs to but the parent of that one: clone(2) with CLONE_THREAD. */

#include "parse/process-event.h"

#include <errno.h>
#include <linux/cn_proc.h>
#include <linux/connector.h>

#define WHAT_OFFSET 0
#define DATA_OFFSET 16

/* The nth of the event's numbers; false where the event ends before. */
static bool number_at(const char *event, size_t len, size_t n, uint32_t *ret) {
        size_t offset = DATA_OFFSET + n * sizeof(*ret);

        if (len < offset + sizeof(*ret))
                return false;
        memcpy(ret, event + offset, sizeof(*ret));
        return true;
}

static int parse_answer(const char *event, size_t len, ProcessEvent *ret) {
        uint32_t error;

        if (!number_at(event, len, 0, &error) || error > INT32_MAX)
                return -EBADMSG;
        *ret = (ProcessEvent){.kind = PROCESS_EVENT_ANSWER, .error = (int) error};
        return 0;
}

static int parse_of_process(ProcessEventKind kind, const char *event, size_t len, ProcessEvent *ret) {
        uint32_t pid;

        if (!number_at(event, len, 1, &pid) || pid > INT32_MAX)
                return -EBADMSG;
        *ret = (ProcessEvent){.kind = kind, .pid = (pid_t) pid};
        return 0;
}

static int parse_fork(const char *event, size_t len, ProcessEvent *ret) {
        uint32_t parent, tid, pid;

        if (!number_at(event, len, 1, &parent) || !number_at(event, len, 2, &tid) || !number_at(event, len, 3, &pid) ||
            parent > INT32_MAX || pid > INT32_MAX)
                return -EBADMSG;
        *ret = tid == pid ? (ProcessEvent){.kind = PROCESS_EVENT_FORK, .pid = (pid_t) parent}
                          : (ProcessEvent){.kind = PROCESS_EVENT_THREAD, .pid = (pid_t) pid};
        return 0;
}

static int parse_event(const char *event, size_t len, ProcessEvent *ret) {
        uint32_t what;

        if (len < DATA_OFFSET)
                return -EBADMSG;
        memcpy(&what, event + WHAT_OFFSET, sizeof(what));
        switch (what) {
        case PROC_EVENT_NONE:
                return parse_answer(event, len, ret);
        case PROC_EVENT_FORK:
                return parse_fork(event, len, ret);
        case PROC_EVENT_EXEC:
                return parse_of_process(PROCESS_EVENT_EXEC, event, len, ret);
        case PROC_EVENT_EXIT:
                return parse_of_process(PROCESS_EVENT_EXIT, event, len, ret);
        default:
                *ret = (ProcessEvent){.kind = PROCESS_EVENT_OTHER};
                return 0;
        }
}

int process_event_parse(const void *data, size_t len, ProcessEvent *ret) {
        struct cn_msg head;

        if (len < sizeof(head))
                return -EBADMSG;
        memcpy(&head, data, sizeof(head));
        if (head.id.idx != CN_IDX_PROC || head.id.val != CN_VAL_PROC || head.len > len - sizeof(head))
                return -EBADMSG;
        return parse_event((const char *) data + sizeof(head), head.len, ret);
}
