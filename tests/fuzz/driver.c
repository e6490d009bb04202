/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Feeds the files of corpus folders to a fuzz target without libFuzzer, so that every input that ever mattered stays a
 * test. Each input is handed over in a block of exactly its size: a parser that reads one byte too far is caught by the
 * address sanitizer, and one that relies on a NUL finds none. An empty corpus is a failure, or the test could not fail.
 */

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "fuzz.h"

static int run_file(const char *folder, const char *name) {
        char path[4096];

        (void) snprintf(path, sizeof(path), "%s/%s", folder, name);
        _cleanup_fclose_ FILE *f = fopen(path, "re");
        if (!f || fseek(f, 0, SEEK_END) < 0)
                return -errno;
        long size = ftell(f);
        rewind(f);
        _cleanup_free_ uint8_t *data = malloc(size > 0 ? (size_t) size : 1);
        if (size < 0 || !data || fread(data, 1, (size_t) size, f) != (size_t) size)
                return -EIO;
        (void) LLVMFuzzerTestOneInput(data, (size_t) size);
        return 0;
}

static int run_folder(const char *folder) {
        _cleanup_closedir_ DIR *d = opendir(folder);
        unsigned n = 0;

        if (!d)
                return -errno;
        for (struct dirent *entry; (entry = readdir(d));) {
                if (entry->d_name[0] == '.')
                        continue;
                int r = run_file(folder, entry->d_name);
                if (r < 0)
                        return r;
                n++;
        }
        return n > 0 ? 0 : -ENOENT;
}

int main(int argc, char **argv) {
        for (int i = 1; i < argc; i++) {
                int r = run_folder(argv[i]);
                if (r < 0) {
                        (void) fprintf(stderr, "%s: %s\n", argv[i], strerror(-r));
                        return EXIT_FAILURE;
                }
        }
        return argc > 1 ? EXIT_SUCCESS : EXIT_FAILURE;
}
