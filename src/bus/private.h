/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The object for root where no bus runs: on a socket in the runtime directory, one connection a peer. */

#include <systemd/sd-event.h>

#include "bus/object.h"

#define PRIVATE_SOCKET_NAME "private"
#define PRIVATE_SOCKET_PATH "/run/placerd/" PRIVATE_SOCKET_NAME
/* More peers than this at a time are turned away. */
#define PRIVATE_PEERS_MAX 16

typedef struct PrivateServer PrivateServer;

/* Listens in the folder `dir_fd`, which must stay open and belong to nobody else: a socket that is there is taken for
 * a dead predecessor's and replaced. Mode 0600, and peers that are neither root nor this very user are turned away.
 * -errno. */
int private_server_new(sd_event *event, int dir_fd, const BusCallbacks *callbacks, PrivateServer **ret);
/* The socket goes too. */
PrivateServer *private_server_free(PrivateServer *s);
DEFINE_CLEANUP_FUNC(PrivateServer *, private_server_free);

/* Takes away what a predecessor that was killed has left. */
void private_socket_remove(int dir_fd);

/* The signals of bus/object.h, to all peers. One that does not read them is let go of. */
void private_server_emit_decision(PrivateServer *s, const char *target, const char *kind, const char *json);
void private_server_emit_paused(PrivateServer *s);

/* The other end. -ENOENT, -ECONNREFUSED: nobody listens there; -EACCES: not for this user; -errno. */
int private_connect(const char *path, sd_bus **ret);
