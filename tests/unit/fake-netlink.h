/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* A libnl socket with a made-up kernel behind it: what is sent goes to a function of the test, which puts answers into
 * a queue; what is received comes out of it, and EAGAIN where it is empty. */

#include <netlink/genl/ctrl.h>
#include <netlink/genl/genl.h>
#include <netlink/netlink.h>
#include <stdlib.h>

#include "base/macros.h"

#define FAKE_QUEUE_MAX 16384

typedef struct FakeMessage {
        void *data; /* NULL: an error in its place */
        int len;    /* or libnl's error */
} FakeMessage;

typedef struct FakeKernel {
        FakeMessage queue[FAKE_QUEUE_MAX];
        size_t first, n;
        unsigned n_sent;
        int send_error; /* libnl's */
        void (*on_send)(const struct nlmsghdr *sent);
} FakeKernel;

static FakeKernel fake_kernel;

static inline void fake_put(const void *data, size_t len) {
        FakeMessage m = {.data = malloc(len), .len = (int) len};

        assert(fake_kernel.n < FAKE_QUEUE_MAX);
        memcpy(m.data, data, len);
        fake_kernel.queue[(fake_kernel.first + fake_kernel.n++) % FAKE_QUEUE_MAX] = m;
}

/* The next receive fails with libnl's code. */
static inline void fake_put_failure(int libnl_error) {
        assert(fake_kernel.n < FAKE_QUEUE_MAX);
        fake_kernel.queue[(fake_kernel.first + fake_kernel.n++) % FAKE_QUEUE_MAX] = (FakeMessage){.len = libnl_error};
}

/* An error message, or (0) an acknowledgement, in answer to `sent`. */
static inline void fake_put_error(const struct nlmsghdr *sent, int error) {
        struct {
                struct nlmsghdr head;
                struct nlmsgerr error;
        } m = {
                .head = {.nlmsg_len = sizeof(m), .nlmsg_type = NLMSG_ERROR, .nlmsg_seq = sent->nlmsg_seq},
                .error = {.error = error, .msg = *sent},
        };

        fake_put(&m, sizeof(m));
}

/* Takes over the message. */
static inline void fake_put_msg(struct nl_msg *msg) {
        fake_put(nlmsg_hdr(msg), nlmsg_hdr(msg)->nlmsg_len);
        nlmsg_free(msg);
}

static inline int fake_send(struct nl_sock *sk, struct nl_msg *msg) {
        fake_kernel.n_sent++;
        if (fake_kernel.send_error < 0)
                return fake_kernel.send_error;
        if (fake_kernel.on_send)
                fake_kernel.on_send(nlmsg_hdr(msg));
        return (int) nlmsg_hdr(msg)->nlmsg_len;
}

static inline int fake_receive(struct nl_sock *sk, struct sockaddr_nl *address, unsigned char **ret_data,
                               struct ucred **credentials) {
        if (fake_kernel.n == 0)
                return -NLE_AGAIN;
        FakeMessage m = fake_kernel.queue[fake_kernel.first];
        fake_kernel.first = (fake_kernel.first + 1) % FAKE_QUEUE_MAX;
        fake_kernel.n--;
        *address = (struct sockaddr_nl){.nl_family = AF_NETLINK};
        *ret_data = m.data;
        return m.len;
}

static inline struct nl_sock *fake_socket(void (*on_send)(const struct nlmsghdr *sent)) {
        struct nl_cb *cb = nl_cb_alloc(NL_CB_DEFAULT);

        while (fake_kernel.n > 0) {
                free(fake_kernel.queue[fake_kernel.first].data);
                fake_kernel.first = (fake_kernel.first + 1) % FAKE_QUEUE_MAX;
                fake_kernel.n--;
        }
        fake_kernel.n_sent = 0;
        fake_kernel.send_error = 0;
        fake_kernel.on_send = on_send;
        nl_cb_overwrite_send(cb, fake_send);
        nl_cb_overwrite_recv(cb, fake_receive);
        struct nl_sock *sk = nl_socket_alloc_cb(cb);
        nl_cb_put(cb);
        return sk;
}
