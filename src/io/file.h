/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The door to files: everything is opened below a directory descriptor. */

#include "base/macros.h"

/* A buffer that is kept from read to read. */
typedef struct FileBuf {
        char *text; /* NUL-terminated behind len bytes */
        size_t len, allocated;
} FileBuf;

void filebuf_done(FileBuf *b);
#define _cleanup_filebuf_ _cleanup_(filebuf_done)

/* Largest file that is read (a /proc/PID/status of a machine with 8192 CPUs is far smaller). */
#define FILE_SIZE_MAX (4U * 1024 * 1024)

/* Reads the whole of `name` (relative to dirfd) into b. -errno of open or read (a vanished cgroup or task gives
 * -ENOENT, -ENODEV or -ESRCH: see file_gone()), -EFBIG above FILE_SIZE_MAX, -ENXIO for a FIFO into which nobody
 * writes, -ENOMEM. On an error b->len is 0. */
int file_read(int dirfd, const char *name, FileBuf *b);
/* The same for a name made by printf. */
int file_readf(int dirfd, FileBuf *b, const char *format, ...) _printf_(3, 4);

/* True for the errors by which the kernel says that a cgroup or task has gone in the meantime. */
bool file_gone(int error);

/* Writes text into an existing file with a single write(). -errno. */
int file_write(int dirfd, const char *name, const char *text);

/* Replaces (or makes) a file so that a reader sees the old or the new text, never a part: temporary file and rename().
 * Mode 0600. -errno. */
int file_replace(int dirfd, const char *name, const char *text, size_t len);

/* Opens a folder: O_DIRECTORY|O_CLOEXEC. The descriptor, or -errno. */
int dir_open(int dirfd, const char *name);

/* The names of the folders in an open folder (no symbolic links, not "." and ".."), each followed by a NUL, in the
 * order of the file system; b->len counts the NULs too. Reads from the start each time. -errno, -EFBIG as file_read().
 */
int dir_list_folders(int dirfd, FileBuf *b);

typedef enum FileSystem {
        FILE_SYSTEM_OTHER,
        FILE_SYSTEM_CGROUP2,
        FILE_SYSTEM_PROC,
} FileSystem;

/* The kind of file system that an open folder is on; OTHER also where that can't be found out. */
FileSystem dir_file_system(int dirfd);

/* Inode and number of links of a folder (`name` "" is dirfd itself). In cgroup2 the inode is the cgroup's id, and
 * there and in /proc/PID the links are 2 + the number of folders inside; no other file system has to keep to that.
 * -errno. */
int dir_facts(int dirfd, const char *name, uint64_t *ret_inode, uint64_t *ret_links);
