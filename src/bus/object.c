/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The object /org/placerd1. Three rules hold it together: the texts come ready from callbacks (nothing is formatted
 * here), reading is open to everybody, and whatever changes something passes manage() first.
 * SD_BUS_VTABLE_UNPRIVILEGED stands at the changing methods too: without it sd-bus asks for CAP_SYS_ADMIN by itself and
 * answers before we can, and polkit's answer (bus/authority.h) could never be put in between. */

#include "bus/object.h"

#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "bus/authority.h"
#include "config.h"

#define ERROR_NO_SUCH_TARGET "org.placerd1.Error.NoSuchTarget"

struct BusObject {
        sd_bus *bus; /* referenced */
        sd_bus_slot *slot;
        Authority *authority; /* NULL: all peers are root */
        BusCallbacks callbacks;
};

static int query_uid(sd_bus_message *m, uid_t *ret) {
        _cleanup_(sd_bus_creds_unrefp) sd_bus_creds *creds = NULL;

        int r = sd_bus_query_sender_creds(m, SD_BUS_CREDS_EUID, &creds);
        return r < 0 ? r : sd_bus_creds_get_euid(creds, ret);
}

/* Root may, others where polkit says so. On a connection without a bus all may: only root could connect. */
static int manage(BusObject *o, sd_bus_message *m, AuthorityAction action, sd_bus_error *error) {
        uid_t uid;

        int r = query_uid(m, &uid);
        if (r < 0)
                return sd_bus_error_set_errnof(error, r, "Can't tell who asks: %s", strerror(-r));
        if (uid == 0 || !o->authority)
                return action(o, m, uid, error);
        return authority_ask(o->authority, m, uid, action, o, error);
}

static int no_such_target(sd_bus_error *error, const char *target) {
        return sd_bus_error_setf(error, ERROR_NO_SUCH_TARGET, "No target is called '%s'", target);
}

static int method_describe(sd_bus_message *m, void *userdata, sd_bus_error *error) {
        BusObject *o = userdata;

        _cleanup_free_ char *json = o->callbacks.describe(o->callbacks.userdata);
        if (!json)
                return -ENOMEM;
        return sd_bus_reply_method_return(m, "s", json);
}

static int method_describe_target(sd_bus_message *m, void *userdata, sd_bus_error *error) {
        BusObject *o = userdata;
        _cleanup_free_ char *json = NULL;
        const char *target;

        int r = sd_bus_message_read(m, "s", &target);
        if (r < 0)
                return r;

        r = o->callbacks.describe_target(o->callbacks.userdata, target, &json);
        if (r == -ENOENT)
                return no_such_target(error, target);
        if (r < 0)
                return r;
        return sd_bus_reply_method_return(m, "s", json);
}

static int undo(BusObject *o, sd_bus_message *m, const char *target, sd_bus_error *error) {
        int r = o->callbacks.undo(o->callbacks.userdata, target);
        if (r == -ENOENT)
                return no_such_target(error, target);
        if (r < 0)
                return r;
        return sd_bus_reply_method_return(m, "u", (uint32_t) r);
}

static int action_undo(void *userdata, sd_bus_message *m, uid_t uid, sd_bus_error *error) {
        const char *target;

        int r = sd_bus_message_read(m, "s", &target);
        if (r < 0)
                return r;
        /* "" means all to the callback; a script whose variable is empty must not get that. */
        if (target[0] == '\0')
                return no_such_target(error, target);
        return undo(userdata, m, target, error);
}

static int action_undo_all(void *userdata, sd_bus_message *m, uid_t uid, sd_bus_error *error) {
        return undo(userdata, m, "", error);
}

static int action_pause(void *userdata, sd_bus_message *m, uid_t uid, sd_bus_error *error) {
        BusObject *o = userdata;

        int r = o->callbacks.pause(o->callbacks.userdata, uid);
        return r < 0 ? r : sd_bus_reply_method_return(m, "u", (uint32_t) r);
}

static int action_resume(void *userdata, sd_bus_message *m, uid_t uid, sd_bus_error *error) {
        BusObject *o = userdata;

        int r = o->callbacks.resume(o->callbacks.userdata, uid);
        return r < 0 ? r : sd_bus_reply_method_return(m, NULL);
}

static int method_undo(sd_bus_message *m, void *userdata, sd_bus_error *error) {
        return manage(userdata, m, action_undo, error);
}

static int method_undo_all(sd_bus_message *m, void *userdata, sd_bus_error *error) {
        return manage(userdata, m, action_undo_all, error);
}

static int method_pause(sd_bus_message *m, void *userdata, sd_bus_error *error) {
        return manage(userdata, m, action_pause, error);
}

static int method_resume(sd_bus_message *m, void *userdata, sd_bus_error *error) {
        return manage(userdata, m, action_resume, error);
}

static int property_paused(sd_bus *bus, const char *path, const char *interface, const char *property,
                           sd_bus_message *reply, void *userdata, sd_bus_error *error) {
        BusObject *o = userdata;
        return sd_bus_message_append(reply, "b", (int) o->callbacks.paused(o->callbacks.userdata));
}

static int property_version(sd_bus *bus, const char *path, const char *interface, const char *property,
                            sd_bus_message *reply, void *userdata, sd_bus_error *error) {
        return sd_bus_message_append(reply, "s", PLACERD_VERSION);
}

/* clang-format off */
static const sd_bus_vtable vtable[] = {
        SD_BUS_VTABLE_START(0),
        SD_BUS_PROPERTY("Version", "s", property_version, 0, SD_BUS_VTABLE_PROPERTY_CONST),
        SD_BUS_PROPERTY("Paused", "b", property_paused, 0, SD_BUS_VTABLE_PROPERTY_EMITS_CHANGE),
        SD_BUS_METHOD_WITH_ARGS("Describe", SD_BUS_NO_ARGS, SD_BUS_RESULT("s", json), method_describe,
                                SD_BUS_VTABLE_UNPRIVILEGED),
        SD_BUS_METHOD_WITH_ARGS("DescribeTarget", SD_BUS_ARGS("s", target), SD_BUS_RESULT("s", json),
                                method_describe_target, SD_BUS_VTABLE_UNPRIVILEGED),
        SD_BUS_METHOD_WITH_ARGS("Undo", SD_BUS_ARGS("s", target), SD_BUS_RESULT("u", undone), method_undo,
                                SD_BUS_VTABLE_UNPRIVILEGED),
        SD_BUS_METHOD_WITH_ARGS("UndoAll", SD_BUS_NO_ARGS, SD_BUS_RESULT("u", undone), method_undo_all,
                                SD_BUS_VTABLE_UNPRIVILEGED),
        SD_BUS_METHOD_WITH_ARGS("Pause", SD_BUS_NO_ARGS, SD_BUS_RESULT("u", broken_off), method_pause,
                                SD_BUS_VTABLE_UNPRIVILEGED),
        SD_BUS_METHOD_WITH_ARGS("Resume", SD_BUS_NO_ARGS, SD_BUS_NO_RESULT, method_resume, SD_BUS_VTABLE_UNPRIVILEGED),
        SD_BUS_SIGNAL_WITH_ARGS("Decision", SD_BUS_ARGS("s", target, "s", kind, "s", json), 0),
        SD_BUS_VTABLE_END,
};
/* clang-format on */

int bus_object_new_unnamed(sd_bus *bus, const BusCallbacks *callbacks, BusObject **ret) {
        _cleanup_(bus_object_freep) BusObject *o = calloc(1, sizeof(BusObject));
        if (!o)
                return -ENOMEM;

        o->bus = sd_bus_ref(bus);
        o->callbacks = *callbacks;

        int r = sd_bus_add_object_vtable(bus, &o->slot, BUS_PATH, BUS_INTERFACE, vtable, o);
        if (r < 0)
                return r;

        *ret = TAKE_PTR(o);
        return 0;
}

int bus_object_new(sd_bus *bus, const BusCallbacks *callbacks, BusObject **ret) {
        _cleanup_(bus_object_freep) BusObject *o = NULL;

        int r = bus_object_new_unnamed(bus, callbacks, &o);
        if (r < 0)
                return r;
        r = authority_new(bus, &o->authority);
        if (r < 0)
                return r;
        /* No queueing and no replacement: a second placerd must see that it is one too many. */
        r = sd_bus_request_name(bus, BUS_NAME, 0);
        if (r < 0)
                return r;

        *ret = TAKE_PTR(o);
        return 0;
}

BusObject *bus_object_free(BusObject *o) {
        if (!o)
                return NULL;

        authority_free(o->authority);
        sd_bus_slot_unref(o->slot);
        sd_bus_unref(o->bus);
        free(o);
        return NULL;
}

int bus_object_emit_decision(BusObject *o, const char *target, const char *kind, const char *json) {
        int r = sd_bus_emit_signal(o->bus, BUS_PATH, BUS_INTERFACE, "Decision", "sss", target, kind, json);
        return r < 0 ? r : 0;
}

int bus_object_emit_paused(BusObject *o) {
        int r = sd_bus_emit_properties_changed(o->bus, BUS_PATH, BUS_INTERFACE, "Paused", NULL);
        return r < 0 ? r : 0;
}
