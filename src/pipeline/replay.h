/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Runs the pipeline over a recording: each frame is the machine of one tick, time is what its clock says, and changes
 * are only noted. */

#include "pipeline/pipeline.h"

typedef struct Replay Replay;

/* Opens a recording. `settings` are taken over; NULL: all leaves are targets, with threads, and nothing acts. *ret_why:
 * one line that names the file which is wrong. -errno. */
int replay_new(const char *folder, Settings *settings, const PipelineSink *sink, Replay **ret, char **ret_why);
Replay *replay_free(Replay *r);
DEFINE_CLEANUP_FUNC(Replay *, replay_free);

/* One tick over frames/NAME. -EBADMSG: its clock can't be read or goes back. -errno; *ret_why as above. */
int replay_frame(Replay *r, const char *name, char **ret_why);

/* All frames there are, in order. -ENODATA: there is none. -errno. */
int replay_run(Replay *r, char **ret_why);

/* NULL before the first frame. */
const Pipeline *replay_pipeline(const Replay *r);
