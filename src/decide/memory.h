/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* What is remembered of targets beyond their life: arms that failed, with a back-off that doubles (5 min to 24 h), and
 * when changes were made, for the limits per hour. Instances of a template share their memory. Bounded: the entry that
 * was used longest ago goes first. */

#include "base/usec.h"
#include "model/verdict.h"

#define BACKOFF_MIN_USEC (5 * USEC_PER_MINUTE)
#define BACKOFF_MAX_USEC (24 * USEC_PER_HOUR)
#define MEMORY_ENTRIES_MAX 1024
/* Changes per hour on the whole machine, as a multiple of what one target may have. */
#define CHANGES_ALL_FACTOR 10

typedef struct Memory Memory;

Memory *memory_new(void); /* NULL where memory is short */
Memory *memory_free(Memory *m);
DEFINE_CLEANUP_FUNC(Memory *, memory_free);

/* "worker@3.service" -> "worker@.service"; other names as they are. Newly allocated. */
char *memory_key(const char *unit_or_path);

/* The arm failed for this target: held off for 5 min, then 10, 20, ... 24 h. -ENOMEM. */
int memory_failed(Memory *m, const char *key, Arm arm, usec_t now_usec);
/* It helped: the back-off starts anew. */
void memory_helped(Memory *m, const char *key, Arm arm);
/* Until when the arm is held off, 0 where it is not. */
usec_t memory_held_until(const Memory *m, const char *key, Arm arm, usec_t now_usec);
/* Holds the arm off until then, whatever its failures (an administrator's undo, somebody else's override). */
int memory_hold(Memory *m, const char *key, Arm arm, usec_t until_usec);

/* A property was written (set or put back). */
int memory_changed(Memory *m, const char *key, usec_t now_usec);
/* When `more` changes within an hour are allowed for this target and on the machine; 0: now. */
usec_t memory_next_change(const Memory *m, const char *key, unsigned more, unsigned per_hour, usec_t now_usec);
