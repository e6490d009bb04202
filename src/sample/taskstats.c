/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* One request a process, over generic netlink: family "TASKSTATS", command GET with a TGID, answered by command NEW
 * with { AGGR_TGID: { TGID, STATS } } or by an error. The kernel answers before it returns from the send, so the socket
 * does not block, and what is not there by then does not come. An answer is told from a stray one by its number.
 *
 * The family exists in the first network namespace only, and its requests need CAP_NET_ADMIN there. What is final
 * (that, or a kernel without it) switches it off for good and is logged once; what may pass (no memory, no room) leaves
 * one process without a sum for one tick. */

#include "sample/taskstats.h"

#include <errno.h>
#include <linux/taskstats.h>
#include <netlink/genl/ctrl.h>
#include <netlink/genl/genl.h>
#include <stdlib.h>
#include <unistd.h>

#include "io/log.h"
#include "parse/taskstats.h"

/* Messages read for one request: its answer, and a few strays. */
#define MESSAGES_MAX 8

struct Taskstats {
        struct nl_sock *socket; /* NULL where it is off */
        int family;
        const char *off;

        /* Of the request under way. */
        uint32_t number;
        bool answered;
        int error; /* from the kernel, negative errno */
        bool known;
        Counts counts;
};

Taskstats *taskstats_free(Taskstats *t) {
        if (!t)
                return NULL;
        nl_socket_free(t->socket);
        free(t);
        return NULL;
}

const char *taskstats_off(const Taskstats *t) {
        return t->off;
}

static void turn_off(Taskstats *t, const char *why) {
        nl_socket_free(t->socket);
        t->socket = NULL;
        t->off = why;
        log_info("What threads did that come and go within a tick is not known: taskstats: %s", why);
}

static void take_stats(Taskstats *t, struct nlmsghdr *head) {
        struct nlattr *outer[TASKSTATS_TYPE_MAX + 1], *inner[TASKSTATS_TYPE_MAX + 1];

        if (genlmsg_parse(head, 0, outer, TASKSTATS_TYPE_MAX, NULL) < 0 || !outer[TASKSTATS_TYPE_AGGR_TGID] ||
            nla_parse_nested(inner, TASKSTATS_TYPE_MAX, outer[TASKSTATS_TYPE_AGGR_TGID], NULL) < 0)
                return;
        struct nlattr *stats = inner[TASKSTATS_TYPE_STATS];
        t->known = stats && taskstats_parse(nla_data(stats), (size_t) nla_len(stats), &t->counts);
}

static int on_answer(struct nl_msg *msg, void *userdata) {
        Taskstats *t = userdata;
        struct nlmsghdr *head = nlmsg_hdr(msg);

        if (head->nlmsg_seq != t->number)
                return NL_SKIP;
        t->answered = true;
        if (head->nlmsg_type == t->family)
                take_stats(t, head);
        return NL_OK;
}

static int on_error(struct sockaddr_nl *address, struct nlmsgerr *error, void *userdata) {
        Taskstats *t = userdata;

        if (error->msg.nlmsg_seq != t->number)
                return NL_SKIP;
        t->answered = true;
        t->error = error->error;
        return NL_STOP;
}

/* 0, -ENOMEM, or what libnl says in its own codes. */
static int send_request(Taskstats *t, struct nl_msg *msg, pid_t pid) {
        if (!genlmsg_put(msg, NL_AUTO_PORT, NL_AUTO_SEQ, t->family, 0, 0, TASKSTATS_CMD_GET, 1))
                return -NLE_NOMEM;
        int r = nla_put_u32(msg, TASKSTATS_CMD_ATTR_TGID, (uint32_t) pid);
        if (r < 0)
                return r;
        nl_complete_msg(t->socket, msg);
        t->number = nlmsg_hdr(msg)->nlmsg_seq;
        return nl_send(t->socket, msg);
}

static int request(Taskstats *t, struct nl_msg *msg, pid_t pid) {
        t->answered = t->known = false;
        t->error = 0;
        t->counts = (Counts){};
        int r = send_request(t, msg, pid);
        for (unsigned i = 0; r >= 0 && i < MESSAGES_MAX && !t->answered; i++)
                r = nl_recvmsgs_default(t->socket);
        return t->answered ? 0 : r;
}

/* libnl's code for both no memory and no room in the socket (ENOBUFS) is the first. */
static bool may_pass(int libnl_error) {
        return libnl_error == -NLE_NOMEM || libnl_error == -NLE_AGAIN || libnl_error == -NLE_INTR;
}

/* Why the kernel's answer is the last one, NULL where it is not. */
static const char *final_error(int error) {
        switch (-error) {
        case 0:
        case ESRCH: /* the process has gone */
        case ENOMEM:
        case ENOBUFS:
                return NULL;
        case EPERM:
                return "needs CAP_NET_ADMIN";
        default:
                return strerrordesc_np(-error);
        }
}

int taskstats_ask(Taskstats *t, pid_t pid, Counts *counts) {
        if (!t || t->off)
                return 0;

        struct nl_msg *msg = nlmsg_alloc();
        if (!msg)
                return -ENOMEM;
        int r = request(t, msg, pid);
        nlmsg_free(msg);
        const char *why = r < 0 && !may_pass(r) ? nl_geterror(r) : final_error(t->error);
        if (why)
                turn_off(t, why);
        if (r < 0 || !t->known)
                return 0;
        counts_add(counts, &t->counts);
        return 1;
}

/* A kernel that counts knows something of whoever asks. */
static int try_out(Taskstats *t) {
        Counts counts = {};

        int r = taskstats_ask(t, getpid(), &counts);
        if (r == 0 && !t->off)
                turn_off(t, t->answered ? "this kernel counts nothing for it (CONFIG_TASK_DELAY_ACCT)"
                                        : "the kernel does not answer");
        return r < 0 ? r : 0;
}

/* Its answers must be numbered by libnl as long as it is libnl that asks: for the family. */
static int start(Taskstats *t) {
        t->family = genl_ctrl_resolve(t->socket, TASKSTATS_GENL_NAME);
        if (t->family < 0) {
                turn_off(t, "this kernel has none (CONFIG_TASKSTATS), or this is not the first network namespace");
                return 0;
        }
        nl_socket_disable_seq_check(t->socket);
        nl_socket_disable_auto_ack(t->socket);
        (void) nl_socket_modify_cb(t->socket, NL_CB_VALID, NL_CB_CUSTOM, on_answer, t);
        (void) nl_socket_modify_err_cb(t->socket, NL_CB_CUSTOM, on_error, t);
        return try_out(t);
}

int taskstats_new(struct nl_sock *socket, Taskstats **ret) {
        _cleanup_(taskstats_freep) Taskstats *t = calloc(1, sizeof(*t));
        if (!t) {
                nl_socket_free(socket);
                return -ENOMEM;
        }
        t->socket = socket;
        int r = start(t);
        if (r < 0)
                return r;
        *ret = TAKE_PTR(t);
        return 0;
}

static int new_without(int libnl_error, Taskstats **ret) {
        Taskstats *t = calloc(1, sizeof(*t));
        if (!t)
                return -ENOMEM;
        turn_off(t, nl_geterror(libnl_error));
        *ret = t;
        return 0;
}

int taskstats_open(Taskstats **ret) {
        struct nl_sock *socket = nl_socket_alloc();
        if (!socket)
                return -ENOMEM;
        int r = genl_connect(socket);
        if (r >= 0)
                r = nl_socket_set_nonblocking(socket);
        if (r >= 0)
                return taskstats_new(socket, ret);
        nl_socket_free(socket);
        return new_without(r, ret);
}
