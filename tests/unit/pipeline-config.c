/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "pipeline/config.h"

typedef struct Root {
        char path[64];
        int fd;
} Root;

static int set_up(void **state) {
        Root *root = calloc(1, sizeof(Root));
        assert_non_null(root);
        (void) snprintf(root->path, sizeof(root->path), "placerd-config-XXXXXX");
        assert_non_null(mkdtemp(root->path));
        root->fd = open(root->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        assert_true(root->fd >= 0);
        *state = root;
        return 0;
}

static int remove_entry(const char *path, const struct stat *st, int type, struct FTW *ftw) {
        return remove(path);
}

static int tear_down(void **state) {
        Root *root = *state;
        close(root->fd);
        (void) nftw(root->path, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
        free(root);
        return 0;
}

static void add(const Root *root, const char *name, const char *text) {
        (void) mkdirat(root->fd, "etc", 0755);
        (void) mkdirat(root->fd, "etc/placerd.conf.d", 0755);
        int fd = openat(root->fd, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
        assert_true(fd >= 0);
        assert_int_equal(write(fd, text, strlen(text)), strlen(text));
        close(fd);
}

static void test_nothing_there(void **state) {
        const Root *root = *state;
        _cleanup_settings_ Settings *s = NULL;
        SettingsError error;
        assert_int_equal(config_load(root->fd, NULL, &s, &error), 0);
        assert_int_equal(s->n_policies, 0);
        assert_int_equal(s->defaults.mode, MODE_ADVISE);
}

static void test_folder_is_read_in_order(void **state) {
        const Root *root = *state;
        _cleanup_settings_ Settings *s = NULL;
        SettingsError error;
        add(root, "etc/placerd.conf", "[placerd]\nmin-age=5s\n");
        add(root, "etc/placerd.conf.d/20-b.conf", "[b.service]\n");
        add(root, "etc/placerd.conf.d/10-a.conf", "[a.service]\nmode=act\n");
        add(root, "etc/placerd.conf.d/empty.conf", "");
        add(root, "etc/placerd.conf.d/c.conf~", "rubbish");
        add(root, "etc/placerd.conf.d/.d.conf", "rubbish");
        add(root, "etc/placerd.conf.d/README", "rubbish");

        assert_int_equal(config_load(root->fd, NULL, &s, &error), 0);
        assert_int_equal(s->min_age_usec, 5 * USEC_PER_SEC);
        assert_int_equal(s->n_policies, 2);
        assert_string_equal(s->policies[0].name, "a.service");
        assert_string_equal(s->policies[0].file, "/etc/placerd.conf.d/10-a.conf");
        assert_string_equal(s->policies[1].name, "b.service");
}

static void test_a_fault_refuses_all(void **state) {
        const Root *root = *state;
        Settings *s = NULL;
        SettingsError error;
        add(root, "etc/placerd.conf", "[a.service]\n");
        add(root, "etc/placerd.conf.d/10.conf", "[a.service]\n");
        assert_int_equal(config_load(root->fd, NULL, &s, &error), -EBADMSG);
        assert_null(s);
        assert_string_equal(error.text, "/etc/placerd.conf.d/10.conf:1: [a.service] stands already at "
                                        "/etc/placerd.conf:1; keep one of the two");
}

static void test_a_named_file_is_read_alone(void **state) {
        const Root *root = *state;
        _cleanup_settings_ Settings *absolute = NULL, *relative = NULL;
        SettingsError error;
        char name[128];
        add(root, "etc/placerd.conf", "rubbish");
        add(root, "etc/placerd.conf.d/10.conf", "rubbish");
        add(root, "mine.conf", "[m.service]\n");

        assert_int_equal(config_load(root->fd, "/mine.conf", &absolute, &error), 0);
        assert_string_equal(absolute->policies[0].file, "/mine.conf");
        (void) snprintf(name, sizeof(name), "%s/mine.conf", root->path);
        assert_int_equal(config_load(root->fd, name, &relative, &error), 0);
        assert_string_equal(relative->policies[0].name, "m.service");
}

static void test_unreadable(void **state) {
        const Root *root = *state;
        Settings *s = NULL;
        SettingsError error;
        assert_int_equal(config_load(root->fd, "/none.conf", &s, &error), -ENOENT);
        assert_string_equal(error.text, "/none.conf: can't be read: No such file or directory");

        add(root, "etc/placerd.conf", "");
        assert_int_equal(mkdirat(root->fd, "etc/placerd.conf.d/x.conf", 0755), 0);
        assert_int_equal(config_load(root->fd, NULL, &s, &error), -EISDIR);
        assert_string_equal(error.text, "/etc/placerd.conf.d/x.conf: can't be read: Is a directory");
        assert_null(s);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test_setup_teardown(test_nothing_there, set_up, tear_down),
                cmocka_unit_test_setup_teardown(test_folder_is_read_in_order, set_up, tear_down),
                cmocka_unit_test_setup_teardown(test_a_fault_refuses_all, set_up, tear_down),
                cmocka_unit_test_setup_teardown(test_a_named_file_is_read_alone, set_up, tear_down),
                cmocka_unit_test_setup_teardown(test_unreadable, set_up, tear_down),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
