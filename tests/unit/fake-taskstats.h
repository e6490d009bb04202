/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* A made-up kernel that has taskstats. */

#include <linux/taskstats.h>

#include "fake-netlink.h"

#define FAKE_FAMILY 33

typedef struct FakeTaskstats {
        uint16_t version;
        size_t len;
        uint64_t run, delay, slices;
        bool no_family;
        int error; /* an error in place of an answer */
} FakeTaskstats;

static FakeTaskstats fake_taskstats;

static inline void fake_answer_family(const struct nlmsghdr *sent) {
        struct nl_msg *msg = nlmsg_alloc();

        genlmsg_put(msg, 0, sent->nlmsg_seq, GENL_ID_CTRL, 0, 0, CTRL_CMD_NEWFAMILY, 1);
        nla_put_u16(msg, CTRL_ATTR_FAMILY_ID, FAKE_FAMILY);
        nla_put_string(msg, CTRL_ATTR_FAMILY_NAME, TASKSTATS_GENL_NAME);
        fake_put_msg(msg);
        fake_put_error(sent, 0);
}

static inline void fake_put_stats(uint32_t number, uint32_t pid) {
        const FakeTaskstats *f = &fake_taskstats;
        struct nl_msg *msg = nlmsg_alloc();
        char stats[1024] = {};

        memcpy(stats, &f->version, sizeof(f->version));
        memcpy(stats + offsetof(struct taskstats, cpu_count), &f->slices, sizeof(f->slices));
        memcpy(stats + offsetof(struct taskstats, cpu_delay_total), &f->delay, sizeof(f->delay));
        memcpy(stats + offsetof(struct taskstats, cpu_run_virtual_total), &f->run, sizeof(f->run));
        genlmsg_put(msg, 0, number, FAKE_FAMILY, 0, 0, TASKSTATS_CMD_NEW, 1);
        struct nlattr *nest = nla_nest_start(msg, TASKSTATS_TYPE_AGGR_TGID);
        nla_put_u32(msg, TASKSTATS_TYPE_TGID, pid);
        nla_put(msg, TASKSTATS_TYPE_STATS, (int) f->len, stats);
        nla_nest_end(msg, nest);
        fake_put_msg(msg);
}

static inline void fake_taskstats_on_send(const struct nlmsghdr *sent) {
        if (sent->nlmsg_type == GENL_ID_CTRL && fake_taskstats.no_family)
                fake_put_error(sent, -ENOENT);
        else if (sent->nlmsg_type == GENL_ID_CTRL)
                fake_answer_family(sent);
        else if (fake_taskstats.error != 0)
                fake_put_error(sent, fake_taskstats.error);
        else
                fake_put_stats(sent->nlmsg_seq, 1);
}

/* One that answers so. */
static inline struct nl_sock *fake_taskstats_socket(const FakeTaskstats *f) {
        fake_taskstats = *f;
        return fake_socket(fake_taskstats_on_send);
}
