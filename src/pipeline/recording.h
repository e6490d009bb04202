/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Makes a recording: a folder with topology.xml and frames/NNNN, each a copy of the kernel files that a tick reads
 * (design section 7). What replay.h reads. */

#include "base/macros.h"
#include "base/usec.h"

typedef struct Recording Recording;

#define FRAME_NAME_MAX 24

/* Makes the folder (an empty one is fine) and writes topology.xml, the running machine's. `root_fd`: the machine, "/"
 * or a folder that looks like one. *ret_why: one line that names the file. -ENOTEMPTY: there is something in the
 * folder; -errno, also of sampler_new(). */
int recording_new(int root_fd, const char *folder, Recording **ret, char **ret_why);
Recording *recording_free(Recording *r);
DEFINE_CLEANUP_FUNC(Recording *, recording_free);

/* Copies the next frame from the machine below `root_fd`. It appears under its name (in ret_frame) only when it is
 * complete, so that a recording that was cut short can be replayed. What is not readable on the machine is left out.
 * -errno where the copy can't be written. */
int recording_take(Recording *r, int root_fd, usec_t now_usec, char ret_frame[static FRAME_NAME_MAX], char **ret_why);
