/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What the sampler reads from, for people: what is missing, and what would bring it. */

#include "sample/sampler-internal.h"

#define NOT_LIVE "only the running machine can be asked, not a recording and nothing below --root"

void sampler_set_kernel(Sampler *s, Taskstats *taskstats, ProcessEvents *events) {
        taskstats_free(s->taskstats);
        process_events_free(s->events);
        s->taskstats = taskstats;
        s->events = events;
}

void sampler_sources(const Sampler *s, Source ret[static _SOURCE_MAX]) {
        const Source sources[] = {
                [SOURCE_CGROUP2] = {"cgroup2", NULL}, /* without it there is no sampler */
                [SOURCE_PSI] = {"psi", s->off[SOURCE_PSI]},
                [SOURCE_SCHEDSTAT] = {"schedstat", s->off[SOURCE_SCHEDSTAT]},
                [SOURCE_SCHED_SCHEDSTATS] = {"sched_schedstats", s->off[SOURCE_SCHED_SCHEDSTATS]},
                [SOURCE_TASKSTATS] = {"taskstats", s->taskstats ? taskstats_off(s->taskstats) : NOT_LIVE},
                [SOURCE_PROCESS_EVENTS] = {"process-events", s->events ? process_events_off(s->events) : NOT_LIVE},
        };

        memcpy(ret, sources, sizeof(sources));
}
