/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Changing calls of an ordinary user, with a polkit of our own that says what the test wants. This process is placerd
 * and polkit at once, on two connections of one loop; whoever asks is a child. */

#include "test.h"

#include <errno.h>
#include <sys/wait.h>

#include "base/cleanup.h"
#include "base/usec.h"
#include "bus-fixture.h"
#include "bus/authority.h"
#include "bus/object.h"

typedef enum Says { SAYS_YES, SAYS_NO, SAYS_CHALLENGE, SAYS_NOTHING } Says;

typedef struct World {
        sd_event *event;
        sd_bus *placerd, *polkit;
        BusObject *object;
        Says says;
        unsigned n_asked, n_undone;
        uint32_t flags;
        char action[64], subject[64];
        sd_bus_message *unanswered;
        uid_t paused_by;
} World;

static const char *arg_address;

static char *describe(void *userdata) {
        return strdup("{}");
}

static int describe_target(void *userdata, const char *target, char **ret_json) {
        return -ENOENT;
}

static int undo(void *userdata, const char *target) {
        World *w = userdata;
        w->n_undone++;
        return streq(target, "svc.service") ? 1 : -ENOENT;
}

static int pause_it(void *userdata, uid_t uid) {
        World *w = userdata;
        w->paused_by = uid;
        return 0;
}

static int resume_it(void *userdata, uid_t uid) {
        return 0;
}

static bool is_paused(void *userdata) {
        return false;
}

static int check_authorization(sd_bus_message *m, void *userdata, sd_bus_error *error) {
        const char *kind, *key, *name, *action, *id;
        World *w = userdata;

        assert_true(sd_bus_message_read(m, "(sa{sv})s", &kind, 1, &key, "s", &name, &action) > 0);
        assert_true(sd_bus_message_skip(m, "a{ss}") > 0);
        assert_true(sd_bus_message_read(m, "us", &w->flags, &id) > 0);
        assert_string_equal(kind, "system-bus-name");
        (void) snprintf(w->action, sizeof(w->action), "%s", action);
        (void) snprintf(w->subject, sizeof(w->subject), "%s", name);
        w->n_asked++;

        switch (w->says) {
        case SAYS_YES:
                return sd_bus_reply_method_return(m, "(bba{ss})", 1, 0, 0);
        case SAYS_NO:
                return sd_bus_reply_method_return(m, "(bba{ss})", 0, 0, 0);
        case SAYS_CHALLENGE:
                return sd_bus_reply_method_return(m, "(bba{ss})", 0, 1, 0);
        case SAYS_NOTHING:
                sd_bus_message_unref(w->unanswered);
                w->unanswered = sd_bus_message_ref(m);
                return 1;
        }
        return -EINVAL;
}

/* clang-format off */
static const sd_bus_vtable polkit_vtable[] = {
        SD_BUS_VTABLE_START(0),
        SD_BUS_METHOD("CheckAuthorization", "(sa{sv})sa{ss}us", "(bba{ss})", check_authorization,
                      SD_BUS_VTABLE_UNPRIVILEGED),
        SD_BUS_VTABLE_END,
};
/* clang-format on */

static void start_polkit(World *w, Says says) {
        w->says = says;
        assert_true(connect_bus(arg_address, &w->polkit) >= 0);
        assert_true(sd_bus_attach_event(w->polkit, w->event, 0) >= 0);
        assert_true(sd_bus_add_object_vtable(w->polkit, NULL, "/org/freedesktop/PolicyKit1/Authority",
                                             "org.freedesktop.PolicyKit1.Authority", polkit_vtable, w) >= 0);
        assert_true(sd_bus_request_name(w->polkit, "org.freedesktop.PolicyKit1", 0) >= 0);
}

static int setup(void **state) {
        World *w = calloc(1, sizeof(*w));
        if (!w)
                return -1;
        BusCallbacks callbacks = {describe, describe_target, undo, pause_it, resume_it, is_paused, w};

        w->paused_by = BUS_UID_UNKNOWN;
        *state = w;
        return sd_event_new(&w->event) < 0 || connect_bus(arg_address, &w->placerd) < 0 ||
               sd_bus_attach_event(w->placerd, w->event, 0) < 0 ||
               bus_object_new(w->placerd, &callbacks, &w->object) < 0;
}

static int teardown(void **state) {
        World *w = *state;

        sd_bus_message_unref(w->unanswered);
        bus_object_free(w->object);
        sd_bus_flush_close_unref(w->placerd);
        sd_bus_flush_close_unref(w->polkit);
        sd_event_unref(w->event);
        free(w);
        return 0;
}

/* What the child calls, and what must come back. */
typedef struct Call {
        const char *member, *argument;
        bool interactive;
        const char *error; /* NULL: it succeeds */
        const char *message;
} Call;

static int try_call(const Call *c) {
        _cleanup_(sd_bus_message_unrefp) sd_bus_message *m = NULL, *reply = NULL;
        sd_bus_error error = SD_BUS_ERROR_NULL;
        sd_bus *bus = NULL;

        if (geteuid() == 0 && setresuid(NOBODY, NOBODY, NOBODY) < 0)
                return 2;
        if (connect_bus(arg_address, &bus) < 0 ||
            sd_bus_message_new_method_call(bus, &m, BUS_NAME, BUS_PATH, BUS_INTERFACE, c->member) < 0 ||
            sd_bus_message_set_allow_interactive_authorization(m, c->interactive) < 0 ||
            (c->argument && sd_bus_message_append(m, "s", c->argument) < 0))
                return 3;
        int r = sd_bus_call(bus, m, 10 * USEC_PER_SEC, &error, &reply);
        if (!c->error)
                return r >= 0 ? 0 : 4;
        if (r >= 0 || !sd_bus_error_has_name(&error, c->error))
                return 5;
        return strstr(error.message, c->message) ? 0 : 6;
}

static pid_t start_call(const Call *c) {
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0)
                _exit(try_call(c));
        return child;
}

static void finish_call(World *w, pid_t child) {
        int status = -1;

        while (waitpid(child, &status, WNOHANG) == 0)
                assert_true(sd_event_run(w->event, 20 * USEC_PER_MSEC) >= 0);
        assert_int_equal(status, 0);
}

static void call(World *w, const Call *c) {
        finish_call(w, start_call(c));
}

static const Call undo_allowed = {.member = "Undo", .argument = "svc.service"};
static const Call pause_allowed = {.member = "Pause"};
static const Call read_allowed = {.member = "Describe"};

static void test_without_polkit(void **state) {
        World *w = *state;
        const Call c = {"Undo", "svc.service", false, SD_BUS_ERROR_ACCESS_DENIED, "there is no polkit here"};

        call(w, &c);
        assert_int_equal(w->n_undone, 0);
        call(w, &read_allowed);
}

static void test_yes(void **state) {
        World *w = *state;

        start_polkit(w, SAYS_YES);
        call(w, &undo_allowed);
        assert_int_equal(w->n_undone, 1);
        assert_string_equal(w->action, AUTHORITY_ACTION);
        assert_int_equal(w->subject[0], ':');
        assert_int_equal(w->flags, 0);

        call(w, &pause_allowed);
        assert_int_equal(w->paused_by, geteuid() == 0 ? NOBODY : geteuid());

        /* An error of the action itself comes back as well. */
        const Call c = {"Undo", "absent.service", false, "org.placerd1.Error.NoSuchTarget", "absent.service"};
        call(w, &c);
        /* Reading asks nobody. */
        w->n_asked = 0;
        call(w, &read_allowed);
        assert_int_equal(w->n_asked, 0);
}

static void test_no(void **state) {
        static const struct {
                Says says;
                const char *message;
        } table[] = {
                {SAYS_NO, "polkit does not allow you this"},
                {SAYS_CHALLENGE, "polkit wants a password for this"},
        };
        World *w = *state;

        start_polkit(w, SAYS_NO);
        for (size_t i = 0; i < ELEMENTSOF(table); i++) {
                const Call c = {"UndoAll", NULL, true, SD_BUS_ERROR_ACCESS_DENIED, table[i].message};
                w->says = table[i].says;
                call(w, &c);
                assert_int_equal(w->flags, 1);
        }
        assert_int_equal(w->n_undone, 0);
}

static void test_nobody_waits_for_polkit(void **state) {
        World *w = *state;

        start_polkit(w, SAYS_NOTHING);
        pid_t asks = start_call(&undo_allowed);
        while (w->n_asked == 0)
                assert_true(sd_event_run(w->event, 20 * USEC_PER_MSEC) >= 0);
        call(w, &read_allowed);
        assert_int_equal(w->n_undone, 0);

        assert_true(sd_bus_reply_method_return(w->unanswered, "(bba{ss})", 1, 0, 0) >= 0);
        finish_call(w, asks);
        assert_int_equal(w->n_undone, 1);
}

/* So many calls at once that one is too many; it alone is answered. */
static int flood(void) {
        sd_bus_error error = SD_BUS_ERROR_NULL;
        sd_bus *bus = NULL;

        if (geteuid() == 0 && setresuid(NOBODY, NOBODY, NOBODY) < 0)
                return 2;
        if (connect_bus(arg_address, &bus) < 0)
                return 3;
        for (unsigned i = 0; i < AUTHORITY_PENDING_MAX; i++)
                if (sd_bus_call_method_async(bus, NULL, BUS_NAME, BUS_PATH, BUS_INTERFACE, "UndoAll", NULL, NULL,
                                             NULL) < 0)
                        return 4;
        (void) sd_bus_call_method(bus, BUS_NAME, BUS_PATH, BUS_INTERFACE, "UndoAll", &error, NULL, NULL);
        return sd_bus_error_has_name(&error, SD_BUS_ERROR_LIMITS_EXCEEDED) ? 0 : 5;
}

static void test_pending_calls_are_bounded(void **state) {
        World *w = *state;

        start_polkit(w, SAYS_NOTHING);
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0)
                _exit(flood());
        finish_call(w, child);
        assert_int_equal(w->n_asked, AUTHORITY_PENDING_MAX);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

static int run(void) {
        const struct CMUnitTest tests[] = {
                TEST(test_without_polkit),
                TEST(test_yes),
                TEST(test_no),
                TEST(test_nobody_waits_for_polkit),
                TEST(test_pending_calls_are_bounded),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}

int main(void) {
        return run_with_bus(run, &arg_address);
}
