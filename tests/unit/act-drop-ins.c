/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Only what our own undo left may be removed. */

#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "act/drop-ins.h"
#include "base/cleanup.h"
#include "io/file.h"

#define HEADER                                                                                                         \
        "# This is a drop-in unit file extension, created via \"systemctl set-property\"\n"                            \
        "# or an equivalent operation. Do not edit.\n[Service]\n"
#define EMPTIED HEADER "AllowedCPUs=\nAllowedCPUs=\n"
#define FOUR HEADER "AllowedCPUs=\nAllowedCPUs=0-3\n"

#define CONTROL "run/systemd/system.control"
#define TRANSIENT "run/systemd/transient"
#define NAME "50-AllowedCPUs.conf"

static void test_parse(void **state) {
        static const struct {
                Arm arm;
                const char *text, *value; /* NULL: not only our property */
        } cases[] = {
                {ARM_PIN, EMPTIED, ""},
                {ARM_PIN, FOUR, "0-3"},
                {ARM_PIN, "[Service]\nAllowedCPUs=\nAllowedCPUs=0-3 8-11\n", "0-3,8-11"},
                {ARM_PIN, "[Scope]\nAllowedCPUs=0-1\nAllowedCPUs=4\n", "0-1,4"},
                {ARM_PIN, "[Service]\nAllowedCPUs=0-1\nAllowedCPUs=", ""},
                {ARM_PIN, "", ""},
                {ARM_PIN, "; a comment\n\n[Service]\n", ""},
                {ARM_PIN, "[Service]\nAllowedCPUs=\nCPUWeight=200\n", NULL},
                {ARM_PIN, "[Service]\nAllowedCPUsX=\n", NULL},
                {ARM_PIN, "[Service]\nAllowedCPUs\n", NULL},
                {ARM_PIN, "[Service]\nAllowedCPUs=0-3x\n", NULL},
                {ARM_PIN, "[Service]\n AllowedCPUs=\n", NULL},
                {ARM_PIN, "[Service]\nAllowedCPUs=0\\\n", NULL},
                {ARM_WEIGHT, HEADER "CPUWeight=200\n", "200"},
                {ARM_WEIGHT, HEADER "CPUWeight=\n", ""},
                {ARM_WEIGHT, "[Slice]\nCPUWeight=200\nCPUWeight=300\n", "300"},
                {ARM_WEIGHT, "[Slice]\nCPUWeight=200\nCPUWeight=\n", ""},
                {ARM_WEIGHT, "[Slice]\nCPUWeight=idle\n", "idle"},
                {ARM_WEIGHT, "[Slice]\nCPUWeight=10001\n", NULL},
                {ARM_WEIGHT, "[Slice]\nCPUWeight=2x\n", NULL},
                {ARM_WEIGHT, "[Slice]\nCPUWeight=200\nStartupCPUWeight=\n", NULL},
        };

        for (size_t i = 0; i < ELEMENTSOF(cases); i++) {
                _cleanup_free_ char *value = NULL;
                int r = drop_in_parse(cases[i].text, strlen(cases[i].text), cases[i].arm, &value);
                if (r != (cases[i].value ? 0 : -EINVAL) || (r == 0 && !streq(value, cases[i].value)))
                        fail_msg("case %zu: %d, %s", i, r, value);
        }
}

typedef struct Fixture {
        char path[64];
        int fd;
} Fixture;

static int remove_tree(const char *path) {
        _cleanup_free_ char *command = NULL;
        assert_true(asprintf(&command, "rm -rf '%s'", path) > 0);
        return system(command);
}

static int set_up(void **state) {
        Fixture *f = calloc(1, sizeof(*f));
        strcpy(f->path, "/tmp/unit-drop-ins.XXXXXX");
        assert_non_null(mkdtemp(f->path));
        f->fd = dir_open(AT_FDCWD, f->path);
        assert_int_equal(mkdirat(f->fd, "run", 0755), 0);
        assert_int_equal(mkdirat(f->fd, "run/systemd", 0755), 0);
        assert_int_equal(mkdirat(f->fd, CONTROL, 0755), 0);
        assert_int_equal(mkdirat(f->fd, TRANSIENT, 0755), 0);
        *state = f;
        return 0;
}

static int tear_down(void **state) {
        Fixture *f = *state;
        closep(&f->fd);
        assert_int_equal(remove_tree(f->path), 0);
        free(f);
        return 0;
}

static void put(const Fixture *f, const char *dir, const char *name, const char *text) {
        if (faccessat(f->fd, dir, F_OK, 0) < 0)
                assert_int_equal(mkdirat(f->fd, dir, 0755), 0);
        _cleanup_close_ int fd = dir_open(f->fd, dir);
        assert_int_equal(file_replace(fd, name, text, strlen(text)), 0);
}

static bool exists(const Fixture *f, const char *path) {
        return faccessat(f->fd, path, F_OK, 0) == 0;
}

static void test_look(void **state) {
        const Fixture *f = *state;
        DropInState s;

        assert_int_equal(drop_in_look(f->fd, "a.service", ARM_PIN, &s), 0);
        assert_true(!s.file && !s.dir && s.place);
        put(f, CONTROL "/a.service.d", "50-CPUWeight.conf", "");
        assert_int_equal(drop_in_look(f->fd, "a.service", ARM_PIN, &s), 0);
        assert_true(!s.file && s.dir && s.place);
        put(f, TRANSIENT "/b.service.d", NAME, EMPTIED);
        assert_int_equal(drop_in_look(f->fd, "b.service", ARM_PIN, &s), 0);
        assert_true(s.file && s.dir);
        assert_int_equal(drop_in_look(f->fd, "../b.service", ARM_PIN, &s), -EINVAL);
}

static void test_place(void **state) {
        const Fixture *f = *state;
        DropInState s;

        put(f, CONTROL "/a.service.d", NAME, FOUR);
        assert_int_equal(drop_in_clean_place(f->fd), 0);
        assert_true(exists(f, CONTROL "/a.service.d/" NAME));
        assert_int_equal(unlinkat(f->fd, CONTROL "/a.service.d/" NAME, 0), 0);
        assert_int_equal(unlinkat(f->fd, CONTROL "/a.service.d", AT_REMOVEDIR), 0);
        assert_int_equal(drop_in_clean_place(f->fd), 0);
        assert_false(exists(f, CONTROL));
        assert_int_equal(drop_in_clean_place(f->fd), 0);
        assert_int_equal(drop_in_look(f->fd, "a.service", ARM_PIN, &s), 0);
        assert_false(s.place || s.dir || s.file);
}

static void test_clean(void **state) {
        const Fixture *f = *state;
        static const struct {
                const char *what, *text, *leftover;
                bool made_dir, other, file_goes, dir_goes;
        } cases[] = {
                {"ours, all of it", EMPTIED, "", true, false, true, true},
                {"ours, the folder was there", EMPTIED, "", false, false, true, false},
                {"ours, but somebody joined us in the folder", EMPTIED, "", true, true, true, false},
                {"somebody's value", FOUR, "", true, false, false, false},
                {"somebody added a line", EMPTIED "CPUWeight=5\n", "", true, false, false, false},
                {"a value that was there before", FOUR, "0-3", true, false, true, true},
                {"another value than that", FOUR, "0-1", true, false, false, false},
        };
        static const char *const places[] = {CONTROL, TRANSIENT};

        for (size_t i = 0; i < ELEMENTSOF(cases) * 2; i++) {
                _cleanup_free_ char *dir = NULL, *file = NULL;
                const char *leftover = cases[i / 2].leftover;
                bool removed = !cases[i / 2].file_goes;
                assert_true(asprintf(&dir, "%s/u%zu.service.d", places[i % 2], i) > 0);
                assert_true(asprintf(&file, "%s/" NAME, dir) > 0);
                _cleanup_free_ char *unit = NULL;
                assert_true(asprintf(&unit, "u%zu.service", i) > 0);
                put(f, dir, NAME, cases[i / 2].text);
                if (cases[i / 2].other)
                        put(f, dir, "60-other.conf", "");

                assert_int_equal(drop_in_clean(f->fd, unit, ARM_PIN, leftover, cases[i / 2].made_dir, &removed), 0);
                if (exists(f, file) != !cases[i / 2].file_goes || exists(f, dir) != !cases[i / 2].dir_goes ||
                    removed != cases[i / 2].file_goes)
                        fail_msg("%s: file %i, folder %i, removed %i", cases[i / 2].what, exists(f, file),
                                 exists(f, dir), removed);
                assert_true(exists(f, places[i % 2]));
        }
}

static void test_clean_without_a_file(void **state) {
        const Fixture *f = *state;
        bool removed = true;

        assert_int_equal(drop_in_clean(f->fd, "a.service", ARM_PIN, "", true, &removed), 0);
        assert_false(removed);
        /* An earlier clean-up was killed between the file and its folder. */
        assert_int_equal(mkdirat(f->fd, CONTROL "/a.service.d", 0755), 0);
        assert_int_equal(drop_in_clean(f->fd, "a.service", ARM_PIN, "", true, &removed), 0);
        assert_false(removed || exists(f, CONTROL "/a.service.d"));
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_parse),
                cmocka_unit_test_setup_teardown(test_look, set_up, tear_down),
                cmocka_unit_test_setup_teardown(test_place, set_up, tear_down),
                cmocka_unit_test_setup_teardown(test_clean, set_up, tear_down),
                cmocka_unit_test_setup_teardown(test_clean_without_a_file, set_up, tear_down),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
