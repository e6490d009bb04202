/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Where messages go. A service's standard error is a socket of the journal, and systemd says which one in
 * $JOURNAL_STREAM (device and inode; systemd.exec(5)): where that is so, entries go to the journal itself, with their
 * level and fields. A variable that was only inherited, with standard error gone elsewhere since, does not count.
 * Without a journal a message is a plain line on standard error. */

#include "io/log.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <systemd/sd-journal.h>
#include <unistd.h>

/* Longer messages are cut: LINE_MAX is what the journal takes in one line of a stream, too. */
#define MESSAGE_MAX 2048
#define FIELDS_MAX 64

static int log_level = LOG_INFO;

void log_set_level(int level) {
        log_level = level;
}

static bool stderr_is_journal(void) {
        const char *stream = getenv("JOURNAL_STREAM");
        uint64_t device, inode;
        struct stat st;

        if (!stream || sscanf(stream, "%" SCNu64 ":%" SCNu64, &device, &inode) != 2)
                return false;
        return fstat(STDERR_FILENO, &st) >= 0 && st.st_dev == device && st.st_ino == inode;
}

static void to_stderr(const char *message) {
        (void) fprintf(stderr, "%s\n", message);
}

/* No CODE_FILE= and the like: the fields are an interface, the place in the source is not. */
static bool to_journal(int level, const char *message, const char *const fields[], size_t n_fields) {
        char text[MESSAGE_MAX + sizeof("MESSAGE=")], priority[sizeof("PRIORITY=") + 11], identifier[128];
        struct iovec iov[FIELDS_MAX];
        size_t n = 0;

        (void) snprintf(text, sizeof(text), "MESSAGE=%s", message);
        (void) snprintf(priority, sizeof(priority), "PRIORITY=%d", level);
        (void) snprintf(identifier, sizeof(identifier), "SYSLOG_IDENTIFIER=%s", program_invocation_short_name);
        const char *const own[] = {text, priority, identifier};

        assert(n_fields <= FIELDS_MAX - ELEMENTSOF(own));
        for (size_t i = 0; i < ELEMENTSOF(own); i++)
                iov[n++] = (struct iovec){.iov_base = (void *) own[i], .iov_len = strlen(own[i])};
        for (size_t i = 0; i < n_fields; i++)
                iov[n++] = (struct iovec){.iov_base = (void *) fields[i], .iov_len = strlen(fields[i])};
        return sd_journal_sendv(iov, (int) n) >= 0;
}

void log_entry(int level, const char *message, const char *const fields[], size_t n_fields) {
        if (level > log_level)
                return;
        if (!stderr_is_journal() || !to_journal(level, message, fields, n_fields))
                to_stderr(message);
}

int log_full(int level, int error, const char *format, ...) {
        char message[MESSAGE_MAX];
        va_list args;
        int saved_errno = errno;

        if (level <= log_level) {
                errno = error < 0 ? -error : 0; /* what %m prints */
                va_start(args, format);
                (void) vsnprintf(message, sizeof(message), format, args);
                va_end(args);
                log_entry(level, message, NULL, 0);
        }
        errno = saved_errno;
        return error;
}
