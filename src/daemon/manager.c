/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The daemon in one object. It is built from the outside in: what can change the system (or why nothing can), the
 * pipeline, the D-Bus object, the wake-ups; then the loop only does what a wake-up asks for. What is missing (a bus,
 * root, systemd) takes away the part that needs it, with one line that says so, and the rest goes on.
 *
 * The bus going away ends the process (exit-on-disconnect): the service manager starts it again and it adopts its
 * changes, which is simpler and surer than a second way to build up the same state. */

#include "daemon/manager.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sysexits.h>
#include <systemd/sd-daemon.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "daemon/actor.h"
#include "daemon/budget.h"
#include "daemon/describe.h"
#include "daemon/fate.h"
#include "daemon/interface.h"
#include "daemon/journal.h"
#include "daemon/message-ids.h"
#include "daemon/restore.h"
#include "daemon/runtime.h"
#include "daemon/wakeups.h"
#include "io/clock.h"
#include "io/log.h"
#include "pipeline/config.h"
#include "pipeline/pipeline.h"
#include "report/report.h"
#include "sample/topology.h"

#define TOPOLOGY_EVERY_USEC (10 * USEC_PER_SEC)

typedef struct Manager {
        Machine *machine;
        bool dry_run;
        const char *observe_only; /* why nothing can be changed here; NULL: it can */
        sd_event *event;
        Interface interface;
        Wakeups *wakeups;
        Journal *journal;
        Pipeline *pipeline;
        Executor *executor; /* the pipeline's; NULL: nothing acts */
        int runtime_fd;     /* the lock */
        Budget budget;
        Describer describer;
        usec_t topology_usec; /* when it was read anew, 0 never */
        char *status;         /* last STATUS= */
        bool ready;
        int tick_error; /* last one that was logged */
} Manager;

static void manager_done(Manager *m) {
        wakeups_free(m->wakeups);
        interface_close(&m->interface);
        pipeline_free(m->pipeline);
        journal_free(m->journal);
        sd_event_unref(m->event);
        closep(&m->runtime_fd);
        free(m->status);
}

/* The pipeline's sink */

/* Takes over the text. */
static void emit(Manager *m, const TargetView *v, const char *kind, char *json) {
        if (json)
                interface_tell_decision(&m->interface, v->path, kind, json);
        free(json);
}

static void on_verdict(void *userdata, uint64_t tick, usec_t now_usec, const TargetView *v) {
        Manager *m = userdata;
        journal_verdict(m->journal, tick, v);
}

static void on_change(void *userdata, usec_t now_usec, const TargetView *v) {
        journal_change(v);
        emit(userdata, v, "change", report_change_line(v, now_usec));
}

static void on_outcome(void *userdata, usec_t now_usec, const TargetView *v) {
        journal_outcome(v);
        emit(userdata, v, "outcome", report_outcome_line(v, now_usec));
}

static void on_undo(void *userdata, usec_t now_usec, const TargetView *v, const char *why) {
        journal_undo(v, why);
        emit(userdata, v, "undo", describe_undo(v, now_usec, why));
}

/* The bus object's callbacks */

static char *bus_describe(void *userdata) {
        Manager *m = userdata;
        return describe_all(&m->describer, clock_monotonic());
}

static int bus_describe_target(void *userdata, const char *target, char **ret_json) {
        Manager *m = userdata;
        return describe_one(&m->describer, target, clock_monotonic(), ret_json);
}

static void tell_status(Manager *m);

static int bus_undo(void *userdata, const char *target) {
        Manager *m = userdata;

        int r = pipeline_undo(m->pipeline, target[0] ? target : NULL, clock_monotonic());
        tell_status(m);
        return r;
}

static void announce_pause(Manager *m) {
        interface_tell_paused(&m->interface);
        tell_status(m);
}

static int bus_pause(void *userdata, uid_t uid) {
        Manager *m = userdata;

        if (pipeline_paused(m->pipeline))
                return 0;
        unsigned n_broken_off = pipeline_pause(m->pipeline, clock_monotonic());
        journal_paused(true, uid, n_broken_off);
        announce_pause(m);
        return (int) n_broken_off;
}

static int bus_resume(void *userdata, uid_t uid) {
        Manager *m = userdata;

        if (!pipeline_paused(m->pipeline))
                return 0;
        pipeline_resume(m->pipeline);
        journal_paused(false, uid, 0);
        announce_pause(m);
        return 0;
}

static bool bus_paused(void *userdata) {
        const Manager *m = userdata;
        return pipeline_paused(m->pipeline);
}

/* The tick */

/* Only when it reads otherwise: each message wakes PID 1. */
static void tell_status(Manager *m) {
        _cleanup_free_ char *status = describe_status_line(&m->describer);

        if (!status || streq_ptr(status, m->status))
                return;
        (void) sd_notifyf(0, "STATUS=%s", status);
        free(m->status);
        m->status = TAKE_PTR(status);
}

/* CPUs come and go. hwloc may see it otherwise than /proc/stat, so that the topology stays stale: it is costly, and not
 * read each tick. */
static void follow_hotplug(Manager *m, usec_t now_usec) {
        Topology *topology;

        if (!pipeline_topology_stale(m->pipeline))
                return;
        if (m->topology_usec > 0 && now_usec < m->topology_usec + TOPOLOGY_EVERY_USEC)
                return;
        m->topology_usec = now_usec;

        int r = topology_load(m->machine->root ? TOPOLOGY_ROOT : TOPOLOGY_LIVE, m->machine->root, &topology);
        if (r >= 0)
                r = pipeline_set_topology(m->pipeline, topology);
        if (r < 0)
                log_error(r, "CPUs came or went, but the new topology can't be read, going on with the old one: %m");
        else if (!pipeline_topology_stale(m->pipeline))
                log_info("CPUs came or went: the topology was read anew");
}

static int set_interval(Manager *m) {
        usec_t interval_usec = budget_interval(&m->budget);

        pipeline_set_interval(m->pipeline, interval_usec);
        return wakeups_set_interval(m->wakeups, interval_usec);
}

static void keep_budget(Manager *m) {
        char interval[USEC_FORMAT_MAX], cost[USEC_FORMAT_MAX];

        if (!budget_tick(&m->budget, clock_process_cpu(), pipeline_on_trial(m->pipeline)))
                return;
        (void) set_interval(m);
        journal_note(m->budget.factor > 1 ? LOG_NOTICE : LOG_INFO, MESSAGE_ID_BUDGET,
                     "A tick costs %s of CPU time: the interval is now %s, to stay within cpu-budget=%u.%u%%",
                     usec_format(m->budget.cost_usec, cost), usec_format(budget_interval(&m->budget), interval),
                     m->budget.permille / 10, m->budget.permille % 10);
}

static void on_tick(void *userdata) {
        Manager *m = userdata;

        usec_t now_usec = clock_monotonic();
        int r = pipeline_tick(m->pipeline, now_usec);
        if (r < 0 && r != m->tick_error)
                log_error(r, "Can't read the machine, trying again each tick: %m");
        m->tick_error = r < 0 ? r : 0;

        if (!m->ready && r >= 0) {
                m->ready = true;
                (void) sd_notify(0, "READY=1");
        }
        if (m->executor)
                executor_tidy(m->executor, now_usec);
        follow_hotplug(m, now_usec);
        keep_budget(m);
        tell_status(m);
}

/* The signals */

static int reload(Manager *m) {
        _cleanup_settings_ Settings *settings = NULL;
        SettingsError error = {};

        int r = config_load(m->machine->root_fd, m->machine->config_file, &settings, &error);
        if (r < 0) {
                journal_note(LOG_ERR, MESSAGE_ID_CONFIG_REFUSED, "The old configuration stays in force: %s",
                             error.text[0] ? error.text : "out of memory");
                return r;
        }

        usec_t interval_usec = settings->interval_usec;
        unsigned permille = settings->cpu_budget_permille;
        r = pipeline_set_settings(m->pipeline, TAKE_PTR(settings));
        if (r < 0)
                return log_error(r, "Can't put the new configuration into force: %m");

        budget_init(&m->budget, interval_usec, permille, clock_process_cpu());
        log_info("The configuration was read anew");
        return set_interval(m);
}

static void on_reload(void *userdata) {
        Manager *m = userdata;

        (void) sd_notifyf(0, "RELOADING=1\nMONOTONIC_USEC=%" PRIu64, clock_monotonic());
        (void) reload(m);
        if (m->ready)
                (void) sd_notify(0, "READY=1");
        tell_status(m);
}

static void on_stop(void *userdata, int signal) {
        Manager *m = userdata;
        const char *why = "the dry run has ended";

        (void) sd_notify(0, "STOPPING=1\nSTATUS=Stopping");
        if (m->executor && executor_size(m->executor) > 0) {
                Fate fate = m->dry_run ? FATE_RESTORE : fate_ask(&why);
                if (fate == FATE_KEEP)
                        log_info("Changes stay: %s", why);
                else
                        (void) restore_everything(m->executor, why);
        }
        (void) sd_event_exit(m->event, EX_OK);
}

/* Building up */

static void observe_only(Manager *m, const char *why) {
        m->observe_only = why;
        journal_note(LOG_NOTICE, MESSAGE_ID_OBSERVE_ONLY, "placerd only observes here: %s", why);
}

/* Sets m->executor, or leaves it NULL with the reason told. Returns an exit status. */
static int build_executor(Manager *m) {
        if (m->dry_run)
                return actor_new_dry(m->machine->sampler, &m->executor) < 0 ? EXIT_FAILURE : EX_OK;
        if (geteuid() != 0) {
                observe_only(m, "changing something needs root");
                return EX_OK;
        }

        m->runtime_fd = runtime_open(true);
        if (m->runtime_fd == -EBUSY) {
                log_error(-EBUSY, "Another placerd is running");
                return EXIT_FAILURE;
        }
        if (m->runtime_fd < 0) {
                log_warning(m->runtime_fd, "Can't open the runtime directory: %m");
                observe_only(m, "without a runtime directory for the list of changes none can be made");
                return EX_OK;
        }
        if (sd_booted() <= 0) {
                observe_only(m, "systemd is not running, and changes go through it");
                return EX_OK;
        }
        return actor_new(m->machine->root_fd, m->machine->sampler, m->runtime_fd, &m->executor) < 0 ? EXIT_FAILURE
                                                                                                    : EX_OK;
}

static int build_pipeline(Manager *m) {
        Machine *machine = m->machine;
        const Settings *settings = machine->settings;
        PipelineOptions options = {
                .sampler = machine->sampler,
                .topology = machine->topology,
                .settings = machine->settings,
                .executor = m->executor,
                .sink = {on_verdict, on_change, on_outcome, on_undo, m},
        };

        budget_init(&m->budget, settings->interval_usec, settings->cpu_budget_permille, clock_process_cpu());
        int r = pipeline_new(&options, &m->pipeline);
        machine->sampler = options.sampler;
        machine->topology = options.topology;
        machine->settings = options.settings;
        if (r < 0) {
                m->executor = executor_free(options.executor);
                return log_error(r, "Can't start: %m");
        }
        pipeline_set_interval(m->pipeline, m->budget.interval_usec);

        m->describer = (Describer){
                .pipeline = m->pipeline,
                .budget = &m->budget,
                .observe_only = &m->observe_only,
                .dry_run = m->dry_run,
        };
        return 0;
}

static void build_interface(Manager *m) {
        BusCallbacks callbacks = {
                .describe = bus_describe,
                .describe_target = bus_describe_target,
                .undo = bus_undo,
                .pause = bus_pause,
                .resume = bus_resume,
                .paused = bus_paused,
                .userdata = m,
        };

        /* Of another machine's files nobody is asked. */
        if (!m->machine->root)
                interface_open(&m->interface, m->event, m->runtime_fd, &callbacks);
}

static int build_loop(Manager *m) {
        WakeupCallbacks callbacks = {on_tick, on_reload, on_stop, m};

        int r = sd_event_default(&m->event);
        if (r < 0)
                return log_error(r, "Can't make an event loop: %m");
        r = sd_event_set_watchdog(m->event, true);
        if (r < 0)
                log_warning(r, "Can't feed the watchdog, ignoring: %m");
        r = wakeups_new(m->event, m->budget.interval_usec, &callbacks, &m->wakeups);
        if (r < 0)
                return log_error(r, "Can't set up timer and signals: %m");
        return 0;
}

int manager_run(Machine *machine, bool dry_run) {
        _cleanup_(manager_done) Manager m = {
                .machine = machine,
                .dry_run = dry_run || machine->root,
                .runtime_fd = -1,
        };

        if (journal_new(&m.journal) < 0)
                return EX_OSERR;
        int status = build_executor(&m);
        if (status != EX_OK)
                return status;
        if (build_pipeline(&m) < 0 || build_loop(&m) < 0)
                return EXIT_FAILURE;
        build_interface(&m);

        int r = sd_event_loop(m.event);
        if (r < 0) {
                log_error(r, "The event loop failed: %m");
                return EXIT_FAILURE;
        }
        return r;
}
