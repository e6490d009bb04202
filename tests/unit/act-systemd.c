/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The systemd backend against a manager made of paper, at the other end of a socket pair: one unit, whose properties
 * become cpuset.cpus, cpu.weight and drop-ins as systemd 252 writes them, and a "kernel" that may refuse to empty the
 * first. What the real ones do was seen in guests; here the order of the calls and the compare-and-swap are held fast.
 */

#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "act/systemd-backend.h"
#include "act/systemd-manager.h"
#include "base/cleanup.h"
#include "io/file.h"

#define UNIT_PATH "/org/freedesktop/systemd1/unit/svc_2eservice"
#define SVC "/system.slice/svc.service"
#define CGROUP "sys/fs/cgroup/system.slice/svc.service"
#define DROP_IN_DIR "run/systemd/system.control/svc.service.d"
#define DROP_IN "50-AllowedCPUs.conf"
#define WEIGHT_DROP_IN "50-CPUWeight.conf"

typedef struct World {
        char path[64];
        int root_fd, cgroup_fd;
        /* Read and written by the manager's thread only while the test waits in a call. */
        char calls[512]; /* "set 0-3; set ; reload; " */
        uint8_t cpus[4];
        size_t n_cpus;
        uint64_t weight;
        const char *id, *cgroup, *load_state, *state, *job;
        bool delegate;
        bool kernel_keeps; /* ENOSPC: cpuset.cpus can't be emptied */
        bool no_effect;    /* accepted, but the effective set stays */
        bool refuse;
        pthread_t thread;
        sd_bus *server;
        Backend *backend;
} World;

static void write_file(World *w, const char *dir, const char *name, const char *text) {
        _cleanup_close_ int fd = dir_open(w->root_fd, dir);
        assert_true(fd >= 0);
        assert_int_equal(file_replace(fd, name, text, strlen(text)), 0);
}

static void read_text(const World *w, const char *name, char buf[static 256]) {
        _cleanup_filebuf_ FileBuf b = {};
        assert_int_equal(file_read(w->root_fd, name, &b), 0);
        (void) snprintf(buf, 256, "%s", b.text);
}

/* ---- the manager */

static int on_load_unit(sd_bus_message *m, void *userdata, sd_bus_error *error) {
        World *w = userdata;
        const char *name;
        sd_bus_message_read(m, "s", &name);
        w->load_state = streq(name, "svc.service") ? "loaded" : "not-found";
        return sd_bus_reply_method_return(m, "o", UNIT_PATH);
}

static int on_by_cgroup(sd_bus_message *m, void *userdata, sd_bus_error *error) {
        const char *path;
        sd_bus_message_read(m, "s", &path);
        if (strncmp(path, SVC, strlen(SVC)) == 0)
                return sd_bus_reply_method_return(m, "o", UNIT_PATH);
        return sd_bus_error_set(error, "org.freedesktop.systemd1.NoSuchUnit", "none");
}

static void write_drop_in(World *w, const char *name, const char *assignments) {
        char text[256];
        (void) mkdirat(w->root_fd, "run/systemd/system.control", 0755);
        (void) mkdirat(w->root_fd, DROP_IN_DIR, 0755);
        (void) snprintf(text, sizeof(text), "# Do not edit.\n[Service]\n%s", assignments);
        write_file(w, DROP_IN_DIR, name, text);
}

static void realise(World *w, const char *list) {
        char text[128];
        if (list[0] || !w->kernel_keeps)
                write_file(w, CGROUP, "cpuset.cpus", list);
        if (!w->no_effect)
                write_file(w, CGROUP, "cpuset.cpus.effective", list[0] ? list : "0-7");
        (void) snprintf(text, sizeof(text), "AllowedCPUs=\nAllowedCPUs=%s\n", list);
        write_drop_in(w, DROP_IN, text);
}

static void write_weight(World *w, const char *list) {
        if (!w->no_effect)
                write_file(w, CGROUP, "cpu.weight", list);
}

static void realise_weight(World *w) {
        char value[32] = "", text[64];
        if (w->weight == 0)
                strcpy(value, "idle");
        else if (w->weight != UINT64_MAX)
                (void) snprintf(value, sizeof(value), "%" PRIu64, w->weight);
        write_weight(w, value[0] ? value : "100");
        (void) snprintf(text, sizeof(text), "CPUWeight=%s\n", value);
        write_drop_in(w, WEIGHT_DROP_IN, text);
        (void) snprintf(w->calls + strlen(w->calls), sizeof(w->calls) - strlen(w->calls), "weight %s; ", value);
}

static void set_allowed_cpus(World *w, sd_bus_message *m) {
        const void *bytes;
        size_t n;

        assert_true(sd_bus_message_enter_container(m, 'v', "ay") > 0);
        assert_true(sd_bus_message_read_array(m, 'y', &bytes, &n) >= 0);
        assert_true(n <= sizeof(w->cpus));
        if (n > 0)
                memcpy(w->cpus, bytes, n);
        w->n_cpus = n;

        _cleanup_cpuset_ Cpuset *set = NULL;
        assert_int_equal(cpuset_from_bytes(w->cpus, n, &set), 0);
        _cleanup_free_ char *list = cpuset_format_list(set);
        strcat(w->calls, "set ");
        strcat(w->calls, list);
        strcat(w->calls, "; ");
        realise(w, list);
}

static int on_set_properties(sd_bus_message *m, void *userdata, sd_bus_error *error) {
        World *w = userdata;
        const char *unit, *name;
        int runtime;

        if (w->refuse)
                return sd_bus_error_set(error, "org.freedesktop.systemd1.UnitMasked", "Unit is masked.");
        assert_true(sd_bus_message_read(m, "sb", &unit, &runtime) > 0);
        assert_string_equal(unit, "svc.service");
        assert_true(runtime);
        assert_true(sd_bus_message_enter_container(m, 'a', "(sv)") > 0);
        assert_true(sd_bus_message_enter_container(m, 'r', "sv") > 0);
        assert_true(sd_bus_message_read(m, "s", &name) > 0);
        if (streq(name, "AllowedCPUs")) {
                set_allowed_cpus(w, m);
        } else {
                assert_string_equal(name, "CPUWeight");
                assert_true(sd_bus_message_read(m, "v", "t", &w->weight) > 0);
                realise_weight(w);
        }
        return sd_bus_reply_method_return(m, "");
}

static int on_reload(sd_bus_message *m, void *userdata, sd_bus_error *error) {
        strcat(((World *) userdata)->calls, "reload; ");
        return sd_bus_reply_method_return(m, "");
}

static int on_get_unit(sd_bus_message *m, void *userdata, sd_bus_error *error) {
        const char *name;
        sd_bus_message_read(m, "s", &name);
        if (streq(name, "svc.service"))
                return sd_bus_reply_method_return(m, "o", UNIT_PATH);
        return sd_bus_error_set(error, "org.freedesktop.systemd1.NoSuchUnit", "none");
}

static int get_property(sd_bus *bus, const char *path, const char *interface, const char *property,
                        sd_bus_message *reply, void *userdata, sd_bus_error *error) {
        static const uint8_t invocation[] = {0x0a, 0xff};
        World *w = userdata;

        if (streq(property, "Id"))
                return sd_bus_message_append(reply, "s", w->id);
        if (streq(property, "LoadState"))
                return sd_bus_message_append(reply, "s", w->load_state);
        if (streq(property, "ActiveEnterTimestampMonotonic"))
                return sd_bus_message_append(reply, "t", UINT64_C(77));
        if (streq(property, "InvocationID"))
                return sd_bus_message_append_array(reply, 'y', invocation, sizeof(invocation));
        if (streq(property, "ControlGroup"))
                return sd_bus_message_append(reply, "s", w->cgroup);
        if (streq(property, "AllowedCPUs"))
                return sd_bus_message_append_array(reply, 'y', w->cpus, w->n_cpus);
        if (streq(property, "CPUWeight"))
                return sd_bus_message_append(reply, "t", w->weight);
        if (streq(property, "Delegate"))
                return sd_bus_message_append(reply, "b", w->delegate);
        if (streq(property, "Job"))
                return sd_bus_message_append(reply, "(uo)", w->job ? 5U : 0U,
                                             w->job ? "/org/freedesktop/systemd1/job/5" : "/");
        if (streq(property, "JobType"))
                return sd_bus_message_append(reply, "s", w->job);
        assert_string_equal(property, "SystemState");
        return sd_bus_message_append(reply, "s", w->state);
}

#define PROPERTY(name, type) SD_BUS_PROPERTY(name, type, get_property, 0, 0)

static const sd_bus_vtable manager_vtable[] = {
        SD_BUS_VTABLE_START(0),
        SD_BUS_METHOD("LoadUnit", "s", "o", on_load_unit, SD_BUS_VTABLE_UNPRIVILEGED),
        SD_BUS_METHOD("GetUnit", "s", "o", on_get_unit, SD_BUS_VTABLE_UNPRIVILEGED),
        SD_BUS_METHOD("GetUnitByControlGroup", "s", "o", on_by_cgroup, SD_BUS_VTABLE_UNPRIVILEGED),
        SD_BUS_METHOD("SetUnitProperties", "sba(sv)", "", on_set_properties, SD_BUS_VTABLE_UNPRIVILEGED),
        SD_BUS_METHOD("Reload", "", "", on_reload, SD_BUS_VTABLE_UNPRIVILEGED),
        PROPERTY("SystemState", "s"),
        SD_BUS_VTABLE_END,
};
static const sd_bus_vtable unit_vtable[] = {
        SD_BUS_VTABLE_START(0),
        PROPERTY("Id", "s"),
        PROPERTY("LoadState", "s"),
        PROPERTY("ActiveEnterTimestampMonotonic", "t"),
        PROPERTY("InvocationID", "ay"),
        PROPERTY("Job", "(uo)"),
        SD_BUS_VTABLE_END,
};
static const sd_bus_vtable service_vtable[] = {
        SD_BUS_VTABLE_START(0),     PROPERTY("ControlGroup", "s"), PROPERTY("AllowedCPUs", "ay"),
        PROPERTY("CPUWeight", "t"), PROPERTY("Delegate", "b"),     SD_BUS_VTABLE_END,
};
static const sd_bus_vtable job_vtable[] = {
        SD_BUS_VTABLE_START(0),
        PROPERTY("JobType", "s"),
        SD_BUS_VTABLE_END,
};

static void *serve(void *userdata) {
        World *w = userdata;
        int r;

        while ((r = sd_bus_process(w->server, NULL)) >= 0)
                if (r == 0 && sd_bus_wait(w->server, UINT64_MAX) < 0)
                        break;
        return NULL;
}

static void add(World *w, const char *path, const char *interface, const sd_bus_vtable *vtable) {
        assert_true(sd_bus_add_object_vtable(w->server, NULL, path, interface, vtable, w) >= 0);
}

/* ---- set up */

static int reader_fd(void *userdata) {
        return ((World *) userdata)->cgroup_fd;
}

static void connect_both(World *w) {
        sd_bus *client = NULL;
        sd_id128_t id = {};
        int fds[2];

        assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, fds), 0);
        assert_true(sd_bus_new(&w->server) >= 0);
        assert_true(sd_bus_set_fd(w->server, fds[0], fds[0]) >= 0);
        assert_true(sd_bus_set_server(w->server, true, id) >= 0);
        assert_true(sd_bus_set_anonymous(w->server, true) >= 0);
        assert_true(sd_bus_start(w->server) >= 0);
        add(w, SYSTEMD_PATH, SYSTEMD_MANAGER, manager_vtable);
        add(w, UNIT_PATH, SYSTEMD_UNIT, unit_vtable);
        add(w, UNIT_PATH, "org.freedesktop.systemd1.Service", service_vtable);
        add(w, UNIT_PATH, "org.freedesktop.systemd1.Slice", service_vtable);
        add(w, "/org/freedesktop/systemd1/job/5", "org.freedesktop.systemd1.Job", job_vtable);
        assert_int_equal(pthread_create(&w->thread, NULL, serve, w), 0);

        assert_true(sd_bus_new(&client) >= 0);
        assert_true(sd_bus_set_fd(client, fds[1], fds[1]) >= 0);
        assert_true(sd_bus_set_anonymous(client, true) >= 0);
        assert_true(sd_bus_start(client) >= 0);
        ((SystemdBackend *) w->backend)->bus = client;
}

static int set_up(void **state) {
        static const char *const dirs[] = {"run",    "run/systemd",   "sys",
                                           "sys/fs", "sys/fs/cgroup", "sys/fs/cgroup/system.slice",
                                           CGROUP,   CGROUP "/inner", "sys/fs/cgroup/foo"};
        World *w = calloc(1, sizeof(*w));
        strcpy(w->path, "/tmp/unit-systemd.XXXXXX");
        assert_non_null(mkdtemp(w->path));
        w->root_fd = dir_open(AT_FDCWD, w->path);
        for (size_t i = 0; i < ELEMENTSOF(dirs); i++)
                assert_int_equal(mkdirat(w->root_fd, dirs[i], 0755), 0);
        w->cgroup_fd = dir_open(w->root_fd, "sys/fs/cgroup");
        write_file(w, "sys/fs/cgroup", "cpuset.cpus.effective", "0-7\n");
        w->weight = UINT64_MAX;
        w->id = "svc.service";
        w->delegate = true;
        w->cgroup = SVC;
        w->load_state = "loaded";
        w->state = "running";
        const ActReader reader = {.cgroup_fd = reader_fd, .userdata = w};
        assert_int_equal(systemd_backend_new(w->root_fd, &reader, &w->backend), 0);
        connect_both(w);
        *state = w;
        return 0;
}

static int tear_down(void **state) {
        World *w = *state;
        _cleanup_free_ char *command = NULL;

        backend_free(w->backend); /* closes the client's end, which ends the server */
        assert_int_equal(pthread_join(w->thread, NULL), 0);
        sd_bus_close_unref(w->server);
        closep(&w->root_fd);
        closep(&w->cgroup_fd);
        assert_true(asprintf(&command, "rm -rf '%s'", w->path) > 0);
        assert_int_equal(system(command), 0);
        free(w);
        return 0;
}

static bool exists(const World *w, const char *path) {
        return faccessat(w->root_fd, path, F_OK, 0) == 0;
}

static void set_property(World *w, const char *list) {
        _cleanup_cpuset_ Cpuset *set = NULL;
        _cleanup_free_ uint8_t *bytes = NULL;
        assert_int_equal(cpuset_parse_list(list, strlen(list), &set), 0);
        assert_int_equal(cpuset_to_bytes(set, &bytes, &w->n_cpus), 0);
        if (w->n_cpus > 0)
                memcpy(w->cpus, bytes, w->n_cpus);
}

/* Sets the arm to `to`, with `from` (NULL: unset) as what was there. Returns what apply() does. */
static int set_arm(World *w, Arm arm, const char *from, const char *to, Change *c, char **ret_why) {
        const BackendVTable *v = w->backend->vtable;

        *c = (Change){
                .arm = arm,
                .target = strdup(SVC),
                .unit = strdup("svc.service"),
                .from = from ? strdup(from) : NULL,
                .to = strdup(to),
        };
        int r = v->prepare(w->backend, c, ret_why);
        return r < 0 ? r : v->apply(w->backend, c, ret_why);
}

static int pin(World *w, const char *from, Change *c, char **ret_why) {
        return set_arm(w, ARM_PIN, from, "0-3", c, ret_why);
}

static int weigh(World *w, const char *from, Change *c, char **ret_why) {
        return set_arm(w, ARM_WEIGHT, from, "200", c, ret_why);
}

/* After a change that went well; the next calls are noted from here on. */
static void expect_set(World *w, const char *calls, const char *drop_in) {
        assert_string_equal(w->calls, calls);
        assert_true(exists(w, drop_in));
        w->calls[0] = 0;
}

static Change pinned(World *w, const char *from) {
        _cleanup_free_ char *why = NULL;
        Change c;
        assert_int_equal(pin(w, from, &c, &why), 0);
        expect_set(w, "set 0-3; ", DROP_IN_DIR "/" DROP_IN);
        return c;
}

static Change weighed(World *w, const char *from) {
        _cleanup_free_ char *why = NULL;
        Change c;
        assert_int_equal(weigh(w, from, &c, &why), 0);
        expect_set(w, "weight 200; ", DROP_IN_DIR "/" WEIGHT_DROP_IN);
        return c;
}

/* What the executor does to a change before it lets the backend set the next step. */
static void next_step(Change *c, const char *to) {
        free(c->former);
        c->former = c->to;
        c->to = strdup(to);
}

static int undo(World *w, const Change *c, bool resumed, char **ret_residue) {
        int r = w->backend->vtable->undo(w->backend, c, resumed, ret_residue);
        assert_int_equal(w->backend->vtable->flush(w->backend), 0);
        return r;
}

/* ---- the tests */

static void test_inspect(void **state) {
        World *w = *state;
        _cleanup_facts_ Facts f = {}, inner = {}, none = {}, stopping = {};

        set_property(w, "0-5");
        assert_int_equal(w->backend->vtable->inspect(w->backend, SVC, &f), 0);
        assert_string_equal(f.unit, "svc.service");
        assert_string_equal(f.invocation, "0aff");
        assert_true(f.owned_by_systemd && f.property_known && f.age_known);
        assert_false(f.delegated_above || f.system_in_transition);
        assert_int_equal(f.active_since_usec, 77);
        assert_int_equal(cpuset_count(f.property_cpus), 6);

        /* Below a unit with Delegate=yes, and in no unit at all. */
        assert_int_equal(w->backend->vtable->inspect(w->backend, SVC "/inner", &inner), 0);
        assert_true(inner.delegated_above && !inner.owned_by_systemd && inner.unmanaged && inner.property_known);
        assert_int_equal(w->backend->vtable->inspect(w->backend, "/foo", &none), 0);
        assert_true(!none.unit && !none.owned_by_systemd && none.unmanaged);
        assert_int_equal(w->backend->vtable->inspect(w->backend, "/nowhere", &none), -ENOENT);
        assert_false(f.unmanaged);

        w->state = "stopping";
        assert_int_equal(w->backend->vtable->inspect(w->backend, SVC, &stopping), 0);
        assert_true(stopping.system_in_transition);
}

/* Not every unit above leaves alone what is below it. */
static void test_inspect_below(void **state) {
        World *w = *state;
        static const struct {
                const char *id;
                bool delegate, unmanaged;
        } cases[] = {
                {"svc.service", true, true},
                {"svc.service", false, false},
                {"user@1000.service", true, false},
                {"-.slice", false, true},
        };

        write_file(w, CGROUP "/inner", "cpuset.cpus", "2-3\n");
        for (size_t i = 0; i < ELEMENTSOF(cases); i++) {
                _cleanup_facts_ Facts f = {};
                w->id = cases[i].id;
                w->delegate = cases[i].delegate;
                assert_int_equal(w->backend->vtable->inspect(w->backend, SVC "/inner", &f), 0);
                assert_false(f.owned_by_systemd);
                assert_int_equal(f.unmanaged, cases[i].unmanaged);
                /* Then what counts is in the file. */
                assert_int_equal(f.property_known, cases[i].unmanaged);
                assert_int_equal(f.property_cpus ? cpuset_count(f.property_cpus) : 0, cases[i].unmanaged ? 2 : 0);
                assert_true(streq(cases[i].id, "-.slice") ? !f.unit : streq(f.unit, cases[i].id));
        }
}

static void test_pin_and_back(void **state) {
        World *w = *state;
        _cleanup_free_ char *residue = NULL;
        bool ours = false;
        _cleanup_(change_done) Change c = pinned(w, NULL);

        assert_null(c.file_from);
        assert_string_equal(c.effective_from, "0-7");
        assert_false(c.drop_in_existed || c.drop_in_dir_existed || c.drop_in_place_existed);
        assert_int_equal(w->backend->vtable->verify(w->backend, &c, &ours), 0);
        assert_true(ours);

        assert_int_equal(undo(w, &c, false, &residue), 0);
        assert_null(residue);
        assert_string_equal(w->calls, "set 0-7; set ; reload; ");
        assert_int_equal(w->n_cpus, 0);
        assert_false(exists(w, "run/systemd/system.control"));
        assert_int_equal(w->backend->vtable->verify(w->backend, &c, &ours), 0);
        assert_false(ours);
}

static void test_residue_where_the_kernel_keeps_the_file(void **state) {
        World *w = *state;
        _cleanup_free_ char *residue = NULL, *still = NULL, *no_more = NULL;
        _cleanup_(change_done) Change c = pinned(w, NULL);
        char file[256];

        w->kernel_keeps = true;
        c.cgroup_id++; /* restarted meanwhile: the new cgroup got our property too */
        assert_int_equal(undo(w, &c, false, &residue), 0);
        assert_string_equal(residue,
                            "cpuset.cpus of " SVC " stays 0-7 until it ends or the cpuset controller goes off");
        read_text(w, CGROUP "/cpuset.cpus", file);
        assert_string_equal(file, "0-7");
        assert_int_equal(w->backend->vtable->residue(w->backend, &c, &still), 0);
        assert_string_equal(still, residue);
        /* The controller goes off, and the file with it. */
        assert_int_equal(unlinkat(w->root_fd, CGROUP "/cpuset.cpus", 0), 0);
        assert_int_equal(w->backend->vtable->residue(w->backend, &c, &no_more), 0);
        assert_null(no_more);
}

static void test_back_to_a_value(void **state) {
        World *w = *state;
        _cleanup_free_ char *residue = NULL;

        set_property(w, "0-5");
        _cleanup_(change_done) Change c = pinned(w, "0-5");
        assert_int_equal(undo(w, &c, false, &residue), 0);
        /* No detour; and the drop-in goes, so that the value comes from where it came from before. */
        assert_string_equal(w->calls, "set 0-5; reload; ");
        assert_false(exists(w, DROP_IN_DIR));
}

static void test_a_drop_in_that_was_there_stays(void **state) {
        World *w = *state;
        _cleanup_free_ char *residue = NULL;
        char text[256];

        set_property(w, "0-5");
        realise(w, "0-5");
        _cleanup_(change_done) Change c = pinned(w, "0-5");
        assert_true(c.drop_in_existed && c.drop_in_dir_existed && c.drop_in_place_existed);
        assert_int_equal(undo(w, &c, false, &residue), 0);
        assert_string_equal(w->calls, "set 0-5; ");
        read_text(w, DROP_IN_DIR "/" DROP_IN, text);
        assert_non_null(strstr(text, "AllowedCPUs=0-5"));
}

static void test_somebody_elses_value(void **state) {
        World *w = *state;
        _cleanup_free_ char *residue = NULL;
        _cleanup_(change_done) Change c = pinned(w, NULL);

        /* By a persistent drop-in elsewhere: ours is overruled, and must not come back when that goes. */
        set_property(w, "2-5");
        assert_int_equal(undo(w, &c, false, &residue), -ESTALE);
        assert_string_equal(w->calls, "reload; ");
        assert_false(exists(w, DROP_IN_DIR));

        /* At runtime: the same file, which is theirs now. */
        w->calls[0] = 0;
        realise(w, "2-5");
        assert_int_equal(undo(w, &c, false, &residue), -ESTALE);
        assert_string_equal(w->calls, "");
        assert_true(exists(w, DROP_IN_DIR "/" DROP_IN));
}

static void test_the_whole_set_is_ours_only_when_resumed(void **state) {
        World *w = *state;
        _cleanup_free_ char *residue = NULL;
        _cleanup_(change_done) Change c = pinned(w, NULL);

        set_property(w, "0-7");
        realise(w, "0-7");
        assert_int_equal(undo(w, &c, false, &residue), -ESTALE);
        assert_string_equal(w->calls, "");
        assert_int_equal(undo(w, &c, true, &residue), 0);
        assert_string_equal(w->calls, "set ; reload; ");
}

static void test_undo_half_done_by_somebody(void **state) {
        World *w = *state;
        _cleanup_free_ char *residue = NULL;
        _cleanup_(change_done) Change c = pinned(w, NULL);

        /* systemctl set-property AllowedCPUs= on a kernel that keeps the file: unset, and pinned all the same. */
        w->kernel_keeps = true;
        set_property(w, "");
        assert_int_equal(undo(w, &c, false, &residue), 0);
        assert_string_equal(w->calls, "set 0-7; set ; reload; ");
        assert_non_null(residue);
        /* Once more: nothing is left to set. */
        w->calls[0] = 0;
        free(TAKE_PTR(residue));
        assert_int_equal(undo(w, &c, true, &residue), 0);
        assert_string_equal(w->calls, "");
        assert_non_null(residue);
}

static void test_file_overwritten_by_somebody(void **state) {
        World *w = *state;
        _cleanup_free_ char *residue = NULL;
        _cleanup_(change_done) Change c = pinned(w, NULL);

        w->kernel_keeps = true;
        write_file(w, CGROUP, "cpuset.cpus", "4-5");
        assert_int_equal(undo(w, &c, false, &residue), 0);
        /* Our property goes, their file is not widened, nor called a residue of ours. */
        assert_string_equal(w->calls, "set ; reload; ");
        assert_null(residue);
}

static void test_unit_inactive(void **state) {
        World *w = *state;
        _cleanup_free_ char *residue = NULL;
        _cleanup_(change_done) Change c = pinned(w, NULL);

        /* To set a property would put up a cgroup that nobody needs. */
        w->cgroup = "";
        assert_int_equal(undo(w, &c, false, &residue), 0);
        assert_string_equal(w->calls, "reload; ");
        assert_false(exists(w, DROP_IN_DIR));
}

static void test_unit_gone(void **state) {
        World *w = *state;
        _cleanup_free_ char *residue = NULL;
        _cleanup_(change_done) Change c = pinned(w, NULL);

        free(c.unit);
        c.unit = strdup("gone.service");
        assert_int_equal(renameat(w->root_fd, DROP_IN_DIR, w->root_fd, "run/systemd/system.control/gone.service.d"), 0);
        assert_int_equal(undo(w, &c, false, &residue), -ENOENT);
        assert_string_equal(w->calls, "reload; ");
        assert_false(exists(w, "run/systemd/system.control"));
}

static void test_without_effect(void **state) {
        World *w = *state;
        _cleanup_free_ char *why = NULL;
        _cleanup_(change_done) Change c = {};

        write_file(w, CGROUP, "cpuset.cpus.effective", "4-7");
        w->no_effect = true;
        assert_int_equal(pin(w, NULL, &c, &why), -ENODATA);
        assert_string_equal(why, "cpuset.cpus.effective reads 4-7");
}

static void test_not_enforced(void **state) {
        World *w = *state;
        _cleanup_free_ char *why = NULL;
        _cleanup_(change_done) Change c = {};

        w->no_effect = true;
        assert_int_equal(pin(w, NULL, &c, &why), -ENODATA);
        assert_string_equal(why, "cpuset is not enforced at " SVC);
}

static void test_refused_by_the_manager(void **state) {
        World *w = *state;
        _cleanup_free_ char *why = NULL;
        _cleanup_(change_done) Change c = {};

        w->refuse = true;
        assert_true(pin(w, NULL, &c, &why) < 0);
        assert_string_equal(why, "Unit is masked.");
}

static void test_changed_before_we_came(void **state) {
        World *w = *state;
        static const char *const cgroups[] = {SVC, "/other.slice/svc.service", ""};

        for (size_t i = 0; i < ELEMENTSOF(cgroups); i++) {
                _cleanup_free_ char *why = NULL;
                _cleanup_(change_done) Change c = {};
                set_property(w, i == 0 ? "6" : "");
                w->cgroup = cgroups[i];
                assert_int_equal(pin(w, NULL, &c, &why), -ESTALE);
        }
        assert_string_equal(w->calls, "");
}

static void test_inspect_weights(void **state) {
        World *w = *state;
        static const struct {
                uint64_t weight;
                const char *idle;
                bool set, is_idle;
        } cases[] = {
                {UINT64_MAX, "0\n", false, false},
                {300, "0\n", true, false},
                {0, "1\n", true, true},
                {UINT64_MAX, "1\n", false, true},
        };

        for (size_t i = 0; i < ELEMENTSOF(cases); i++) {
                _cleanup_facts_ Facts f = {};
                w->weight = cases[i].weight;
                write_file(w, CGROUP, "cpu.idle", cases[i].idle);
                assert_int_equal(w->backend->vtable->inspect(w->backend, SVC, &f), 0);
                assert_int_equal(f.weight_set, cases[i].set);
                assert_int_equal(f.weight_idle, cases[i].is_idle);
                assert_int_equal(f.weight, cases[i].weight == 300 ? 300 : 0);
                assert_true(cpuset_empty(f.property_cpus));
        }
}

static void test_weigh_and_back(void **state) {
        World *w = *state;
        _cleanup_free_ char *residue = NULL;
        bool ours = false;
        _cleanup_(change_done) Change c = weighed(w, NULL);
        char file[256];

        assert_null(c.file_from);
        assert_null(c.effective_from);
        assert_int_equal(c.n_masks, 0);
        assert_int_equal(w->backend->vtable->verify(w->backend, &c, &ours), 0);
        assert_true(ours);
        assert_int_equal(undo(w, &c, false, &residue), 0);
        assert_null(residue);
        assert_string_equal(w->calls, "weight ; reload; ");
        assert_false(exists(w, "run/systemd/system.control"));
        read_text(w, CGROUP "/cpu.weight", file);
        assert_string_equal(file, "100");
        /* A moment later the controller goes off, and the file with it. */
        assert_int_equal(unlinkat(w->root_fd, CGROUP "/cpu.weight", 0), 0);
        assert_int_equal(w->backend->vtable->verify(w->backend, &c, &ours), 0);
        assert_false(ours);
        assert_int_equal(w->backend->vtable->residue(w->backend, &c, &residue), 0);
        assert_null(residue);
}

static void test_back_to_a_weight(void **state) {
        World *w = *state;
        _cleanup_free_ char *residue = NULL;

        w->weight = 50;
        _cleanup_(change_done) Change c = weighed(w, "50");
        assert_int_equal(undo(w, &c, false, &residue), 0);
        assert_string_equal(w->calls, "weight 50; reload; ");
        assert_false(exists(w, DROP_IN_DIR));
}

static void test_weight_that_stays_is_said(void **state) {
        World *w = *state;
        _cleanup_free_ char *residue = NULL;
        _cleanup_(change_done) Change c = weighed(w, NULL);

        w->no_effect = true;
        assert_int_equal(undo(w, &c, false, &residue), 0);
        assert_string_equal(residue, "cpu.weight of " SVC " stays 200 until it ends or the cpu controller goes off");
}

static void test_steps_of_a_ramp(void **state) {
        World *w = *state;
        const BackendVTable *v = w->backend->vtable;
        _cleanup_free_ char *residue = NULL, *why = NULL;
        _cleanup_(change_done) Change c = weighed(w, NULL);
        bool ours = false;

        assert_int_equal(v->check(w->backend, &c), 0);
        next_step(&c, "400");
        /* Killed here, before the manager was asked: the former value is ours. */
        assert_int_equal(v->verify(w->backend, &c, &ours), 0);
        assert_true(ours);
        assert_int_equal(v->check(w->backend, &c), -ESTALE);
        assert_int_equal(v->apply(w->backend, &c, &why), 0);
        assert_int_equal(v->check(w->backend, &c), 0);
        assert_int_equal(undo(w, &c, false, &residue), 0);
        assert_null(residue);
        assert_string_equal(w->calls, "weight 400; weight ; reload; ");
}

static void test_undo_in_mid_step(void **state) {
        World *w = *state;
        _cleanup_free_ char *residue = NULL;
        _cleanup_(change_done) Change c = weighed(w, NULL);

        next_step(&c, "400");
        assert_int_equal(undo(w, &c, false, &residue), 0);
        assert_string_equal(w->calls, "weight ; reload; ");
        assert_false(exists(w, DROP_IN_DIR));
        /* Killed between the manager and the end of the undo: what was before is ours too, and nothing is set. */
        w->calls[0] = 0;
        assert_int_equal(undo(w, &c, true, &residue), 0);
        assert_string_equal(w->calls, "");
        assert_null(residue);
}

static void test_mid_step_of_a_unit_that_is_gone(void **state) {
        World *w = *state;
        _cleanup_free_ char *residue = NULL;
        _cleanup_(change_done) Change c = weighed(w, NULL);

        next_step(&c, "400");
        free(c.unit);
        c.unit = strdup("gone.service");
        assert_int_equal(renameat(w->root_fd, DROP_IN_DIR, w->root_fd, "run/systemd/system.control/gone.service.d"), 0);
        assert_int_equal(undo(w, &c, false, &residue), -ENOENT);
        assert_string_equal(w->calls, "reload; ");
        assert_false(exists(w, "run/systemd/system.control"));
}

static void test_somebody_elses_weight(void **state) {
        World *w = *state;
        _cleanup_free_ char *residue = NULL;
        _cleanup_(change_done) Change c = weighed(w, NULL);

        w->weight = 150;
        realise_weight(w);
        w->calls[0] = 0;
        assert_int_equal(w->backend->vtable->check(w->backend, &c), -ESTALE);
        assert_int_equal(undo(w, &c, false, &residue), -ESTALE);
        assert_string_equal(w->calls, "");
        assert_true(exists(w, DROP_IN_DIR "/" WEIGHT_DROP_IN));
}

static void test_weight_without_effect(void **state) {
        World *w = *state;
        static const struct {
                const char *file, *why; /* NULL: no file */
        } cases[] = {
                {NULL, "there is no cpu.weight at " SVC},
                {"100\n", "cpu.weight reads 100"},
        };

        w->no_effect = true;
        for (size_t i = 0; i < ELEMENTSOF(cases); i++) {
                _cleanup_free_ char *why = NULL;
                _cleanup_(change_done) Change c = {};
                w->weight = UINT64_MAX;
                if (cases[i].file)
                        write_file(w, CGROUP, "cpu.weight", cases[i].file);
                assert_int_equal(weigh(w, NULL, &c, &why), -ENODATA);
                assert_string_equal(why, cases[i].why);
        }
}

static void test_no_weight_over_another(void **state) {
        World *w = *state;
        _cleanup_free_ char *why = NULL;
        _cleanup_(change_done) Change set = {}, idle = {}, by_hand = {};

        w->weight = 300;
        assert_int_equal(weigh(w, NULL, &set, &why), -ESTALE);
        w->weight = 0;
        assert_int_equal(weigh(w, "0", &idle, &why), -ESTALE);
        w->weight = UINT64_MAX;
        write_file(w, CGROUP, "cpu.idle", "1\n");
        assert_int_equal(weigh(w, NULL, &by_hand, &why), -EOPNOTSUPP);
        assert_string_equal(w->calls, "");
}

static void test_both_arms_in_one_batch(void **state) {
        World *w = *state;
        const BackendVTable *v = w->backend->vtable;
        _cleanup_free_ char *residue = NULL;
        _cleanup_(change_done) Change weight = weighed(w, NULL), pin = pinned(w, NULL);

        /* The folder came with the first of them: see change_share() of the executor. */
        assert_true(pin.drop_in_dir_existed && !weight.drop_in_dir_existed);
        pin.drop_in_dir_existed = pin.drop_in_place_existed = false;
        assert_int_equal(v->undo(w->backend, &weight, false, &residue), 0);
        assert_int_equal(v->undo(w->backend, &pin, false, &residue), 0);
        assert_int_equal(v->flush(w->backend), 0);
        assert_string_equal(w->calls, "weight ; set 0-7; set ; reload; ");
        assert_false(exists(w, "run/systemd/system.control"));
}

static void test_one_reload_a_batch(void **state) {
        World *w = *state;
        _cleanup_free_ char *residue = NULL;
        _cleanup_(change_done) Change c = pinned(w, NULL);

        assert_int_equal(w->backend->vtable->flush(w->backend), 0);
        assert_string_equal(w->calls, "");
        assert_int_equal(w->backend->vtable->undo(w->backend, &c, false, &residue), 0);
        assert_int_equal(w->backend->vtable->undo(w->backend, &c, true, &residue), 0);
        assert_string_equal(w->calls, "set 0-7; set ; ");
        assert_int_equal(w->backend->vtable->flush(w->backend), 0);
        assert_int_equal(w->backend->vtable->flush(w->backend), 0);
        assert_string_equal(w->calls, "set 0-7; set ; reload; ");
}

static void test_manager(void **state) {
        World *w = *state;
        sd_bus *bus = ((SystemdBackend *) w->backend)->bus;
        static const char none[] = "untouched";
        char *job = (char *) none;
        _cleanup_free_ char *type = NULL, *system_state = NULL;

        assert_int_equal(systemd_state(bus, &system_state), 0);
        assert_string_equal(system_state, "running");
        assert_int_equal(systemd_pending_job(bus, "svc.service", &job), 0);
        assert_null(job);
        job = (char *) none;
        assert_int_equal(systemd_pending_job(bus, "gone.service", &job), 0);
        assert_null(job);
        w->job = "restart";
        assert_int_equal(systemd_pending_job(bus, "svc.service", &type), 0);
        assert_string_equal(type, "restart");
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test_setup_teardown(test_inspect, set_up, tear_down),
                cmocka_unit_test_setup_teardown(test_inspect_below, set_up, tear_down),
                cmocka_unit_test_setup_teardown(test_pin_and_back, set_up, tear_down),
                cmocka_unit_test_setup_teardown(test_residue_where_the_kernel_keeps_the_file, set_up, tear_down),
                cmocka_unit_test_setup_teardown(test_back_to_a_value, set_up, tear_down),
                cmocka_unit_test_setup_teardown(test_a_drop_in_that_was_there_stays, set_up, tear_down),
                cmocka_unit_test_setup_teardown(test_somebody_elses_value, set_up, tear_down),
                cmocka_unit_test_setup_teardown(test_the_whole_set_is_ours_only_when_resumed, set_up, tear_down),
                cmocka_unit_test_setup_teardown(test_undo_half_done_by_somebody, set_up, tear_down),
                cmocka_unit_test_setup_teardown(test_file_overwritten_by_somebody, set_up, tear_down),
                cmocka_unit_test_setup_teardown(test_unit_inactive, set_up, tear_down),
                cmocka_unit_test_setup_teardown(test_unit_gone, set_up, tear_down),
                cmocka_unit_test_setup_teardown(test_without_effect, set_up, tear_down),
                cmocka_unit_test_setup_teardown(test_not_enforced, set_up, tear_down),
                cmocka_unit_test_setup_teardown(test_refused_by_the_manager, set_up, tear_down),
                cmocka_unit_test_setup_teardown(test_changed_before_we_came, set_up, tear_down),
                cmocka_unit_test_setup_teardown(test_inspect_weights, set_up, tear_down),
                cmocka_unit_test_setup_teardown(test_weigh_and_back, set_up, tear_down),
                cmocka_unit_test_setup_teardown(test_back_to_a_weight, set_up, tear_down),
                cmocka_unit_test_setup_teardown(test_weight_that_stays_is_said, set_up, tear_down),
                cmocka_unit_test_setup_teardown(test_steps_of_a_ramp, set_up, tear_down),
                cmocka_unit_test_setup_teardown(test_undo_in_mid_step, set_up, tear_down),
                cmocka_unit_test_setup_teardown(test_mid_step_of_a_unit_that_is_gone, set_up, tear_down),
                cmocka_unit_test_setup_teardown(test_somebody_elses_weight, set_up, tear_down),
                cmocka_unit_test_setup_teardown(test_weight_without_effect, set_up, tear_down),
                cmocka_unit_test_setup_teardown(test_no_weight_over_another, set_up, tear_down),
                cmocka_unit_test_setup_teardown(test_both_arms_in_one_batch, set_up, tear_down),
                cmocka_unit_test_setup_teardown(test_one_reload_a_batch, set_up, tear_down),
                cmocka_unit_test_setup_teardown(test_manager, set_up, tear_down),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
