/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A recording is replayed by the code that watches a machine: the sampler's root goes from frame to frame, the time is
 * that of the frame, and a backend that only notes takes the place of systemd's. `placerctl record` runs the same step
 * on each frame that it has written, so what it prints is computed from the bytes on disk. A recording may come from
 * anywhere: whatever is wrong with it is said once, with the name of the file. */

#include "pipeline/replay.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/stat.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/numbers.h"
#include "io/file.h"
#include "sample/topology.h"

struct Replay {
        char *folder; /* for messages */
        int frames_fd;
        Topology *topology; /* until the pipeline has them */
        Settings *settings;
        PipelineSink sink;
        Pipeline *pipeline; /* NULL before the first frame */
        usec_t now_usec;
};

static int fail(int error, char **ret_why, const char *format, ...) _printf_(3, 4);

static int fail(int error, char **ret_why, const char *format, ...) {
        va_list args;

        va_start(args, format);
        if (vasprintf(ret_why, format, args) < 0)
                *ret_why = NULL;
        va_end(args);
        return error;
}

static int load_topology(Replay *r, char **ret_why) {
        char *path = NULL;
        if (asprintf(&path, "%s/topology.xml", r->folder) < 0)
                return -ENOMEM;

        /* hwloc would wait for somebody to write into a FIFO. */
        struct stat st;
        bool is_file = stat(path, &st) < 0 || S_ISREG(st.st_mode);
        int k = is_file ? topology_load(TOPOLOGY_XML, path, &r->topology) : -EINVAL;
        if (k == -EINVAL)
                (void) fail(k, ret_why, "%s: hwloc can't make a topology of it", path);
        else if (k < 0)
                (void) fail(k, ret_why, "%s: %s", path, strerror(-k));
        free(path);
        return k;
}

int replay_new(const char *folder, Settings *settings, const PipelineSink *sink, Replay **ret, char **ret_why) {
        _cleanup_settings_ Settings *owned = settings;
        _cleanup_(replay_freep) Replay *r = malloc(sizeof(*r));
        if (!r)
                return -ENOMEM;
        *r = (Replay){.folder = strdup(folder), .frames_fd = -1, .sink = sink ? *sink : (PipelineSink){}};
        if (!r->folder)
                return -ENOMEM;
        r->settings = TAKE_PTR(owned);

        _cleanup_close_ int fd = dir_open(AT_FDCWD, folder);
        if (fd < 0)
                return fail(fd, ret_why, "%s: %s", folder, strerror(-fd));
        int k = load_topology(r, ret_why);
        if (k < 0)
                return k;
        r->frames_fd = dir_open(fd, "frames");
        if (r->frames_fd < 0)
                return fail(r->frames_fd, ret_why, "%s/frames: %s", folder, strerror(-r->frames_fd));

        *ret = TAKE_PTR(r);
        return 0;
}

Replay *replay_free(Replay *r) {
        if (!r)
                return NULL;

        (void) pipeline_free(r->pipeline);
        (void) topology_free(r->topology);
        (void) settings_free(r->settings);
        if (r->frames_fd >= 0)
                (void) close(r->frames_fd);
        free(r->folder);
        free(r);
        return NULL;
}

const Pipeline *replay_pipeline(const Replay *r) {
        return r->pipeline;
}

/* "monotonic_usec 18504529\n" */
static int parse_clock(const char *text, size_t len, usec_t *ret) {
        static const char key[] = "monotonic_usec ";
        size_t n = sizeof(key) - 1;

        if (len > 0 && text[len - 1] == '\n')
                len--;
        if (len <= n || memcmp(text, key, n) != 0)
                return -EBADMSG;
        return number_parse_u64(text + n, len - n, ret) < 0 ? -EBADMSG : 0;
}

static int read_clock(Replay *r, int frame_fd, const char *name, usec_t *ret, char **ret_why) {
        _cleanup_filebuf_ FileBuf b = {};
        usec_t now;

        int k = file_read(frame_fd, "clock", &b);
        if (k < 0)
                return fail(k, ret_why, "%s/frames/%s/clock: %s", r->folder, name, strerror(-k));
        if (parse_clock(b.text, b.len, &now) < 0)
                return fail(-EBADMSG, ret_why, "%s/frames/%s/clock: is not one line 'monotonic_usec N'", r->folder,
                            name);
        if (r->pipeline && now <= r->now_usec)
                return fail(-EBADMSG, ret_why, "%s/frames/%s/clock: is not later than the frame before", r->folder,
                            name);
        *ret = now;
        return 0;
}

/* How the dry backend looks at the frame: with the pipeline's sampler. */
static int reader_cgroup_fd(void *userdata) {
        return sampler_cgroup_fd(userdata);
}

static int reader_masks(void *userdata, const char *path, bool deep, ThreadMask **ret, size_t *ret_n) {
        return sampler_masks(userdata, path, deep, ret, ret_n);
}

static int executor_new_dry(Sampler *sampler, Executor **ret) {
        ActReader reader = {.cgroup_fd = reader_cgroup_fd, .masks = reader_masks, .userdata = sampler};
        _cleanup_(backend_freep) Backend *backend = NULL;

        int k = dry_backend_new(&reader, &backend);
        return k < 0 ? k : executor_new(TAKE_PTR(backend), NULL, ret);
}

/* The sampler needs a root from the start, so the pipeline comes into being with the first frame. */
static int start(Replay *r, int frame_fd, const char *name, char **ret_why) {
        _cleanup_(sampler_freep) Sampler *sampler = NULL;
        _cleanup_(executor_freep) Executor *executor = NULL;
        _cleanup_free_ char *why = NULL;

        int k = sampler_new(frame_fd, &sampler, &why);
        if (k < 0)
                return fail(k, ret_why, "%s/frames/%s: %s", r->folder, name, why ? why : strerror(-k));
        if (r->settings) {
                k = executor_new_dry(sampler, &executor);
                if (k < 0)
                        return k;
        }

        PipelineOptions options = {.sink = r->sink};
        options.sampler = TAKE_PTR(sampler);
        options.topology = TAKE_PTR(r->topology);
        options.settings = TAKE_PTR(r->settings);
        options.executor = TAKE_PTR(executor);
        return pipeline_new(&options, &r->pipeline);
}

int replay_frame(Replay *r, const char *name, char **ret_why) {
        usec_t now = 0;

        _cleanup_close_ int fd = dir_open(r->frames_fd, name);
        if (fd < 0)
                return fail(fd, ret_why, "%s/frames/%s: %s", r->folder, name, strerror(-fd));
        int k = read_clock(r, fd, name, &now, ret_why);
        if (k < 0)
                return k;

        k = r->pipeline ? sampler_set_root(pipeline_sampler(r->pipeline), fd) : start(r, fd, name, ret_why);
        if (k >= 0)
                k = pipeline_tick(r->pipeline, now);
        if (k < 0)
                return *ret_why ? k : fail(k, ret_why, "%s/frames/%s: %s", r->folder, name, strerror(-k));
        r->now_usec = now;
        return 0;
}

static int compare_names(const void *a, const void *b) {
        const char *const *x = a, *const *y = b;
        size_t n = strlen(*x), m = strlen(*y);
        return n != m ? (n < m ? -1 : 1) : strcmp(*x, *y);
}

/* Frames are numbered; anything else in the folder (an unfinished ".0007") is none. The names stay in b. */
static int list_frames(int frames_fd, FileBuf *b, const char ***ret, size_t *ret_n) {
        size_t n = 0, allocated = 0;
        const char **names = NULL;

        int k = dir_list_folders(frames_fd, b);
        for (size_t at = 0; k >= 0 && at < b->len; at += strlen(b->text + at) + 1) {
                const char *name = b->text + at;
                if (strspn(name, "0123456789") != strlen(name))
                        continue;
                k = ARRAY_RESERVE(names, allocated, n + 1);
                if (k >= 0)
                        names[n++] = name;
        }
        if (k < 0) {
                free(names);
                return k;
        }

        if (n > 0)
                qsort(names, n, sizeof(*names), compare_names);
        *ret = names;
        *ret_n = n;
        return 0;
}

int replay_run(Replay *r, char **ret_why) {
        _cleanup_filebuf_ FileBuf b = {};
        _cleanup_free_ const char **names = NULL;
        size_t n;

        int k = list_frames(r->frames_fd, &b, &names, &n);
        if (k < 0)
                return fail(k, ret_why, "%s/frames: %s", r->folder, strerror(-k));
        if (n == 0)
                return fail(-ENODATA, ret_why, "%s/frames: holds no frame", r->folder);

        for (size_t i = 0; i < n; i++) {
                k = replay_frame(r, names[i], ret_why);
                if (k < 0)
                        return k;
        }
        return 0;
}
