/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Where what placerd knows comes from, and whether that is there. */

typedef enum SourceKind {
        SOURCE_CGROUP2,
        SOURCE_PSI,
        SOURCE_SCHEDSTAT,
        SOURCE_SCHED_SCHEDSTATS,
        SOURCE_TASKSTATS,
        SOURCE_PROCESS_EVENTS,
        _SOURCE_MAX,
} SourceKind;

typedef struct Source {
        const char *name; /* part of the interface */
        const char *why;  /* why it is off, static; NULL: it is on */
} Source;
