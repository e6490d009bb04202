/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A socket of NETLINK_CONNECTOR in the group CN_IDX_PROC, on which the kernel sends a message for each fork, exec and
 * exit on the machine once somebody has asked for that (PROC_CN_MCAST_LISTEN; answered on the same socket). The socket
 * collects, and is emptied once a tick: nobody is woken up by an event. Only the numbers of processes are kept, each
 * once.
 *
 * On a machine that forks a lot the socket runs over between two ticks (ENOBUFS). Then anything may have happened, and
 * every process counts as touched; what was measured of it still holds.
 *
 * Only the first network namespace has it, and before Linux 6.6 it needs CAP_NET_ADMIN there. */

#include "sample/process-events.h"

#include <errno.h>
#include <linux/cn_proc.h>
#include <linux/connector.h>
#include <netlink/msg.h>
#include <netlink/netlink.h>
#include <netlink/socket.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "base/array.h"
#include "io/log.h"
#include "parse/process-event.h"

/* The kernel charges some 800 bytes for an event, and doubles the number: some 2,500 events a tick. */
#define SOCKET_BYTES (1 << 20)
/* More than the socket holds: a bound on a stream that is faster than we are. */
#define MESSAGES_MAX 8192
#define PIDS_MAX 4096

typedef struct PidSet {
        pid_t *pids; /* sorted, each once, after pid_set_sort() */
        size_t n, allocated;
} PidSet;

struct ProcessEvents {
        struct nl_sock *socket; /* NULL where it is off */
        const char *off;
        PidSet touched, execed;
        bool lost, said_lost;
        bool answered;
        int answer; /* to PROC_CN_MCAST_LISTEN: 0, or a positive errno */
        int error;  /* of a callback: -ENOMEM */
};

static int compare_pids(const void *a, const void *b) {
        pid_t x = *(const pid_t *) a, y = *(const pid_t *) b;

        return (x > y) - (x < y);
}

static void pid_set_sort(PidSet *set) {
        size_t kept = 0;

        if (set->n == 0)
                return;
        qsort(set->pids, set->n, sizeof(*set->pids), compare_pids);
        for (size_t i = 1; i < set->n; i++)
                if (set->pids[i] != set->pids[kept])
                        set->pids[++kept] = set->pids[i];
        set->n = kept + 1;
}

/* -ENOSPC where it is full of different ones. A process that forks in a row is kept once at once. */
static int pid_set_add(PidSet *set, pid_t pid) {
        if (set->n > 0 && set->pids[set->n - 1] == pid)
                return 0;
        if (set->n == PIDS_MAX)
                pid_set_sort(set);
        if (set->n == PIDS_MAX)
                return -ENOSPC;
        int r = ARRAY_RESERVE(set->pids, set->allocated, set->n + 1);
        if (r >= 0)
                set->pids[set->n++] = pid;
        return r;
}

static bool pid_set_has(const PidSet *set, pid_t pid) {
        return set->n > 0 && bsearch(&pid, set->pids, set->n, sizeof(pid), compare_pids);
}

static int send_operation(struct nl_sock *socket, enum proc_cn_mcast_op operation) {
        struct cn_msg head = {.id = {CN_IDX_PROC, CN_VAL_PROC}, .len = sizeof(uint32_t)};
        char data[sizeof(head) + sizeof(uint32_t)];
        uint32_t op = operation;

        memcpy(data, &head, sizeof(head));
        memcpy(data + sizeof(head), &op, sizeof(op));
        return nl_send_simple(socket, NLMSG_DONE, 0, data, sizeof(data));
}

/* The kernel counts listeners, and goes on making messages for one that only closed its socket. */
ProcessEvents *process_events_free(ProcessEvents *e) {
        if (!e)
                return NULL;
        if (e->socket)
                (void) send_operation(e->socket, PROC_CN_MCAST_IGNORE);
        nl_socket_free(e->socket);
        free(e->touched.pids);
        free(e->execed.pids);
        free(e);
        return NULL;
}

const char *process_events_off(const ProcessEvents *e) {
        return e->off;
}

static void turn_off(ProcessEvents *e, const char *why) {
        nl_socket_free(e->socket);
        e->socket = NULL;
        e->off = why;
        log_info("Births and ends of threads are seen a little later: process events: %s", why);
}

static void lose(ProcessEvents *e) {
        e->lost = true;
        if (!e->said_lost)
                log_info("Process events were lost, as there were too many at once: all that rests is looked at anew.");
        e->said_lost = true;
}

static void keep(ProcessEvents *e, PidSet *set, pid_t pid) {
        int r = pid_set_add(set, pid);
        if (r == -ENOSPC)
                lose(e);
        else if (r < 0)
                e->error = r;
}

static void take_event(ProcessEvents *e, const ProcessEvent *event) {
        switch (event->kind) {
        case PROCESS_EVENT_OTHER:
                return;
        case PROCESS_EVENT_ANSWER:
                e->answered = true;
                e->answer = event->error;
                return;
        case PROCESS_EVENT_EXEC:
                keep(e, &e->execed, event->pid);
                keep(e, &e->touched, event->pid);
                return;
        case PROCESS_EVENT_THREAD:
        case PROCESS_EVENT_FORK:
        case PROCESS_EVENT_EXIT:
                keep(e, &e->touched, event->pid);
                return;
        }
        assert(false);
}

/* Before libnl looks at it: the connector's messages all have the type that ends a list elsewhere. */
static int on_message(struct nl_msg *msg, void *userdata) {
        ProcessEvents *e = userdata;
        struct nlmsghdr *head = nlmsg_hdr(msg);
        ProcessEvent event;

        if (process_event_parse(nlmsg_data(head), (size_t) nlmsg_datalen(head), &event) >= 0)
                take_event(e, &event);
        return NL_SKIP;
}

/* True where there is more to read. */
static bool receive(ProcessEvents *e) {
        int r = nl_recvmsgs_default(e->socket);

        if (r == -NLE_AGAIN)
                return false;
        if (r == -NLE_NOMEM) { /* which is also libnl's word for ENOBUFS */
                lose(e);
                return true;
        }
        if (r < 0 && r != -NLE_INTR)
                turn_off(e, nl_geterror(r));
        return e->socket && e->error == 0;
}

int process_events_drain(ProcessEvents *e) {
        if (!e)
                return 0;
        e->touched.n = e->execed.n = 0;
        e->lost = false;
        e->error = 0;
        if (!e->socket)
                return 0;
        unsigned n = 0;
        while (n < MESSAGES_MAX && receive(e))
                n++;
        if (n == MESSAGES_MAX)
                lose(e);
        pid_set_sort(&e->touched);
        pid_set_sort(&e->execed);
        return e->error;
}

bool process_events_touched(const ProcessEvents *e, pid_t pid) {
        return e && (e->lost || pid_set_has(&e->touched, pid));
}

bool process_events_any(const ProcessEvents *e) {
        return e && (e->lost || e->touched.n > 0);
}

bool process_events_execed(const ProcessEvents *e, pid_t pid) {
        return e && pid_set_has(&e->execed, pid);
}

/* The answer is there when the send returns; events of others may stand before it. */
static int listen_to_kernel(ProcessEvents *e) {
        int r = send_operation(e->socket, PROC_CN_MCAST_LISTEN);
        if (r < 0) {
                turn_off(e, nl_geterror(r));
                return 0;
        }
        r = process_events_drain(e);
        if (r < 0 || e->off)
                return r;
        if (!e->answered)
                turn_off(e, "this kernel has none (CONFIG_PROC_EVENTS), or this is not the first network namespace");
        else if (e->answer != 0)
                turn_off(e, e->answer == EPERM ? "needs CAP_NET_ADMIN" : strerrordesc_np(e->answer));
        return 0;
}

int process_events_new(struct nl_sock *socket, ProcessEvents **ret) {
        _cleanup_(process_events_freep) ProcessEvents *e = calloc(1, sizeof(*e));
        if (!e) {
                nl_socket_free(socket);
                return -ENOMEM;
        }
        e->socket = socket;
        nl_socket_disable_auto_ack(socket);
        (void) nl_socket_modify_cb(socket, NL_CB_MSG_IN, NL_CB_CUSTOM, on_message, e);
        int r = listen_to_kernel(e);
        if (r < 0)
                return r;
        *ret = TAKE_PTR(e);
        return 0;
}

static int new_without(int libnl_error, ProcessEvents **ret) {
        ProcessEvents *e = calloc(1, sizeof(*e));
        if (!e)
                return -ENOMEM;
        turn_off(e, libnl_error == -NLE_PERM ? "needs CAP_NET_ADMIN" : nl_geterror(libnl_error));
        *ret = e;
        return 0;
}

static int connect_to_kernel(struct nl_sock *socket) {
        static const int bytes = SOCKET_BYTES;

        int r = nl_connect(socket, NETLINK_CONNECTOR);
        if (r >= 0)
                r = nl_socket_set_nonblocking(socket);
        if (r >= 0)
                r = nl_socket_add_membership(socket, CN_IDX_PROC);
        /* Beyond net.core.rmem_max. Without it less fits, and more is lost. */
        if (r >= 0)
                (void) setsockopt(nl_socket_get_fd(socket), SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof(bytes));
        return r;
}

int process_events_open(ProcessEvents **ret) {
        struct nl_sock *socket = nl_socket_alloc();
        if (!socket)
                return -ENOMEM;
        int r = connect_to_kernel(socket);
        if (r >= 0)
                return process_events_new(socket, ret);
        nl_socket_free(socket);
        return new_without(r, ret);
}
