/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The bus side of placerctl: one call, one answer, on the system bus or, where placerd is not there, on its private
 * socket, which is root's. Whether the daemon runs is an answer of its own (exit code 3). The auto-start flag is
 * cleared, so that looking does not start it. */

#include "ctl/client.h"

#include <errno.h>
#include <stdlib.h>
#include <systemd/sd-bus.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "bus/private.h"

/* A tick of a big machine takes far less; undoing a change waits for PID 1, or for polkit (20 s). */
#define CALL_TIMEOUT (30 * USEC_PER_SEC)
/* And polkit for a person, two minutes. */
#define PERSON_TIMEOUT (130 * USEC_PER_SEC)

static ExitCode not_running(const char *why) {
        complain("placerd does not run (%s); start it with: systemctl start placerd", why);
        return EXIT_NO_DAEMON;
}

static bool is_nobody_there(const sd_bus_error *error) {
        return sd_bus_error_has_name(error, SD_BUS_ERROR_SERVICE_UNKNOWN) ||
               sd_bus_error_has_name(error, SD_BUS_ERROR_NAME_HAS_NO_OWNER);
}

static bool is_no_answer(const sd_bus_error *error) {
        return sd_bus_error_has_name(error, SD_BUS_ERROR_NO_REPLY) ||
               sd_bus_error_has_name(error, SD_BUS_ERROR_DISCONNECTED);
}

static ExitCode call_failed(int r, const sd_bus_error *error) {
        if (is_no_answer(error) || r == -ECONNRESET || r == -EPIPE)
                return not_running("it does not answer");

        complain("%s", error->message && error->message[0] ? error->message : strerror(-r));
        return EXIT_REFUSED;
}

/* Calls a method with no argument, or one string. */
static int call_on(sd_bus *bus, const char *method, const char *argument, sd_bus_error *error, sd_bus_message **ret) {
        _cleanup_(sd_bus_message_unrefp) sd_bus_message *m = NULL;

        bool person = isatty(STDIN_FILENO);

        int r = sd_bus_message_new_method_call(bus, &m, BUS_NAME, BUS_PATH, BUS_INTERFACE, method);
        if (r >= 0)
                r = sd_bus_message_set_auto_start(m, false);
        if (r >= 0)
                r = sd_bus_message_set_allow_interactive_authorization(m, person);
        if (r >= 0 && argument)
                r = sd_bus_message_append(m, "s", argument);
        return r < 0 ? r : sd_bus_call(bus, m, person ? PERSON_TIMEOUT : CALL_TIMEOUT, error, ret);
}

/* The daemon serves one of the two only. `no_bus`: there is no bus at all. */
static ExitCode call_privately(bool no_bus, const char *method, const char *argument, sd_bus_message **ret) {
        _cleanup_(sd_bus_flush_close_unrefp) sd_bus *bus = NULL;
        _cleanup_(sd_bus_error_free) sd_bus_error error = SD_BUS_ERROR_NULL;
        const char *path = getenv("PLACERD_PRIVATE_SOCKET");

        int r = private_connect(path ? path : PRIVATE_SOCKET_PATH, &bus);
        if (r == -EACCES) {
                complain("placerd can't be asked: %s, and its private socket is for root alone",
                         no_bus ? "no system bus runs" : "it is not on the system bus");
                return EXIT_NO_DAEMON;
        }
        if (r < 0)
                return not_running(no_bus ? "no system bus, and no private socket" : "nobody has its name on the bus");
        r = call_on(bus, method, argument, &error, ret);
        return r < 0 ? call_failed(r, &error) : EXIT_DONE;
}

static ExitCode call(const char *method, const char *argument, sd_bus_message **ret) {
        _cleanup_(sd_bus_flush_close_unrefp) sd_bus *bus = NULL;
        _cleanup_(sd_bus_error_free) sd_bus_error error = SD_BUS_ERROR_NULL;

        int r = sd_bus_open_system(&bus);
        if (r < 0)
                return call_privately(true, method, argument, ret);
        r = call_on(bus, method, argument, &error, ret);
        if (r < 0 && is_nobody_there(&error))
                return call_privately(false, method, argument, ret);
        return r < 0 ? call_failed(r, &error) : EXIT_DONE;
}

static ExitCode call_for_json(const char *method, const char *argument, json_t **ret) {
        _cleanup_(sd_bus_message_unrefp) sd_bus_message *reply = NULL;
        const char *text;
        json_error_t error;

        ExitCode code = call(method, argument, &reply);
        if (code != EXIT_DONE)
                return code;

        json_t *o = sd_bus_message_read(reply, "s", &text) < 0 ? NULL : json_loads(text, 0, &error);
        if (!json_is_object(o)) {
                json_decref(o);
                complain("placerd's answer can't be read: is it of another version?");
                return EXIT_REFUSED;
        }
        *ret = o;
        return EXIT_DONE;
}

ExitCode client_describe(json_t **ret) {
        return call_for_json("Describe", NULL, ret);
}

ExitCode client_describe_target(const char *target, json_t **ret) {
        return call_for_json("DescribeTarget", target, ret);
}

static ExitCode call_for_number(const char *method, const char *argument, unsigned *ret) {
        _cleanup_(sd_bus_message_unrefp) sd_bus_message *reply = NULL;
        uint32_t number;

        ExitCode code = call(method, argument, &reply);
        if (code != EXIT_DONE)
                return code;
        if (sd_bus_message_read(reply, "u", &number) < 0) {
                complain("placerd's answer can't be read: is it of another version?");
                return EXIT_REFUSED;
        }
        *ret = number;
        return EXIT_DONE;
}

ExitCode client_undo(const char *target, unsigned *ret_undone) {
        return call_for_number(target ? "Undo" : "UndoAll", target, ret_undone);
}

ExitCode client_pause(unsigned *ret_broken_off) {
        return call_for_number("Pause", NULL, ret_broken_off);
}

ExitCode client_resume(void) {
        _cleanup_(sd_bus_message_unrefp) sd_bus_message *reply = NULL;
        return call("Resume", NULL, &reply);
}
