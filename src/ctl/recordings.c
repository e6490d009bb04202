/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* placerctl record and replay. Both print what the pipeline says of frames on disk: record replays each frame as soon
 * as it is written, so that both print the same lines. With --json every verdict of every tick has its line; people see
 * those that are not healthy. */

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "ctl/verbs.h"
#include "io/clock.h"
#include "io/file.h"
#include "pipeline/config.h"
#include "pipeline/recording.h"
#include "pipeline/replay.h"
#include "report/report.h"

/* Takes over the line; NULL: memory was short. */
static void print_line(char *line) {
        _cleanup_free_ char *owned = line;

        if (!owned)
                complain("out of memory: a line is missing");
        else
                (void) puts(owned);
}

static void on_verdict(void *userdata, uint64_t tick, usec_t now_usec, const TargetView *view) {
        const Options *o = userdata;

        if (o->json)
                print_line(report_verdict_line(view, tick, now_usec));
        else if (view->verdict && !streq(view->verdict->kind->name, "healthy"))
                print_line(report_verdict_text(view, tick));
}

static void on_change(void *userdata, usec_t now_usec, const TargetView *view) {
        const Options *o = userdata;
        print_line(o->json ? report_change_line(view, now_usec) : report_change_text(view));
}

static void on_outcome(void *userdata, usec_t now_usec, const TargetView *view) {
        const Options *o = userdata;
        print_line(o->json ? report_outcome_line(view, now_usec) : report_outcome_text(view));
}

static PipelineSink sink_for(const Options *o) {
        return (PipelineSink){.on_verdict = on_verdict,
                              .on_change = on_change,
                              .on_outcome = on_outcome,
                              .userdata = (void *) (uintptr_t) o};
}

static ExitCode failed(int error, const char *why) {
        complain("%s", why ? why : strerror(-error));
        return EXIT_REFUSED;
}

static void print_summary(const Options *o, const Replay *replay, size_t n_frames) {
        const Pipeline *p = replay_pipeline(replay);
        if (o->json || !p)
                return;
        if (n_frames > 0)
                printf("%zu frames written, ", n_frames);
        printf("%zu targets at the end\n", pipeline_n_targets(p));
}

ExitCode verb_replay(const Options *options, int n_args, char **args) {
        _cleanup_settings_ Settings *settings = NULL;
        _cleanup_(replay_freep) Replay *replay = NULL;
        _cleanup_free_ char *why = NULL;
        PipelineSink sink = sink_for(options);

        if (options->config) {
                SettingsError error = {};
                int r = config_load(AT_FDCWD, options->config, &settings, &error);
                if (r < 0)
                        return failed(r, error.text[0] ? error.text : NULL);
        }

        int r = replay_new(args[0], TAKE_PTR(settings), &sink, &replay, &why);
        if (r >= 0)
                r = replay_run(replay, &why);
        if (r < 0)
                return failed(r, why);
        print_summary(options, replay, 0);
        return EXIT_DONE;
}

/* Writes one frame and runs the pipeline over it. The root is opened anew, so that it may be a link that moves on. */
static int take_frame(const char *root, Recording *recording, Replay *replay, char **ret_why) {
        char frame[FRAME_NAME_MAX];

        _cleanup_close_ int root_fd = dir_open(AT_FDCWD, root);
        if (root_fd < 0)
                return root_fd;
        int r = recording_take(recording, root_fd, clock_monotonic(), frame, ret_why);
        if (r < 0)
                return r;
        r = replay_frame(replay, frame, ret_why);

        /* Line by line also behind a pipe: somebody watches. */
        (void) fflush(stdout);
        return r;
}

static int take_frames(const Options *options, const char *root, Recording *recording, Replay *replay, size_t *ret_n,
                       char **ret_why) {
        size_t n_frames = 1 + (size_t) (options->seconds * USEC_PER_SEC / options->interval_usec);
        usec_t due = clock_monotonic();

        for (size_t i = 0; i < n_frames; i++) {
                clock_sleep_until(due);
                int r = take_frame(root, recording, replay, ret_why);
                if (r < 0)
                        return r;
                /* Where copying takes longer than the interval, the next frame follows at once, and that is all. */
                due = MAX(due + options->interval_usec, clock_monotonic());
        }
        *ret_n = n_frames;
        return 0;
}

ExitCode verb_record(const Options *options, int n_args, char **args) {
        _cleanup_(recording_freep) Recording *recording = NULL;
        _cleanup_(replay_freep) Replay *replay = NULL;
        _cleanup_free_ char *why = NULL;
        PipelineSink sink = sink_for(options);
        const char *root = options->root ? options->root : "/";
        size_t n_frames = 0;

        _cleanup_close_ int root_fd = dir_open(AT_FDCWD, root);
        if (root_fd < 0)
                return failed(root_fd, NULL);
        int r = recording_new(root_fd, args[0], &recording, &why);
        if (r >= 0)
                r = replay_new(args[0], NULL, &sink, &replay, &why);
        if (r >= 0)
                r = take_frames(options, root, recording, replay, &n_frames, &why);
        if (r < 0)
                return failed(r, why);
        print_summary(options, replay, n_frames);
        return EXIT_DONE;
}
