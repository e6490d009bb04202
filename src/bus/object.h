/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The object /org/placerd1, on the system bus or on a connection of its own (bus/private.h). It knows no daemon:
 * everything is asked of callbacks. */

#include <systemd/sd-bus.h>

#include "base/macros.h"

#define BUS_NAME "org.placerd1"
#define BUS_PATH "/org/placerd1"
#define BUS_INTERFACE "org.placerd1.Manager"

#define BUS_UID_UNKNOWN ((uid_t) -1)

typedef struct BusCallbacks {
        /* JSON of everything (newly allocated), NULL where memory is short. */
        char *(*describe)(void *userdata);
        /* One target by path or unit; -ENOENT. */
        int (*describe_target)(void *userdata, const char *target, char **ret_json);
        /* Undo one, or all where target is "": number undone, -ENOENT. */
        int (*undo)(void *userdata, const char *target);
        /* `uid` is who asks, BUS_UID_UNKNOWN where nobody knows. Number of trials broken off. */
        int (*pause)(void *userdata, uid_t uid);
        int (*resume)(void *userdata, uid_t uid);
        bool (*paused)(void *userdata);
        void *userdata;
} BusCallbacks;

typedef struct BusObject BusObject;

/* Adds the object to `bus` and asks for the name. The callbacks are copied. -errno. */
int bus_object_new(sd_bus *bus, const BusCallbacks *callbacks, BusObject **ret);
/* The same on a connection without a bus, where nobody has a name. Its peer may change everything: it must be root. */
int bus_object_new_unnamed(sd_bus *bus, const BusCallbacks *callbacks, BusObject **ret);
BusObject *bus_object_free(BusObject *o);
DEFINE_CLEANUP_FUNC(BusObject *, bus_object_free);

/* Signal Decision(s target, s kind, s json): a change, an outcome or an undo. */
int bus_object_emit_decision(BusObject *o, const char *target, const char *kind, const char *json);
/* The property Paused has another value now. */
int bus_object_emit_paused(BusObject *o);
