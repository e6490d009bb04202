/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The object on its private socket: this process serves, a child asks. */

#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/usec.h"
#include "bus/private.h"
#include "io/file.h"

typedef struct Served {
        char folder[64], path[sizeof(((struct sockaddr_un *) NULL)->sun_path)];
        int dir_fd;
        sd_event *event;
        PrivateServer *server;
        uid_t paused_by;
        bool paused;
} Served;

static char *describe(void *userdata) {
        return strdup("{}");
}

static int describe_target(void *userdata, const char *target, char **ret_json) {
        return -ENOENT;
}

static int undo(void *userdata, const char *target) {
        return 1;
}

static int pause_it(void *userdata, uid_t uid) {
        Served *s = userdata;

        s->paused = true;
        s->paused_by = uid;
        private_server_emit_paused(s->server);
        return 0;
}

static int resume_it(void *userdata, uid_t uid) {
        Served *s = userdata;
        s->paused = false;
        return 0;
}

static bool is_paused(void *userdata) {
        const Served *s = userdata;
        return s->paused;
}

static int setup(void **state) {
        Served *s = calloc(1, sizeof(*s));
        if (!s)
                return -1;
        BusCallbacks callbacks = {describe, describe_target, undo, pause_it, resume_it, is_paused, s};

        (void) snprintf(s->folder, sizeof(s->folder), "/tmp/placerd-private-XXXXXX");
        if (!mkdtemp(s->folder))
                return -1;
        (void) snprintf(s->path, sizeof(s->path), "%s/" PRIVATE_SOCKET_NAME, s->folder);
        s->dir_fd = dir_open(AT_FDCWD, s->folder);
        s->paused_by = BUS_UID_UNKNOWN;
        *state = s;
        return sd_event_new(&s->event) < 0 || private_server_new(s->event, s->dir_fd, &callbacks, &s->server) < 0;
}

static int teardown(void **state) {
        Served *s = *state;

        private_server_free(s->server);
        sd_event_unref(s->event);
        (void) close(s->dir_fd);
        (void) unlink(s->path);
        int r = rmdir(s->folder);
        free(s);
        return r;
}

/* A peer that says nothing. */
static int connect_raw(const Served *s) {
        struct sockaddr_un address = {.sun_family = AF_UNIX};

        (void) snprintf(address.sun_path, sizeof(address.sun_path), "%s", s->path);
        int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        assert_true(fd >= 0);
        assert_int_equal(connect(fd, (struct sockaddr *) &address, sizeof(address)), 0);
        return fd;
}

static void serve_for_a_moment(Served *s) {
        while (sd_event_run(s->event, 50 * USEC_PER_MSEC) > 0)
                ;
}

static bool is_hung_up_on(int fd) {
        char byte;
        return read(fd, &byte, 1) == 0;
}

static int on_properties(sd_bus_message *m, void *userdata, sd_bus_error *error) {
        bool *seen = userdata;
        *seen = true;
        return 0;
}

/* In the child: calls Pause() and waits for the signal that follows. Returns an exit status. */
static int ask(const char *path) {
        _cleanup_(sd_bus_flush_close_unrefp) sd_bus *bus = NULL;
        bool seen = false;

        if (private_connect(path, &bus) < 0 ||
            sd_bus_match_signal(bus, NULL, NULL, BUS_PATH, "org.freedesktop.DBus.Properties", "PropertiesChanged",
                                on_properties, &seen) < 0)
                return 2;
        if (sd_bus_call_method(bus, BUS_NAME, BUS_PATH, BUS_INTERFACE, "Pause", NULL, NULL, NULL) < 0)
                return 3;
        for (unsigned i = 0; i < 100 && !seen; i++)
                if (sd_bus_process(bus, NULL) == 0)
                        (void) sd_bus_wait(bus, 50000);
        return seen ? 0 : 4;
}

static void test_a_peer_is_served(void **state) {
        Served *s = *state;
        int status = -1;

        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0)
                _exit(ask(s->path));
        while (waitpid(child, &status, WNOHANG) == 0)
                assert_true(sd_event_run(s->event, 20 * USEC_PER_MSEC) >= 0);
        assert_int_equal(status, 0);
        assert_true(s->paused);
        assert_int_equal(s->paused_by, geteuid());
}

static void test_socket_is_for_its_owner_and_goes_with_the_server(void **state) {
        Served *s = *state;
        struct stat st;

        assert_int_equal(stat(s->path, &st), 0);
        assert_int_equal(st.st_mode & 07777, 0600);
        assert_true(S_ISSOCK(st.st_mode));

        s->server = private_server_free(s->server);
        assert_int_equal(stat(s->path, &st), -1);
        assert_int_equal(errno, ENOENT);
}

static void test_too_many_are_turned_away(void **state) {
        Served *s = *state;
        int fds[PRIVATE_PEERS_MAX];

        for (size_t i = 0; i < PRIVATE_PEERS_MAX; i++) {
                fds[i] = connect_raw(s);
                serve_for_a_moment(s);
        }
        int one_too_many = connect_raw(s);
        serve_for_a_moment(s);
        assert_true(is_hung_up_on(one_too_many));
        assert_false(is_hung_up_on(fds[0]));

        /* Who leaves makes room. */
        (void) close(fds[0]);
        serve_for_a_moment(s);
        fds[0] = connect_raw(s);
        serve_for_a_moment(s);
        assert_false(is_hung_up_on(fds[0]));

        (void) close(one_too_many);
        for (size_t i = 0; i < PRIVATE_PEERS_MAX; i++)
                (void) close(fds[i]);
        serve_for_a_moment(s);
}

/* It never gets as far as reading. */
static void test_who_does_not_read_is_let_go_of(void **state) {
        Served *s = *state;

        int fd = connect_raw(s);
        serve_for_a_moment(s);
        for (unsigned i = 0; i < 1000; i++)
                private_server_emit_decision(s->server, "/a", "change", "{}");
        assert_true(is_hung_up_on(fd));
        (void) close(fd);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void) {
        const struct CMUnitTest tests[] = {
                TEST(test_a_peer_is_served),
                TEST(test_socket_is_for_its_owner_and_goes_with_the_server),
                TEST(test_too_many_are_turned_away),
                TEST(test_who_does_not_read_is_let_go_of),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
