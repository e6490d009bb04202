/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Stands in for the daemon in the test of placerctl: the real object on the bus, or on the private socket in the folder
 * that is its argument, and the real reports, of two made-up targets. It serves until it is killed, and says "ready"
 * when it has its name. */

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <systemd/sd-bus.h>

#include "bus/private.h"
#include "io/file.h"
#include "report/report.h"
#include "target-views.h"

/* Longer than a terminal is wide, as units of devices and containers are. */
#define LONG_UNIT                                                                                                      \
        "a-very-long-name-of-a-unit-that-no-terminal-has-room-for-beside-other-columns@instance-0123456789.service"

typedef struct Fake {
        MadeUp kept, advised;
        TargetView views[2];
        bool paused;
} Fake;

static void fake_init(Fake *f) {
        made_up_init(&f->kept);
        f->kept.change.kept = true;
        f->kept.verdict.treated = true;
        f->kept.view.change = &f->kept.change;
        f->kept.view.outcome = &f->kept.outcome;
        f->kept.policy.mode = MODE_OBSERVE;

        made_up_init(&f->advised);
        f->advised.policy = (Policy){.mode = MODE_ADVISE};
        f->advised.plan.unit = TEXT(LONG_UNIT);
        f->advised.view.unit = LONG_UNIT;
        f->advised.view.path = "/system.slice/" LONG_UNIT;
        f->advised.view.plan = &f->advised.plan;
        (void) cpuset_parse_list("0-3", 3, &f->advised.plan.cpus);

        f->views[0] = f->kept.view;
        f->views[1] = f->advised.view;
}

/* Takes over the object. */
static char *dump(json_t *o) {
        char *text = o ? json_dumps(o, JSON_COMPACT) : NULL;
        json_decref(o);
        return text;
}

static char *describe(void *userdata) {
        static const Source sources[] = {{"cgroup2", NULL},
                                         {"psi", NULL},
                                         {"schedstat", NULL},
                                         {"sched_schedstats", "kernel.sched_schedstats is 0"},
                                         {"taskstats", "needs CAP_NET_ADMIN"},
                                         {"process-events", NULL}};
        Fake *f = userdata;
        json_t *o = report_status(f->views, ELEMENTSOF(f->views), USEC_PER_SEC, NULL);

        (void) json_object_set_new(o, "paused", json_boolean(f->paused));
        (void) json_object_set_new(o, "sources", report_sources(sources));
        return dump(o);
}

static int describe_target(void *userdata, const char *target, char **ret_json) {
        Fake *f = userdata;

        for (size_t i = 0; i < ELEMENTSOF(f->views); i++)
                if (streq(target, f->views[i].unit) || streq(target, f->views[i].path)) {
                        *ret_json = dump(report_target(&f->views[i]));
                        return *ret_json ? 0 : -ENOMEM;
                }
        return -ENOENT;
}

static int undo(void *userdata, const char *target) {
        return streq(target, "") || streq(target, "svc.service") ? 1 : -ENOENT;
}

static void set_paused(Fake *f, bool paused) {
        f->paused = paused;
        for (size_t i = 0; i < ELEMENTSOF(f->views); i++)
                f->views[i].paused = paused;
}

/* One trial is under way whenever it is asked. */
static int pause_it(void *userdata, uid_t uid) {
        set_paused(userdata, true);
        return 1;
}

static int resume_it(void *userdata, uid_t uid) {
        set_paused(userdata, false);
        return 0;
}

static bool is_paused(void *userdata) {
        const Fake *f = userdata;
        return f->paused;
}

static int serve_on_bus(sd_event *event, const BusCallbacks *callbacks) {
        sd_bus *bus = NULL;
        BusObject *object = NULL;

        int r = sd_bus_open_system(&bus);
        if (r >= 0)
                r = sd_bus_attach_event(bus, event, SD_EVENT_PRIORITY_NORMAL);
        return r < 0 ? r : bus_object_new(bus, callbacks, &object);
}

static int serve_privately(sd_event *event, const BusCallbacks *callbacks, const char *folder) {
        PrivateServer *server = NULL;

        int fd = dir_open(AT_FDCWD, folder);
        return fd < 0 ? fd : private_server_new(event, fd, callbacks, &server);
}

int main(int argc, char **argv) {
        static Fake fake;
        sd_event *event = NULL;
        BusCallbacks callbacks = {
                .describe = describe,
                .describe_target = describe_target,
                .undo = undo,
                .pause = pause_it,
                .resume = resume_it,
                .paused = is_paused,
                .userdata = &fake,
        };

        fake_init(&fake);
        int r = sd_event_default(&event);
        if (r >= 0)
                r = argc > 1 ? serve_privately(event, &callbacks, argv[1]) : serve_on_bus(event, &callbacks);
        if (r >= 0) {
                (void) puts("ready");
                (void) fflush(stdout);
                r = sd_event_loop(event);
        }
        (void) fprintf(stderr, "fake-placerd: %s\n", strerror(-r));
        return EXIT_FAILURE;
}
