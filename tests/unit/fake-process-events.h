/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* A made-up kernel that has a process connector. */

#include <linux/cn_proc.h>
#include <linux/connector.h>

#include "fake-netlink.h"

static int fake_listen_error; /* in the answer to PROC_CN_MCAST_LISTEN */
static bool fake_listen_silent;
static uint32_t fake_last_operation;

static inline void fake_put_event(uint32_t what, uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
        struct {
                struct nlmsghdr netlink;
                struct cn_msg head;
                uint32_t event[10];
        } m = {
                .netlink = {.nlmsg_len = sizeof(m.netlink) + sizeof(m.head) + sizeof(m.event),
                            .nlmsg_type = NLMSG_DONE},
                .head = {.id = {CN_IDX_PROC, CN_VAL_PROC}, .len = sizeof(m.event)},
                .event = {what, 0, 0, 0, a, b, c, d},
        };

        fake_put(&m, m.netlink.nlmsg_len);
}

static inline void fake_events_on_send(const struct nlmsghdr *sent) {
        memcpy(&fake_last_operation, (const char *) nlmsg_data(sent) + sizeof(struct cn_msg), sizeof(uint32_t));
        if (fake_last_operation == PROC_CN_MCAST_LISTEN && !fake_listen_silent)
                fake_put_event(PROC_EVENT_NONE, (uint32_t) fake_listen_error, 0, 0, 0);
}

/* One that answers so: 0, or a positive errno. */
static inline struct nl_sock *fake_events_socket(int error) {
        fake_listen_error = error;
        fake_listen_silent = false;
        return fake_socket(fake_events_on_send);
}
