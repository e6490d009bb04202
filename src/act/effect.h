/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* What a setting does to its cgroup and to the threads in it, whoever sets it: looked at before a change, after it, and
 * after its undo. Only files are read; only effect_residue() writes, affinities of threads. */

#include "act/reader.h"
#include "model/facts.h"

/* What was set in the cgroup's file by hand, as a text of act/setting.h; "" where nobody did: it reads what it reads by
 * itself, or, for a pin, the parent's full effective set, which means the same and is what an undo may leave. -ENOENT:
 * no such file or cgroup. */
int effect_value(const ActReader *reader, const char *path, Arm arm, char **ret);

/* Takes that for the properties, where no unit has any. No file means that nobody set it. */
int effect_inspect_files(const ActReader *reader, const char *path, Facts *facts);

/* Fills what does not come from systemd: weight_idle (where cpu.idle is 1), and all about affinities. */
int effect_inspect(const ActReader *reader, const char *path, Facts *facts);

/* Notes the cgroup's id and file_from, and for a pin effective_from and the threads' masks. -ENOENT: it is gone. */
int effect_note(const ActReader *reader, Change *change);

/* Accepted is not enough: has the cgroup's file, and for a pin its effective set and every thread, what change->to
 * says? -ENODATA where not, with *ret_why; -errno. */
int effect_check(const ActReader *reader, const Change *change, char **ret_why);

/* Does the file still hold what is ours? No file is a no; -ENOENT: the cgroup is gone. */
int effect_verify(const ActReader *reader, const Change *change, bool *ret_ours);

/* Is `value` one that we set, or what was there before (an undo half done)? */
bool effect_is_ours(const Change *change, const char *value);

/* The value to set before the setting is emptied: the parent's full effective set for a pin, since kernels up to 6.12
 * (and some after it) refuse to empty cpuset.cpus of a populated cgroup (ENOSPC). *ret is NULL where none is needed. */
int effect_whole(const ActReader *reader, const char *path, Arm arm, char **ret);

/* After the undo: what is not as before because of us, NULL where nothing. `write`: puts back affinities too. */
int effect_residue(const ActReader *reader, const Change *change, bool write, char **ret_residue);
