/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* A message of the kernel's process connector (linux/connector.h, linux/cn_proc.h). */

#include <sys/types.h>

#include "base/macros.h"

typedef enum ProcessEventKind {
        PROCESS_EVENT_OTHER,  /* of a kind that is not looked at */
        PROCESS_EVENT_ANSWER, /* to our own request */
        PROCESS_EVENT_THREAD, /* pid has a new thread */
        PROCESS_EVENT_FORK,   /* pid has a new child process */
        PROCESS_EVENT_EXEC,   /* pid runs another program */
        PROCESS_EVENT_EXIT,   /* a thread of pid has ended, maybe the last one */
} ProcessEventKind;

typedef struct ProcessEvent {
        ProcessEventKind kind;
        pid_t pid; /* of the process; 0 where the kind has none */
        int error; /* of an answer: 0, or a positive errno */
} ProcessEvent;

/* `data`: what follows the netlink header. -EBADMSG where it is no message of the process connector, or ends early. */
int process_event_parse(const void *data, size_t len, ProcessEvent *ret);
