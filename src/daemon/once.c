/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A look at the machine without a daemon: the pipeline with two ticks, no executor and a sink that prints. Without
 * --config every leaf is a target whose threads are read, as in a replay: with the daemon's own settings threads are
 * read only of what looks suspicious, and two ticks are too few to become so and be judged too. */

#include "daemon/once.h"

#include <stdio.h>
#include <stdlib.h>
#include <sysexits.h>

#include "base/cleanup.h"
#include "io/clock.h"
#include "io/log.h"
#include "pipeline/pipeline.h"
#include "report/report.h"

static void print_verdict(void *userdata, uint64_t tick, usec_t now_usec, const TargetView *v) {
        size_t *n_printed = userdata;

        _cleanup_free_ char *line = report_verdict_text(v, tick);
        if (!line)
                return;
        (void) puts(line);
        (*n_printed)++;
}

static int two_ticks(Pipeline *p, usec_t interval_usec) {
        usec_t start = clock_monotonic();

        int r = pipeline_tick(p, start);
        if (r < 0)
                return r;
        clock_sleep_until(start + interval_usec);
        return pipeline_tick(p, clock_monotonic());
}

/* What the pipeline has not taken over stays the machine's. */
static void machine_put_back(Machine *m, const PipelineOptions *options) {
        m->sampler = options->sampler;
        m->topology = options->topology;
        if (!m->settings)
                m->settings = options->settings;
}

int once_run(Machine *m) {
        _cleanup_(pipeline_freep) Pipeline *p = NULL;
        usec_t interval_usec = m->settings->interval_usec;
        size_t n_printed = 0;
        PipelineOptions options = {.sink = {.on_verdict = print_verdict, .userdata = &n_printed}};

        options.sampler = TAKE_PTR(m->sampler);
        options.topology = TAKE_PTR(m->topology);
        if (m->config_file)
                options.settings = TAKE_PTR(m->settings);
        int r = pipeline_new(&options, &p);
        machine_put_back(m, &options);
        if (r >= 0)
                r = two_ticks(p, interval_usec);
        if (r < 0) {
                log_error(r, "Can't watch this machine: %m");
                return EXIT_FAILURE;
        }
        if (n_printed == 0)
                log_info("No cgroup here can be judged");
        if (fflush(stdout) != 0 || ferror(stdout)) {
                log_error(0, "Can't write to standard output");
                return EX_IOERR;
        }
        return EX_OK;
}
