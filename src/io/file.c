/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Reading and writing below a directory descriptor. Most of what is read here are files that the kernel makes up while
 * they are read: their size is unknown before (st_size is 0), a short read is not the end, and the object behind an
 * open one can vanish between two calls. So a read goes on until the kernel says 0, into a buffer that the caller keeps
 * from tick to tick, and errors are handed up as they are. */

#include "io/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include "base/array.h"
#include "base/cleanup.h"

/* One page is what the kernel's sequential files give out at a time. */
#define CHUNK 4096U

void filebuf_done(FileBuf *b) {
        free(b->text);
        *b = (FileBuf){};
}

static int fill(int fd, FileBuf *b) {
        for (;;) {
                int r = ARRAY_RESERVE(b->text, b->allocated, b->len + CHUNK + 1);
                if (r < 0)
                        return r;
                ssize_t n = read(fd, b->text + b->len, b->allocated - b->len - 1);
                if (n < 0 && errno == EINTR)
                        continue;
                if (n < 0)
                        return -errno;
                b->len += (size_t) n;
                if (b->len > FILE_SIZE_MAX)
                        return -EFBIG;
                if (n == 0)
                        return 0;
        }
}

/* One without a writer reads as an empty file, and is none. */
static bool is_fifo(int fd) {
        struct stat st;
        return fstat(fd, &st) >= 0 && S_ISFIFO(st.st_mode);
}

int file_read(int dirfd, const char *name, FileBuf *b) {
        b->len = 0;
        /* O_NONBLOCK: a FIFO that somebody put in place of a configuration file must not hold us up. */
        _cleanup_close_ int fd = openat(dirfd, name, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
        if (fd < 0)
                return -errno;
        int r = fill(fd, b);
        if (r >= 0 && b->len == 0 && is_fifo(fd))
                r = -ENXIO;
        if (r < 0)
                b->len = 0;
        if (b->text)
                b->text[b->len] = '\0';
        return r;
}

int file_readf(int dirfd, FileBuf *b, const char *format, ...) {
        char name[PATH_MAX];
        va_list args;

        va_start(args, format);
        int n = vsnprintf(name, sizeof(name), format, args);
        va_end(args);
        if (n < 0 || (size_t) n >= sizeof(name)) {
                b->len = 0;
                return -ENAMETOOLONG;
        }
        return file_read(dirfd, name, b);
}

bool file_gone(int error) {
        return error == -ENOENT || error == -ENODEV || error == -ESRCH;
}

static int write_once(int fd, const char *text, size_t len) {
        ssize_t n;

        do
                n = write(fd, text, len);
        while (n < 0 && errno == EINTR);
        if (n < 0)
                return -errno;
        return (size_t) n == len ? 0 : -EIO;
}

int file_write(int dirfd, const char *name, const char *text) {
        _cleanup_close_ int fd = openat(dirfd, name, O_WRONLY | O_CLOEXEC | O_NOCTTY);
        if (fd < 0)
                return -errno;
        return write_once(fd, text, strlen(text));
}

static int write_new(int dirfd, const char *name, const char *text, size_t len) {
        /* One may be left over from a writer that was killed. */
        if (unlinkat(dirfd, name, 0) < 0 && errno != ENOENT)
                return -errno;
        _cleanup_close_ int fd = openat(dirfd, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
        if (fd < 0)
                return -errno;
        int r = write_once(fd, text, len);
        if (r < 0)
                return r;
        /* Without it a power cut may leave the new name with nothing in it. */
        return fsync(fd) < 0 ? -errno : 0;
}

int file_replace(int dirfd, const char *name, const char *text, size_t len) {
        char temporary[PATH_MAX];

        if ((size_t) snprintf(temporary, sizeof(temporary), "%s.new", name) >= sizeof(temporary))
                return -ENAMETOOLONG;
        int r = write_new(dirfd, temporary, text, len);
        if (r >= 0 && renameat(dirfd, temporary, dirfd, name) < 0)
                r = -errno;
        if (r < 0)
                (void) unlinkat(dirfd, temporary, 0);
        return r;
}

int dir_open(int dirfd, const char *name) {
        int fd = openat(dirfd, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        return fd < 0 ? -errno : fd;
}

static bool is_folder(int dirfd, const struct dirent64 *entry) {
        struct stat st;

        if (entry->d_type != DT_UNKNOWN)
                return entry->d_type == DT_DIR;
        return fstatat(dirfd, entry->d_name, &st, AT_SYMLINK_NOFOLLOW) >= 0 && S_ISDIR(st.st_mode);
}

static int add_name(FileBuf *b, const char *name) {
        size_t n = strlen(name) + 1;

        if (b->len + n > FILE_SIZE_MAX)
                return -EFBIG;
        int r = ARRAY_RESERVE(b->text, b->allocated, b->len + n + 1);
        if (r < 0)
                return r;
        memcpy(b->text + b->len, name, n);
        b->len += n;
        b->text[b->len] = '\0';
        return 0;
}

static int add_folders(int dirfd, const char *entries, size_t len, FileBuf *b) {
        for (size_t at = 0; at < len;) {
                const struct dirent64 *entry = (const struct dirent64 *) (entries + at);
                at += entry->d_reclen;
                if (streq(entry->d_name, ".") || streq(entry->d_name, "..") || !is_folder(dirfd, entry))
                        continue;
                int r = add_name(b, entry->d_name);
                if (r < 0)
                        return r;
        }
        return 0;
}

int dir_list_folders(int dirfd, FileBuf *b) {
        /* getdents64() itself: opendir() would take and give back 32 KiB for each of ten thousand task folders. */
        _Alignas(struct dirent64) char entries[2 * CHUNK];
        ssize_t n;
        int r;

        b->len = 0;
        if (lseek(dirfd, 0, SEEK_SET) < 0)
                return -errno;
        while ((n = getdents64(dirfd, entries, sizeof(entries))) > 0) {
                r = add_folders(dirfd, entries, (size_t) n, b);
                if (r < 0)
                        goto fail;
        }
        if (n == 0)
                return 0;
        r = -errno;
fail:
        b->len = 0;
        return r;
}

FileSystem dir_file_system(int dirfd) {
        struct statfs s;

        if (fstatfs(dirfd, &s) < 0)
                return FILE_SYSTEM_OTHER;
        if (s.f_type == CGROUP2_SUPER_MAGIC)
                return FILE_SYSTEM_CGROUP2;
        if (s.f_type == PROC_SUPER_MAGIC)
                return FILE_SYSTEM_PROC;
        return FILE_SYSTEM_OTHER;
}

int dir_facts(int dirfd, const char *name, uint64_t *ret_inode, uint64_t *ret_links) {
        struct stat st;

        if (fstatat(dirfd, name, &st, AT_EMPTY_PATH | AT_SYMLINK_NOFOLLOW) < 0)
                return -errno;
        if (ret_inode)
                *ret_inode = st.st_ino;
        if (ret_links)
                *ret_links = st.st_nlink;
        return 0;
}
