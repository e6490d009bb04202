/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The object over a private bus of its own: the daemon's side runs in this process, the client's in a child, because
 * both block on one another. A child that has given up root shows the refusal. */

#include "test.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "bus-fixture.h"
#include "bus/object.h"
#include "config.h"

#define SERVICE "/system.slice/svc.service"

typedef struct Service {
        unsigned n_undo, n_undo_all, n_resume;
        bool paused;
        uid_t paused_by;
} Service;

static char *describe(void *userdata) {
        return strdup("{\"targets\":[]}");
}

static int describe_target(void *userdata, const char *target, char **ret_json) {
        if (!streq(target, SERVICE) && !streq(target, "svc.service"))
                return -ENOENT;
        *ret_json = strdup("{\"path\":\"" SERVICE "\"}");
        return *ret_json ? 0 : -ENOMEM;
}

static int undo(void *userdata, const char *target) {
        Service *s = userdata;

        if (streq(target, "")) {
                s->n_undo_all++;
                return 3;
        }
        if (!streq(target, "svc.service"))
                return -ENOENT;
        s->n_undo++;
        return 1;
}

static int pause_it(void *userdata, uid_t uid) {
        Service *s = userdata;

        s->paused = true;
        s->paused_by = uid;
        return 2;
}

static int resume_it(void *userdata, uid_t uid) {
        Service *s = userdata;

        s->paused = false;
        s->n_resume++;
        return 0;
}

static bool is_paused(void *userdata) {
        const Service *s = userdata;
        return s->paused;
}

typedef struct Call {
        const char *member, *argument; /* argument NULL: none */
        const char *error;             /* NULL: it succeeds */
        const char *text;              /* reply where it is a string, "" where there is none */
        uint32_t number;               /* reply where it is a number */
} Call;

static const Call root_calls[] = {
        {"Describe", NULL, NULL, "{\"targets\":[]}", 0},
        {"DescribeTarget", SERVICE, NULL, "{\"path\":\"" SERVICE "\"}", 0},
        {"DescribeTarget", "svc.service", NULL, "{\"path\":\"" SERVICE "\"}", 0},
        {"DescribeTarget", "nobody.service", "org.placerd1.Error.NoSuchTarget", NULL, 0},
        {"Undo", "svc.service", NULL, NULL, 1},
        {"Undo", "nobody.service", "org.placerd1.Error.NoSuchTarget", NULL, 0},
        {"Undo", "", "org.placerd1.Error.NoSuchTarget", NULL, 0},
        {"UndoAll", NULL, NULL, NULL, 3},
        {"Undo", NULL, SD_BUS_ERROR_INVALID_ARGS, NULL, 0},
        {"Resume", NULL, NULL, "", 0},
        {"Pause", NULL, NULL, NULL, 2},
        {"Resume", NULL, NULL, "", 0},
        {"Pause", NULL, NULL, NULL, 2},
        {"Stop", NULL, SD_BUS_ERROR_UNKNOWN_METHOD, NULL, 0},
};

static const Call user_calls[] = {
        {"Describe", NULL, NULL, "{\"targets\":[]}", 0},
        {"DescribeTarget", SERVICE, NULL, "{\"path\":\"" SERVICE "\"}", 0},
        {"Undo", "svc.service", SD_BUS_ERROR_ACCESS_DENIED, NULL, 0},
        {"UndoAll", NULL, SD_BUS_ERROR_ACCESS_DENIED, NULL, 0},
        {"Pause", NULL, SD_BUS_ERROR_ACCESS_DENIED, NULL, 0},
        {"Resume", NULL, SD_BUS_ERROR_ACCESS_DENIED, NULL, 0},
};

/* What is wrong with the answer, NULL where nothing is. Runs in the child, where cmocka's asserts would not be seen. */
static const char *try_call(sd_bus *bus, const Call *c) {
        sd_bus_error error = SD_BUS_ERROR_NULL;
        sd_bus_message *reply = NULL;
        const char *text;
        uint32_t number;

        int r = sd_bus_call_method(bus, BUS_NAME, BUS_PATH, BUS_INTERFACE, c->member, &error, &reply,
                                   c->argument ? "s" : "", c->argument);
        if (c->error)
                return r < 0 && sd_bus_error_has_name(&error, c->error) ? NULL : "another error was wanted";
        if (r < 0)
                return error.message ? error.message : "failed";
        if (c->text && c->text[0] == '\0')
                return sd_bus_message_is_empty(reply) > 0 ? NULL : "an answer";
        if (c->text)
                return sd_bus_message_read(reply, "s", &text) > 0 && streq(text, c->text) ? NULL : "another text";
        return sd_bus_message_read(reply, "u", &number) > 0 && number == c->number ? NULL : "another number";
}

static void run_client(const char *address, uid_t uid, const Call *calls, size_t n) {
        sd_bus *bus = NULL;
        int failed = 0;

        if (uid != 0 && setresuid(uid, uid, uid) < 0)
                _exit(2);
        if (connect_bus(address, &bus) < 0)
                _exit(3);
        for (size_t i = 0; i < n; i++) {
                const char *why = try_call(bus, calls + i);
                if (!why)
                        continue;
                (void) fprintf(stderr, "uid %u, %s(%s): %s\n", (unsigned) uid, calls[i].member,
                               calls[i].argument ? calls[i].argument : "", why);
                failed = 1;
        }

        sd_bus_error error = SD_BUS_ERROR_NULL;
        _cleanup_free_ char *version = NULL;
        if (sd_bus_get_property_string(bus, BUS_NAME, BUS_PATH, BUS_INTERFACE, "Version", &error, &version) < 0 ||
            !streq(version, PLACERD_VERSION))
                failed = 1;
        _exit(failed);
}

/* Serves until the child has ended; returns its exit status. */
static int serve(sd_bus *bus, pid_t child) {
        int status;

        for (;;) {
                int r = sd_bus_process(bus, NULL);
                assert_true(r >= 0);
                if (waitpid(child, &status, WNOHANG) == child)
                        return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
                if (r == 0)
                        (void) sd_bus_wait(bus, 20000);
        }
}

static int run_as(const char *address, sd_bus *bus, uid_t uid, const Call *calls, size_t n) {
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0)
                run_client(address, uid, calls, n);
        return serve(bus, child);
}

static int on_decision(sd_bus_message *m, void *userdata, sd_bus_error *error) {
        const char *target, *kind, *json;
        bool *seen = userdata;

        assert_true(sd_bus_message_read(m, "sss", &target, &kind, &json) > 0);
        *seen = streq(target, SERVICE) && streq(kind, "change") && streq(json, "{}");
        return 0;
}

static void check_decision(const char *address, BusObject *o, sd_bus *bus) {
        sd_bus *listener = NULL;
        bool seen = false;

        assert_true(connect_bus(address, &listener) >= 0);
        assert_true(sd_bus_match_signal(listener, NULL, NULL, BUS_PATH, BUS_INTERFACE, "Decision", on_decision,
                                        &seen) >= 0);
        assert_int_equal(bus_object_emit_decision(o, SERVICE, "change", "{}"), 0);
        assert_true(sd_bus_flush(bus) >= 0);
        for (unsigned i = 0; i < 100 && !seen; i++)
                if (sd_bus_process(listener, NULL) == 0)
                        (void) sd_bus_wait(listener, 50000);
        assert_true(seen);
        sd_bus_flush_close_unref(listener);
}

/* {Paused: b} of PropertiesChanged. */
static int on_properties(sd_bus_message *m, void *userdata, sd_bus_error *error) {
        const char *interface, *name;
        bool *seen = userdata;
        int paused;

        assert_true(sd_bus_message_read(m, "s", &interface) > 0);
        assert_true(sd_bus_message_enter_container(m, 'a', "{sv}") > 0);
        assert_true(sd_bus_message_enter_container(m, 'e', "sv") > 0);
        assert_true(sd_bus_message_read(m, "sv", &name, "b", &paused) > 0);
        *seen = streq(interface, BUS_INTERFACE) && streq(name, "Paused") && paused;
        return 0;
}

static void check_paused_signal(const char *address, BusObject *o, sd_bus *bus) {
        sd_bus *listener = NULL;
        bool seen = false;

        assert_true(connect_bus(address, &listener) >= 0);
        assert_true(sd_bus_match_signal(listener, NULL, NULL, BUS_PATH, "org.freedesktop.DBus.Properties",
                                        "PropertiesChanged", on_properties, &seen) >= 0);
        assert_int_equal(bus_object_emit_paused(o), 0);
        assert_true(sd_bus_flush(bus) >= 0);
        for (unsigned i = 0; i < 100 && !seen; i++)
                if (sd_bus_process(listener, NULL) == 0)
                        (void) sd_bus_wait(listener, 50000);
        assert_true(seen);
        sd_bus_flush_close_unref(listener);
}

static const char *arg_address;

static void test_object(void **state) {
        Service service = {};
        BusCallbacks callbacks = {
                .describe = describe,
                .describe_target = describe_target,
                .undo = undo,
                .pause = pause_it,
                .resume = resume_it,
                .paused = is_paused,
                .userdata = &service,
        };
        BusObject *o = NULL, *second = NULL;
        sd_bus *bus = NULL;

        assert_true(connect_bus(arg_address, &bus) >= 0);
        assert_int_equal(bus_object_new(bus, &callbacks, &o), 0);

        uid_t self = geteuid();
        if (self == 0) {
                assert_int_equal(run_as(arg_address, bus, 0, root_calls, ELEMENTSOF(root_calls)), 0);
                assert_int_equal(service.n_undo, 1);
                assert_int_equal(service.n_undo_all, 1);
                assert_true(service.paused);
                assert_int_equal(service.n_resume, 2);
                assert_int_equal(service.paused_by, 0);
        }
        assert_int_equal(run_as(arg_address, bus, self ? self : NOBODY, user_calls, ELEMENTSOF(user_calls)), 0);
        assert_int_equal(service.n_undo, self == 0);
        assert_int_equal(service.n_undo_all, self == 0);

        assert_int_equal(service.n_resume, self == 0 ? 2 : 0);

        check_decision(arg_address, o, bus);
        service.paused = true;
        check_paused_signal(arg_address, o, bus);

        /* The name is taken: a second placerd is told. */
        sd_bus *other = NULL;
        assert_true(connect_bus(arg_address, &other) >= 0);
        assert_int_equal(bus_object_new(other, &callbacks, &second), -EEXIST);

        bus_object_free(o);
        sd_bus_flush_close_unref(other);
        sd_bus_flush_close_unref(bus);
}

static int run(void) {
        const struct CMUnitTest tests[] = {cmocka_unit_test(test_object)};
        return cmocka_run_group_tests(tests, NULL, NULL);
}

int main(void) {
        return run_with_bus(run, &arg_address);
}
