/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Reading, writing, replacing and listing below a folder made for the test. */

#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "io/file.h"

static char folder[] = "/tmp/placerd-file.XXXXXX";
static int dir = -1;

static int setup(void **state) {
        if (!mkdtemp(folder))
                return -1;
        dir = dir_open(AT_FDCWD, folder);
        return dir >= 0 ? 0 : -1;
}

static int teardown(void **state) {
        close(dir);
        return rmdir(folder);
}

static void test_read_replace(void **state) {
        _cleanup_filebuf_ FileBuf b = {};

        assert_int_equal(file_read(dir, "a", &b), -ENOENT);
        assert_int_equal(b.len, 0);
        assert_int_equal(file_replace(dir, "a", "hello", 5), 0);
        assert_int_equal(file_read(dir, "a", &b), 0);
        assert_string_equal(b.text, "hello");
        assert_int_equal(file_replace(dir, "a", "", 0), 0);
        assert_int_equal(file_read(dir, "a", &b), 0);
        assert_int_equal(b.len, 0);
        assert_string_equal(b.text, "");

        struct stat st;
        assert_int_equal(fstatat(dir, "a", &st, 0), 0);
        assert_int_equal(st.st_mode & 0777, 0600);
        assert_int_equal(faccessat(dir, "a.new", F_OK, 0), -1);
        assert_int_equal(unlinkat(dir, "a", 0), 0);
}

static void test_replace_over_leftover(void **state) {
        _cleanup_filebuf_ FileBuf b = {};

        /* A link left in the way of the temporary file is not followed. */
        assert_int_equal(symlinkat("victim", dir, "a.new"), 0);
        assert_int_equal(file_replace(dir, "a", "x", 1), 0);
        assert_int_equal(file_read(dir, "victim", &b), -ENOENT);
        assert_int_equal(unlinkat(dir, "a", 0), 0);
}

static void test_read_long(void **state) {
        _cleanup_filebuf_ FileBuf b = {};
        _cleanup_free_ char *text = malloc(100000);

        for (size_t i = 0; i < 100000; i++)
                text[i] = (char) ('a' + i % 26);
        assert_int_equal(file_replace(dir, "long", text, 100000), 0);
        assert_int_equal(file_readf(dir, &b, "%s%s", "lo", "ng"), 0);
        assert_int_equal(b.len, 100000);
        assert_memory_equal(b.text, text, 100000);
        assert_int_equal(unlinkat(dir, "long", 0), 0);
}

static void test_read_too_long(void **state) {
        _cleanup_filebuf_ FileBuf b = {};
        _cleanup_close_ int fd = openat(dir, "huge", O_WRONLY | O_CREAT, 0600);

        assert_int_equal(ftruncate(fd, FILE_SIZE_MAX + 1), 0);
        assert_int_equal(file_read(dir, "huge", &b), -EFBIG);
        assert_int_equal(b.len, 0);
        assert_int_equal(ftruncate(fd, FILE_SIZE_MAX), 0);
        assert_int_equal(file_read(dir, "huge", &b), 0);
        assert_int_equal(b.len, FILE_SIZE_MAX);
        assert_int_equal(unlinkat(dir, "huge", 0), 0);
}

/* It neither holds us up nor passes for an empty file: an empty configuration would drop every policy. */
static void test_read_fifo(void **state) {
        _cleanup_filebuf_ FileBuf b = {};

        assert_int_equal(mkfifoat(dir, "fifo", 0600), 0);
        assert_int_equal(file_read(dir, "fifo", &b), -ENXIO);
        assert_int_equal(b.len, 0);
        assert_int_equal(unlinkat(dir, "fifo", 0), 0);
}

static void test_write_only_existing(void **state) {
        _cleanup_filebuf_ FileBuf b = {};

        assert_int_equal(file_write(dir, "w", "1"), -ENOENT);
        assert_int_equal(file_replace(dir, "w", "22", 2), 0);
        assert_int_equal(file_write(dir, "w", "1"), 0);
        assert_int_equal(file_read(dir, "w", &b), 0);
        assert_string_equal(b.text, "12");
        assert_int_equal(unlinkat(dir, "w", 0), 0);
}

static void test_list_folders(void **state) {
        _cleanup_filebuf_ FileBuf b = {};
        uint64_t inode = 0;

        assert_int_equal(dir_list_folders(dir, &b), 0);
        assert_int_equal(b.len, 0);
        assert_int_equal(mkdirat(dir, "sub", 0700), 0);
        assert_int_equal(file_replace(dir, "file", "", 0), 0);
        assert_int_equal(symlinkat("sub", dir, "link"), 0);
        for (int i = 0; i < 2; i++) {
                assert_int_equal(dir_list_folders(dir, &b), 0);
                assert_int_equal(b.len, 4);
                assert_string_equal(b.text, "sub");
        }
        assert_int_equal(dir_facts(dir, "sub", &inode, NULL), 0);
        assert_int_not_equal(inode, 0);
        assert_int_equal(dir_facts(dir, "gone", &inode, NULL), -ENOENT);
        assert_int_equal(dir_file_system(dir), FILE_SYSTEM_OTHER);
        assert_int_equal(unlinkat(dir, "file", 0), 0);
        assert_int_equal(unlinkat(dir, "link", 0), 0);
        assert_int_equal(unlinkat(dir, "sub", AT_REMOVEDIR), 0);
}

static void test_gone(void **state) {
        assert_true(file_gone(-ENOENT));
        assert_true(file_gone(-ENODEV));
        assert_true(file_gone(-ESRCH));
        assert_false(file_gone(-EACCES));
        assert_false(file_gone(-EOPNOTSUPP));
        assert_false(file_gone(0));
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_read_replace), cmocka_unit_test(test_replace_over_leftover),
                cmocka_unit_test(test_read_long),    cmocka_unit_test(test_read_too_long),
                cmocka_unit_test(test_read_fifo),    cmocka_unit_test(test_write_only_existing),
                cmocka_unit_test(test_list_folders), cmocka_unit_test(test_gone),
        };
        return cmocka_run_group_tests(tests, setup, teardown);
}
