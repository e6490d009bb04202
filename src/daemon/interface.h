/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Where the daemon can be asked: on the system bus, else on the private socket, else nowhere. */

#include <systemd/sd-event.h>

#include "bus/private.h"

/* All NULL: not open. */
typedef struct Interface {
        sd_bus *bus;
        BusObject *object;
        PrivateServer *private;
} Interface;

/* Says in the journal what could not be had. `runtime_fd`: the locked runtime directory, which stays open; -1: none,
 * and so no private socket. The bus going away ends the event loop. */
void interface_open(Interface *i, sd_event *event, int runtime_fd, const BusCallbacks *callbacks);
void interface_close(Interface *i);

/* The signals of bus/object.h, to whoever listens. */
void interface_tell_decision(Interface *i, const char *target, const char *kind, const char *json);
void interface_tell_paused(Interface *i);
