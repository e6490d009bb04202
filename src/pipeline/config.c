/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The files of the configuration, read whole and handed to the parser together: a fault in any of them refuses all, so
 * all must be there before the first is looked at. */

#include "pipeline/config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "io/file.h"

#define CONFIG_FOLDER CONFIG_FILE ".d"
#define CONFIG_SUFFIX ".conf"
/* More than anybody has; a folder full of other things is named by mistake. */
#define FILES_MAX 1000

typedef struct ConfigFile {
        char *name; /* as it is shown */
        FileBuf buf;
} ConfigFile;

typedef struct ConfigFiles {
        ConfigFile *files;
        size_t n, allocated;
} ConfigFiles;

static void config_files_done(ConfigFiles *f) {
        for (size_t i = 0; i < f->n; i++) {
                free(f->files[i].name);
                filebuf_done(&f->files[i].buf);
        }
        free(f->files);
}

static int cannot_read(SettingsError *ret_error, const char *name, int error) {
        errno = -error;
        (void) snprintf(ret_error->text, sizeof(ret_error->text), "%s: can't be read: %m", name);
        return error;
}

/* The descriptor and name by which openat() finds a file that is called `name` by people. */
static int base_of(int root_fd, const char **name) {
        if ((*name)[0] != '/')
                return AT_FDCWD;
        if (root_fd != AT_FDCWD)
                *name += strspn(*name, "/");
        return root_fd;
}

/* Takes over `name`. */
static int add_file(ConfigFiles *f, int root_fd, char *name, bool must_exist, SettingsError *ret_error) {
        _cleanup_free_ char *owned = name;
        _cleanup_filebuf_ FileBuf buf = {};
        if (!owned || ARRAY_RESERVE(f->files, f->allocated, f->n + 1) < 0)
                return -ENOMEM;

        const char *relative = owned;
        int base = base_of(root_fd, &relative);
        int r = file_read(base, relative, &buf);
        if (r == -ENOENT && !must_exist)
                return 0;
        if (r < 0)
                return cannot_read(ret_error, owned, r);
        f->files[f->n++] = (ConfigFile){.name = TAKE_PTR(owned), .buf = buf};
        buf = (FileBuf){};
        return 0;
}

static bool is_config_name(const char *name) {
        size_t n = strlen(name), m = strlen(CONFIG_SUFFIX);
        return name[0] != '.' && n > m && streq(name + n - m, CONFIG_SUFFIX);
}

static int compare_names(const void *a, const void *b) {
        return strcmp(((const ConfigFile *) a)->name, ((const ConfigFile *) b)->name);
}

static int add_entries(ConfigFiles *f, int root_fd, DIR *dir, SettingsError *ret_error) {
        size_t first = f->n;
        for (;;) {
                char *name;
                errno = 0;
                const struct dirent *entry = readdir(dir);
                if (!entry)
                        break;
                if (!is_config_name(entry->d_name))
                        continue;
                if (f->n >= FILES_MAX)
                        return cannot_read(ret_error, CONFIG_FOLDER, -E2BIG);
                if (asprintf(&name, CONFIG_FOLDER "/%s", entry->d_name) < 0)
                        return -ENOMEM;
                int r = add_file(f, root_fd, name, true, ret_error);
                if (r < 0)
                        return r;
        }
        if (errno > 0)
                return cannot_read(ret_error, CONFIG_FOLDER, -errno);
        if (f->n > first)
                qsort(f->files + first, f->n - first, sizeof(ConfigFile), compare_names);
        return 0;
}

static int add_folder(ConfigFiles *f, int root_fd, SettingsError *ret_error) {
        const char *relative = CONFIG_FOLDER;
        int base = base_of(root_fd, &relative);
        _cleanup_close_ int fd = dir_open(base, relative);
        if (fd == -ENOENT)
                return 0;
        if (fd < 0)
                return cannot_read(ret_error, CONFIG_FOLDER, fd);
        _cleanup_closedir_ DIR *dir = fdopendir(fd);
        if (!dir)
                return cannot_read(ret_error, CONFIG_FOLDER, -errno);
        (void) TAKE_FD(fd); /* dir has it now */
        return add_entries(f, root_fd, dir, ret_error);
}

static int parse_files(const ConfigFiles *f, Settings **ret, SettingsError *ret_error) {
        _cleanup_free_ SettingsText *texts = calloc(MAX(f->n, (size_t) 1), sizeof(SettingsText));
        if (!texts)
                return -ENOMEM;
        for (size_t i = 0; i < f->n; i++)
                texts[i] = (SettingsText){
                        .file = f->files[i].name,
                        .text = f->files[i].buf.text,
                        .len = f->files[i].buf.len,
                };
        return settings_parse(texts, f->n, ret, ret_error);
}

int config_load(int root_fd, const char *file, Settings **ret, SettingsError *ret_error) {
        _cleanup_(config_files_done) ConfigFiles f = {};
        ret_error->text[0] = '\0';

        int r = add_file(&f, root_fd, strdup(file ? file : CONFIG_FILE), file, ret_error);
        if (r >= 0 && !file)
                r = add_folder(&f, root_fd, ret_error);
        if (r >= 0)
                r = parse_files(&f, ret, ret_error);
        if (r == -ENOMEM)
                return cannot_read(ret_error, file ? file : CONFIG_FILE, r);
        return r;
}
