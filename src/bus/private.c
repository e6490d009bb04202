/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* D-Bus without a bus: each peer that connects gets an sd_bus in server mode with an object of its own. Who asks is
 * told by the kernel (SO_PEERCRED), and only root gets in, so the object's own check of the sender always passes.
 *
 * The socket is bound by way of /proc/self/fd, since bind() knows no folder's descriptor. Its mode is set before: on
 * Linux a socket in the file system gets the mode that its descriptor has, so at no time may others connect. */

#include "bus/private.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/usec.h"

/* Signals that a peer has not read yet. A burst of decisions has a handful. */
#define QUEUED_MAX 128

typedef struct Peer {
        PrivateServer *server;
        sd_bus *bus;
        sd_bus_slot *disconnected;
        BusObject *object;
} Peer;

struct PrivateServer {
        int dir_fd; /* borrowed */
        sd_event *event;
        sd_event_source *listening;
        BusCallbacks callbacks;
        Peer *peers[PRIVATE_PEERS_MAX];
        size_t n_peers;
};

static Peer *peer_free(Peer *p) {
        if (!p)
                return NULL;
        bus_object_free(p->object);
        sd_bus_slot_unref(p->disconnected);
        sd_bus_close_unref(p->bus);
        free(p);
        return NULL;
}
DEFINE_CLEANUP_FUNC(Peer *, peer_free);

static void drop_peer(PrivateServer *s, Peer *p) {
        for (size_t i = 0; i < s->n_peers; i++)
                if (s->peers[i] == p) {
                        s->peers[i] = s->peers[--s->n_peers];
                        break;
                }
        peer_free(p);
}

static int on_disconnected(sd_bus_message *m, void *userdata, sd_bus_error *error) {
        Peer *p = userdata;
        drop_peer(p->server, p);
        return 0;
}

static int check_peer(int fd) {
        struct ucred ucred;
        socklen_t len = sizeof(ucred);

        if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &ucred, &len) < 0)
                return -errno;
        return ucred.uid == 0 || ucred.uid == geteuid() ? 0 : -EPERM;
}

static int start_bus(Peer *p, int fd) {
        sd_id128_t id;

        int r = sd_bus_new(&p->bus);
        if (r >= 0)
                r = sd_id128_randomize(&id);
        if (r >= 0)
                r = sd_bus_set_server(p->bus, true, id);
        if (r >= 0)
                r = sd_bus_set_fd(p->bus, fd, fd);
        return r;
}

static int serve(Peer *p) {
        PrivateServer *s = p->server;

        int r = sd_bus_start(p->bus);
        if (r >= 0)
                r = sd_bus_attach_event(p->bus, s->event, SD_EVENT_PRIORITY_NORMAL);
        if (r >= 0)
                r = sd_bus_match_signal_async(p->bus, &p->disconnected, NULL, "/org/freedesktop/DBus/Local",
                                              "org.freedesktop.DBus.Local", "Disconnected", on_disconnected, NULL, p);
        if (r >= 0)
                r = bus_object_new_unnamed(p->bus, &s->callbacks, &p->object);
        return r;
}

static int add_peer(PrivateServer *s, int fd) {
        _cleanup_close_ int owned = fd;
        _cleanup_(peer_freep) Peer *p = NULL;

        if (s->n_peers >= PRIVATE_PEERS_MAX)
                return -EBUSY;
        int r = check_peer(fd);
        if (r < 0)
                return r;
        p = calloc(1, sizeof(*p));
        if (!p)
                return -ENOMEM;
        p->server = s;
        r = start_bus(p, fd);
        if (r < 0)
                return r;
        (void) TAKE_FD(owned); /* the bus has it */
        r = serve(p);
        if (r < 0)
                return r;
        s->peers[s->n_peers++] = TAKE_PTR(p);
        return 0;
}

/* A peer that can't be served sees that it is hung up on. */
static int on_connect(sd_event_source *source, int fd, uint32_t events, void *userdata) {
        int peer_fd = accept4(fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
        if (peer_fd >= 0)
                (void) add_peer(userdata, peer_fd);
        return 0;
}

void private_socket_remove(int dir_fd) {
        (void) unlinkat(dir_fd, PRIVATE_SOCKET_NAME, 0);
}

static int listen_in(int dir_fd, int *ret_fd) {
        struct sockaddr_un address = {.sun_family = AF_UNIX};

        _cleanup_close_ int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        if (fd < 0 || fchmod(fd, 0600) < 0)
                return -errno;
        (void) snprintf(address.sun_path, sizeof(address.sun_path), "/proc/self/fd/%d/" PRIVATE_SOCKET_NAME, dir_fd);
        private_socket_remove(dir_fd);
        if (bind(fd, (struct sockaddr *) &address, sizeof(address)) < 0)
                return -errno;
        if (listen(fd, PRIVATE_PEERS_MAX) < 0)
                return -errno;
        *ret_fd = TAKE_FD(fd);
        return 0;
}

int private_server_new(sd_event *event, int dir_fd, const BusCallbacks *callbacks, PrivateServer **ret) {
        _cleanup_(private_server_freep) PrivateServer *s = calloc(1, sizeof(*s));
        _cleanup_close_ int fd = -1;
        if (!s)
                return -ENOMEM;

        s->dir_fd = dir_fd;
        s->event = sd_event_ref(event);
        s->callbacks = *callbacks;
        int r = listen_in(dir_fd, &fd);
        if (r < 0)
                return r;
        r = sd_event_add_io(event, &s->listening, fd, EPOLLIN, on_connect, s);
        if (r < 0)
                return r;
        /* Out of descriptors, a caller stays in the queue, and would wake us for ever. */
        r = sd_event_source_set_ratelimit(s->listening, USEC_PER_SEC, 2 * PRIVATE_PEERS_MAX);
        if (r >= 0)
                r = sd_event_source_set_io_fd_own(s->listening, true);
        if (r < 0)
                return r;
        (void) TAKE_FD(fd);

        *ret = TAKE_PTR(s);
        return 0;
}

PrivateServer *private_server_free(PrivateServer *s) {
        if (!s)
                return NULL;
        while (s->n_peers > 0)
                drop_peer(s, s->peers[0]);
        private_socket_remove(s->dir_fd);
        sd_event_source_disable_unref(s->listening);
        sd_event_unref(s->event);
        free(s);
        return NULL;
}

/* Does it still listen? If not, it goes. */
static bool peer_reads(PrivateServer *s, Peer *p) {
        uint64_t queued;

        if (sd_bus_get_n_queued_write(p->bus, &queued) >= 0 && queued <= QUEUED_MAX)
                return true;
        drop_peer(s, p);
        return false;
}

void private_server_emit_decision(PrivateServer *s, const char *target, const char *kind, const char *json) {
        for (size_t i = s->n_peers; i-- > 0;)
                if (peer_reads(s, s->peers[i]))
                        (void) bus_object_emit_decision(s->peers[i]->object, target, kind, json);
}

void private_server_emit_paused(PrivateServer *s) {
        for (size_t i = s->n_peers; i-- > 0;)
                if (peer_reads(s, s->peers[i]))
                        (void) bus_object_emit_paused(s->peers[i]->object);
}

static int connect_to(const char *path, int *ret_fd) {
        struct sockaddr_un address = {.sun_family = AF_UNIX};

        if (strlen(path) >= sizeof(address.sun_path))
                return -ENAMETOOLONG;
        memcpy(address.sun_path, path, strlen(path));
        _cleanup_close_ int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        if (fd < 0 || connect(fd, (struct sockaddr *) &address, sizeof(address)) < 0)
                return -errno;
        *ret_fd = TAKE_FD(fd);
        return 0;
}

int private_connect(const char *path, sd_bus **ret) {
        _cleanup_(sd_bus_unrefp) sd_bus *bus = NULL;
        _cleanup_close_ int fd = -1;

        int r = connect_to(path, &fd);
        if (r < 0)
                return r;
        r = sd_bus_new(&bus);
        if (r < 0)
                return r;
        r = sd_bus_set_fd(bus, fd, fd);
        if (r < 0)
                return r;
        (void) TAKE_FD(fd);
        r = sd_bus_start(bus);
        if (r < 0)
                return r;
        *ret = TAKE_PTR(bus);
        return 0;
}
