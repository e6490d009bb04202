/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The backend for cgroups that systemd leaves alone, with a libcgroup made of paper that has the traps of the real one
 * (act/libcgroup.c lists them), over a tree of plain files and a "kernel" that may refuse to empty a cpuset. That the
 * real one does the same is seen in guests. */

#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "act/cgroup-backend.h"
#include "base/cleanup.h"
#include "io/file.h"

#define PATH "/foo/a"

/* The library takes no pointer to hand on, so the world is one. */
static struct World {
        char path[64];
        int fd; /* the mount */
        char calls[256];
        bool kernel_keeps;   /* ENOSPC: cpuset.cpus can't be emptied */
        bool writes_nothing; /* and says that it went well */
        int init_code, modify_code, error;
        Backend *backend;
} world;

/* ---- libcgroup */

typedef struct Paper {
        char name[64], controller[16], file[32], value[64];
} Paper;

static int paper_init(void) {
        strcat(world.calls, "init; ");
        return world.init_code;
}

static struct cgroup *paper_new(const char *name) {
        Paper *p = calloc(1, sizeof(*p));
        (void) snprintf(p->name, sizeof(p->name), "%s", name);
        return (struct cgroup *) p;
}

static struct cgroup_controller *paper_add(struct cgroup *cgroup, const char *name) {
        Paper *p = (Paper *) cgroup;
        (void) snprintf(p->controller, sizeof(p->controller), "%s", name);
        return (struct cgroup_controller *) p;
}

static int paper_set(struct cgroup_controller *controller, const char *name, const char *value) {
        Paper *p = (Paper *) controller;
        /* The file is one of the controller's. */
        assert_int_equal(strncmp(name, p->controller, strlen(p->controller)), 0);
        (void) snprintf(p->file, sizeof(p->file), "%s", name);
        (void) snprintf(p->value, sizeof(p->value), "%s", value);
        return 0;
}

static void put(const char *dir, const char *name, const char *text) {
        _cleanup_close_ int fd = dir_open(world.fd, dir);
        assert_true(fd >= 0);
        assert_int_equal(file_replace(fd, name, text, strlen(text)), 0);
}

static int kernel_write(const Paper *p) {
        bool empties = streq(p->value, " "), pin = streq(p->file, "cpuset.cpus");

        if (pin && empties && world.kernel_keeps) {
                world.error = ENOSPC;
                return ECGOTHER;
        }
        put(p->name, p->file, empties ? "\n" : p->value);
        if (pin)
                put(p->name, "cpuset.cpus.effective", empties ? "0-7" : p->value);
        return 0;
}

static int paper_modify(struct cgroup *cgroup) {
        const Paper *p = (const Paper *) cgroup;
        char file[128];

        (void) snprintf(world.calls + strlen(world.calls), sizeof(world.calls) - strlen(world.calls), "%s=%s; ",
                        p->file, p->value);
        if (world.modify_code)
                return world.modify_code;
        /* Lines are written one by one, and empty ones skipped. */
        if (world.writes_nothing || p->value[0] == '\0' || streq(p->value, "\n"))
                return 0;
        (void) snprintf(file, sizeof(file), "%s/%s", p->name, p->file);
        return faccessat(world.fd, file, F_OK, 0) < 0 ? ECGROUPVALUENOTEXIST : kernel_write(p);
}

static void paper_free(struct cgroup **cgroup) {
        free(*cgroup);
        *cgroup = NULL;
}

static int paper_errno(void) {
        return world.error;
}

static const LibcgroupCalls paper = {
        .init = paper_init,
        .new = paper_new,
        .add_controller = paper_add,
        .set_value = paper_set,
        .modify = paper_modify,
        .free = paper_free,
        .last_errno = paper_errno,
};

/* ---- set up */

static int reader_fd(void *userdata) {
        return world.fd;
}

static int set_up(void **state) {
        world = (struct World){.path = "/tmp/unit-cgroup.XXXXXX"};
        assert_non_null(mkdtemp(world.path));
        world.fd = dir_open(AT_FDCWD, world.path);
        assert_int_equal(mkdirat(world.fd, "foo", 0755), 0);
        assert_int_equal(mkdirat(world.fd, "foo/a", 0755), 0);
        put(".", "cpuset.cpus.effective", "0-7\n");
        put("foo", "cpuset.cpus.effective", "0-7\n");
        put("foo/a", "cpuset.cpus", "\n");
        put("foo/a", "cpuset.cpus.effective", "0-7\n");
        put("foo/a", "cpu.weight", "100\n");
        const ActReader reader = {.cgroup_fd = reader_fd};
        assert_int_equal(cgroup_backend_new(&reader, &paper, &world.backend), 0);
        return 0;
}

static int tear_down(void **state) {
        _cleanup_free_ char *command = NULL;

        backend_free(world.backend);
        closep(&world.fd);
        assert_true(asprintf(&command, "rm -rf '%s'", world.path) > 0);
        assert_int_equal(system(command), 0);
        return 0;
}

static void assert_file(const char *name, const char *text) {
        _cleanup_filebuf_ FileBuf b = {};
        char path[64];
        (void) snprintf(path, sizeof(path), "foo/a/%s", name);
        assert_int_equal(file_read(world.fd, path, &b), 0);
        b.text[strcspn(b.text, "\n")] = '\0';
        assert_string_equal(b.text, text);
}

static void remove_file(const char *name) {
        assert_int_equal(unlinkat(world.fd, name, 0), 0);
}

static int set(Arm arm, const char *from, const char *to, Change *c, char **ret_why) {
        const BackendVTable *v = world.backend->vtable;

        *c = (Change){
                .arm = arm,
                .target = strdup(PATH),
                .from = from ? strdup(from) : NULL,
                .to = strdup(to),
        };
        int r = v->prepare(world.backend, c, ret_why);
        return r < 0 ? r : v->apply(world.backend, c, ret_why);
}

static Change changed(Arm arm, const char *from, const char *to) {
        _cleanup_free_ char *why = NULL;
        Change c;
        assert_int_equal(set(arm, from, to, &c, &why), 0);
        assert_file(arm_file(arm), to);
        world.calls[0] = '\0';
        return c;
}

static int undo(const Change *c, bool resumed, char **ret_residue) {
        int r = world.backend->vtable->undo(world.backend, c, resumed, ret_residue);
        assert_int_equal(world.backend->vtable->flush(world.backend), 0);
        return r;
}

/* ---- the library's traps */

static void test_traps(void **state) {
        static const struct {
                const char *value;
                int code, error, result;
                bool says_why;
                const char *calls;
        } cases[] = {
                {"0-3", 0, 0, 0, false, "cpuset.cpus=0-3; "},
                /* "" would be skipped. */
                {"", 0, 0, 0, false, "cpuset.cpus= ; "},
                {"0-3", ECGOTHER, EACCES, -EACCES, false, "cpuset.cpus=0-3; "},
                {"", ECGOTHER, ENOSPC, -ENOSPC, false, "cpuset.cpus= ; "},
                /* A failure without an error. */
                {"0-3", ECGOTHER, 0, -EIO, false, "cpuset.cpus=0-3; "},
                /* That the cgroup is gone is not for the library to say. */
                {"0-3", ECGOTHER, ENOENT, -EIO, false, "cpuset.cpus=0-3; "},
                {"0-3", ECGROUPVALUENOTEXIST, 0, -EIO, true, "cpuset.cpus=0-3; "},
                {"0-3", ECGROUPNOTALLOWED, 5, -EIO, true, "cpuset.cpus=0-3; "},
        };

        for (size_t i = 0; i < ELEMENTSOF(cases); i++) {
                _cleanup_free_ char *why = NULL;
                world.calls[0] = '\0';
                world.modify_code = cases[i].code;
                world.error = cases[i].error;
                int r = libcgroup_write(&paper, PATH, "cpuset.cpus", cases[i].value, &why);
                if (r != cases[i].result || (why != NULL) != cases[i].says_why || !streq(world.calls, cases[i].calls))
                        fail_msg("case %zu: %d, %s, %s", i, r, why, world.calls);
        }
        assert_file("cpuset.cpus", "");
}

static void test_the_real_library_is_asked(void **state) {
        assert_ptr_equal(libcgroup_calls.modify, cgroup_modify_cgroup);
        assert_ptr_equal(libcgroup_calls.init, cgroup_init);
}

static void test_no_mounts(void **state) {
        _cleanup_free_ char *why = NULL;
        _cleanup_(change_done) Change c = {};

        world.init_code = ECGROUPNOTMOUNTED;
        assert_int_equal(set(ARM_PIN, NULL, "0-3", &c, &why), -EIO);
        assert_non_null(why);
        assert_string_equal(world.calls, "init; ");
        /* Asked again the next time, and not any more once it went well. */
        world.init_code = 0;
        assert_int_equal(world.backend->vtable->apply(world.backend, &c, &why), 0);
        assert_int_equal(world.backend->vtable->apply(world.backend, &c, &why), 0);
        assert_string_equal(world.calls, "init; init; cpuset.cpus=0-3; cpuset.cpus=0-3; ");
}

static void test_accepted_and_not_written(void **state) {
        _cleanup_free_ char *why = NULL, *residue = NULL;
        _cleanup_(change_done) Change c = {};

        world.writes_nothing = true;
        assert_int_equal(set(ARM_PIN, NULL, "0-3", &c, &why), -ENODATA);
        assert_string_equal(why, "cpuset.cpus reads empty");
        world.calls[0] = '\0';
        assert_int_equal(undo(&c, false, &residue), 0);
        assert_string_equal(world.calls, "");
        assert_null(residue);
}

static void test_undo_accepted_and_not_written(void **state) {
        _cleanup_free_ char *residue = NULL;
        _cleanup_(change_done) Change c = changed(ARM_WEIGHT, NULL, "200");

        world.writes_nothing = true;
        assert_int_equal(undo(&c, false, &residue), -EIO);
        world.writes_nothing = false;
        assert_int_equal(undo(&c, true, &residue), 0);
        assert_file("cpu.weight", "100");
}

/* ---- before */

static void test_inspect(void **state) {
        static const struct {
                const char *cpuset, *weight;
                unsigned n_cpus;
                bool weight_set;
        } cases[] = {
                {"\n", "100\n", 0, false},
                {"0-3\n", "300\n", 4, true},
                /* All that the parent has: what an undo leaves where the kernel won't empty it. */
                {"0-7\n", "100\n", 0, false},
        };

        for (size_t i = 0; i < ELEMENTSOF(cases); i++) {
                _cleanup_facts_ Facts f = {};
                put("foo/a", "cpuset.cpus", cases[i].cpuset);
                put("foo/a", "cpu.weight", cases[i].weight);
                assert_int_equal(world.backend->vtable->inspect(world.backend, PATH, &f), 0);
                assert_true(f.unmanaged && f.property_known && !f.owned_by_systemd && !f.unit);
                assert_int_equal(cpuset_count(f.property_cpus), cases[i].n_cpus);
                assert_int_equal(f.weight_set, cases[i].weight_set);
        }
        _cleanup_facts_ Facts f = {};
        remove_file("foo/a/cpuset.cpus");
        remove_file("foo/a/cpu.weight");
        assert_int_equal(world.backend->vtable->inspect(world.backend, PATH, &f), 0);
        assert_true(cpuset_empty(f.property_cpus) && !f.weight_set);
        assert_int_equal(world.backend->vtable->inspect(world.backend, "/foo/none", &f), -ENOENT);
}

static void test_controller_is_off(void **state) {
        static const struct {
                Arm arm;
                const char *to, *why;
        } cases[] = {
                {ARM_PIN, "0-3", "the cpuset controller is not on in /foo (for its owner to switch on)"},
                {ARM_WEIGHT, "200", "the cpu controller is not on in /foo (for its owner to switch on)"},
        };

        for (size_t i = 0; i < ELEMENTSOF(cases); i++) {
                _cleanup_free_ char *why = NULL;
                _cleanup_(change_done) Change c = {};
                assert_int_equal(unlinkat(world.fd, i == 0 ? "foo/a/cpuset.cpus" : "foo/a/cpu.weight", 0), 0);
                assert_int_equal(set(cases[i].arm, NULL, cases[i].to, &c, &why), -EOPNOTSUPP);
                assert_string_equal(why, cases[i].why);
        }
        assert_string_equal(world.calls, "");
}

static void test_changed_before_we_came(void **state) {
        _cleanup_free_ char *why = NULL;
        _cleanup_(change_done) Change pin = {}, weight = {}, idle = {};

        put("foo/a", "cpuset.cpus", "4-5\n");
        put("foo/a", "cpu.weight", "300\n");
        assert_int_equal(set(ARM_PIN, NULL, "0-3", &pin, &why), -ESTALE);
        assert_int_equal(set(ARM_WEIGHT, "200", "400", &weight, &why), -ESTALE);
        put("foo/a", "cpu.idle", "1\n");
        assert_int_equal(set(ARM_WEIGHT, "300", "400", &idle, &why), -EOPNOTSUPP);
        assert_string_equal(world.calls, "");
}

/* ---- pins */

static void test_pin_and_back(void **state) {
        _cleanup_free_ char *residue = NULL;
        bool ours = false;
        _cleanup_(change_done) Change c = changed(ARM_PIN, NULL, "0-3");

        assert_string_equal(c.file_from, "");
        assert_true(c.drop_in_existed && c.drop_in_dir_existed && c.drop_in_place_existed);
        assert_string_equal(c.effective_from, "0-7");
        assert_int_equal(world.backend->vtable->verify(world.backend, &c, &ours), 0);
        assert_true(ours);
        assert_int_equal(undo(&c, false, &residue), 0);
        assert_string_equal(world.calls, "cpuset.cpus= ; ");
        assert_null(residue);
        assert_file("cpuset.cpus", "");
        assert_int_equal(world.backend->vtable->verify(world.backend, &c, &ours), 0);
        assert_false(ours);
        /* Once more, after a kill before the ledger forgot it: nothing to do. */
        assert_int_equal(undo(&c, true, &residue), 0);
        assert_string_equal(world.calls, "cpuset.cpus= ; ");
}

static void test_residue_where_the_kernel_keeps_the_file(void **state) {
        _cleanup_free_ char *residue = NULL, *no_more = NULL;
        _cleanup_(change_done) Change c = changed(ARM_PIN, NULL, "0-3");

        world.kernel_keeps = true;
        assert_int_equal(undo(&c, false, &residue), 0);
        assert_string_equal(world.calls, "cpuset.cpus= ; cpuset.cpus=0-7; ");
        assert_string_equal(residue, "cpuset.cpus of /foo/a stays 0-7 until it ends or the cpuset controller goes off");
        /* An undo that is resumed tries again; on a kernel that empties it, it is gone. */
        world.kernel_keeps = false;
        assert_int_equal(undo(&c, true, &no_more), 0);
        assert_null(no_more);
        assert_file("cpuset.cpus", "");
}

static void test_back_to_a_list(void **state) {
        _cleanup_free_ char *residue = NULL;

        put("foo/a", "cpuset.cpus", "0-5\n");
        _cleanup_(change_done) Change c = changed(ARM_PIN, "0-5", "0-3");
        assert_int_equal(undo(&c, false, &residue), 0);
        assert_string_equal(world.calls, "cpuset.cpus=0-5; ");
        assert_null(residue);
}

/* "Unset" it was, by the look of it; but what it read comes back. */
static void test_back_to_all_of_the_parents(void **state) {
        _cleanup_free_ char *residue = NULL;

        put("foo/a", "cpuset.cpus", "0-7\n");
        _cleanup_(change_done) Change c = changed(ARM_PIN, NULL, "0-3");
        assert_int_equal(undo(&c, false, &residue), 0);
        assert_string_equal(world.calls, "cpuset.cpus=0-7; ");
        assert_null(residue);
}

static void test_somebody_elses_value(void **state) {
        _cleanup_free_ char *residue = NULL;
        bool ours = true;
        _cleanup_(change_done) Change c = changed(ARM_PIN, NULL, "0-3");

        put("foo/a", "cpuset.cpus", "2-5\n");
        assert_int_equal(world.backend->vtable->verify(world.backend, &c, &ours), 0);
        assert_false(ours);
        assert_int_equal(world.backend->vtable->check(world.backend, &c), -ESTALE);
        assert_int_equal(undo(&c, false, &residue), -ESTALE);
        /* The whole set, too, is ours only where an undo of ours may have put it there. */
        put("foo/a", "cpuset.cpus", "0-7\n");
        assert_int_equal(undo(&c, false, &residue), -ESTALE);
        assert_string_equal(world.calls, "");
}

static void test_controller_went_off(void **state) {
        _cleanup_free_ char *residue = NULL;
        bool ours = true;
        _cleanup_(change_done) Change c = changed(ARM_PIN, NULL, "0-3");

        remove_file("foo/a/cpuset.cpus");
        assert_int_equal(world.backend->vtable->verify(world.backend, &c, &ours), 0);
        assert_false(ours);
        assert_int_equal(undo(&c, false, &residue), 0);
        assert_string_equal(world.calls, "");
        assert_null(residue);
}

static void test_another_cgroup_of_that_name(void **state) {
        const BackendVTable *v = world.backend->vtable;
        _cleanup_free_ char *residue = NULL, *why = NULL;
        bool ours;
        _cleanup_(change_done) Change c = changed(ARM_PIN, NULL, "0-3");

        c.cgroup_id++;
        assert_int_equal(v->verify(world.backend, &c, &ours), -ENOENT);
        assert_int_equal(v->check(world.backend, &c), -ENOENT);
        assert_int_equal(v->apply(world.backend, &c, &why), -ENOENT);
        assert_int_equal(undo(&c, false, &residue), -ENOENT);
        assert_int_equal(v->residue(world.backend, &c, &residue), -ENOENT);
        assert_string_equal(world.calls, "");
        assert_file("cpuset.cpus", "0-3");
}

static void test_no_group_is_made(void **state) {
        _cleanup_free_ char *residue = NULL, *why = NULL;
        _cleanup_(change_done) Change c = changed(ARM_PIN, NULL, "0-3");

        assert_int_equal(renameat(world.fd, "foo/a", world.fd, "foo/b"), 0);
        assert_int_equal(world.backend->vtable->apply(world.backend, &c, &why), -ENOENT);
        assert_int_equal(undo(&c, false, &residue), -ENOENT);
        assert_string_equal(world.calls, "");
        assert_int_equal(faccessat(world.fd, "foo/a", F_OK, 0), -1);
}

/* ---- weights */

static void test_weigh_and_back(void **state) {
        _cleanup_free_ char *residue = NULL;
        _cleanup_(change_done) Change c = changed(ARM_WEIGHT, NULL, "200");

        assert_int_equal(c.n_masks, 0);
        assert_string_equal(c.file_from, "100");
        assert_int_equal(undo(&c, false, &residue), 0);
        assert_string_equal(world.calls, "cpu.weight=100; ");
        assert_null(residue);
}

static void test_steps_of_a_ramp(void **state) {
        const BackendVTable *v = world.backend->vtable;
        _cleanup_free_ char *residue = NULL, *why = NULL;
        bool ours = false;

        put("foo/a", "cpu.weight", "150\n");
        _cleanup_(change_done) Change c = changed(ARM_WEIGHT, "150", "200");
        assert_int_equal(v->check(world.backend, &c), 0);
        c.former = c.to;
        c.to = strdup("400");
        /* Killed here: both are ours. */
        assert_int_equal(v->verify(world.backend, &c, &ours), 0);
        assert_true(ours);
        assert_int_equal(v->apply(world.backend, &c, &why), 0);
        assert_int_equal(v->verify(world.backend, &c, &ours), 0);
        assert_true(ours);
        put("foo/a", "cpu.weight", "200\n");
        assert_int_equal(undo(&c, false, &residue), 0);
        assert_string_equal(world.calls, "cpu.weight=400; cpu.weight=150; ");
        assert_file("cpu.weight", "150");
}

/* ---- who owns it */

static void test_owner_without_systemd(void **state) {
        _cleanup_(backend_freep) Backend *owner = NULL;
        const ActReader reader = {.cgroup_fd = reader_fd};
        _cleanup_facts_ Facts facts = {}, unknown = {};

        /* The tree's own folder stands for "/": it holds no run/systemd/system. */
        assert_int_equal(owner_backend_new(world.fd, &reader, &owner), 0);
        assert_int_equal(owner->vtable->inspect(owner, PATH, &facts), 0);
        assert_true(facts.unmanaged);

        /* systemd runs, and can't be reached: nothing is taken for unmanaged. */
        if (access("/run/systemd/private", F_OK) == 0)
                return;
        assert_int_equal(setenv("DBUS_SYSTEM_BUS_ADDRESS", "unix:path=/nowhere", true), 0);
        assert_int_equal(mkdirat(world.fd, "run", 0755), 0);
        assert_int_equal(mkdirat(world.fd, "run/systemd", 0755), 0);
        assert_int_equal(mkdirat(world.fd, "run/systemd/system", 0755), 0);
        assert_true(owner->vtable->inspect(owner, PATH, &unknown) < 0);
        assert_false(unknown.unmanaged);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test_setup_teardown(test_traps, set_up, tear_down),
                cmocka_unit_test(test_the_real_library_is_asked),
                cmocka_unit_test_setup_teardown(test_no_mounts, set_up, tear_down),
                cmocka_unit_test_setup_teardown(test_accepted_and_not_written, set_up, tear_down),
                cmocka_unit_test_setup_teardown(test_undo_accepted_and_not_written, set_up, tear_down),
                cmocka_unit_test_setup_teardown(test_inspect, set_up, tear_down),
                cmocka_unit_test_setup_teardown(test_controller_is_off, set_up, tear_down),
                cmocka_unit_test_setup_teardown(test_changed_before_we_came, set_up, tear_down),
                cmocka_unit_test_setup_teardown(test_pin_and_back, set_up, tear_down),
                cmocka_unit_test_setup_teardown(test_residue_where_the_kernel_keeps_the_file, set_up, tear_down),
                cmocka_unit_test_setup_teardown(test_back_to_a_list, set_up, tear_down),
                cmocka_unit_test_setup_teardown(test_back_to_all_of_the_parents, set_up, tear_down),
                cmocka_unit_test_setup_teardown(test_somebody_elses_value, set_up, tear_down),
                cmocka_unit_test_setup_teardown(test_controller_went_off, set_up, tear_down),
                cmocka_unit_test_setup_teardown(test_another_cgroup_of_that_name, set_up, tear_down),
                cmocka_unit_test_setup_teardown(test_no_group_is_made, set_up, tear_down),
                cmocka_unit_test_setup_teardown(test_weigh_and_back, set_up, tear_down),
                cmocka_unit_test_setup_teardown(test_steps_of_a_ramp, set_up, tear_down),
                cmocka_unit_test_setup_teardown(test_owner_without_systemd, set_up, tear_down),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
