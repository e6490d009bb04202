/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Being asked is not needed for anything else, so whatever fails here is told and survived. The private socket is only
 * opened where the bus can't be had: a second way in that nobody needs is one more that must be right. A bus that comes
 * up later changes nothing: placerctl looks at both. */

#include "daemon/interface.h"

#include <errno.h>

#include "io/log.h"

/* True where the object is served there. */
static bool open_on_bus(Interface *i, sd_event *event, const BusCallbacks *callbacks) {
        int r = sd_bus_open_system(&i->bus);
        if (r < 0)
                return false;
        r = sd_bus_set_exit_on_disconnect(i->bus, true);
        if (r >= 0)
                r = sd_bus_attach_event(i->bus, event, SD_EVENT_PRIORITY_NORMAL);
        if (r >= 0)
                r = bus_object_new(i->bus, callbacks, &i->object);
        if (r < 0)
                log_warning(r, "Can't serve %s on the system bus, going on without: %m", BUS_NAME);
        return r >= 0;
}

static void open_private(Interface *i, sd_event *event, int runtime_fd, const BusCallbacks *callbacks) {
        int r = private_server_new(event, runtime_fd, callbacks, &i->private);
        if (r < 0)
                log_warning(r, "No system bus, and no private socket, so that placerctl can't ask this placerd: %m");
        else
                log_notice("No system bus: only root's placerctl can ask this placerd, by a private socket");
}

void interface_open(Interface *i, sd_event *event, int runtime_fd, const BusCallbacks *callbacks) {
        if (runtime_fd >= 0)
                private_socket_remove(runtime_fd);
        if (open_on_bus(i, event, callbacks))
                return;
        if (runtime_fd >= 0)
                open_private(i, event, runtime_fd, callbacks);
        else
                log_notice("No system bus: placerctl can't ask this placerd, the journal tells what it does");
}

void interface_close(Interface *i) {
        bus_object_free(i->object);
        private_server_free(i->private);
        sd_bus_flush_close_unref(i->bus);
        *i = (Interface){};
}

void interface_tell_decision(Interface *i, const char *target, const char *kind, const char *json) {
        int r = i->object ? bus_object_emit_decision(i->object, target, kind, json) : 0;
        if (r < 0)
                log_warning(r, "Can't send a signal on the bus, ignoring: %m");
        if (i->private)
                private_server_emit_decision(i->private, target, kind, json);
}

void interface_tell_paused(Interface *i) {
        int r = i->object ? bus_object_emit_paused(i->object) : 0;
        if (r < 0)
                log_warning(r, "Can't send a signal on the bus, ignoring: %m");
        if (i->private)
                private_server_emit_paused(i->private);
}
