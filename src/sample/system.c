/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What belongs to no cgroup: CPUs, and which of the kernel's facilities are on. Nothing here is needed to go on: what
 * can't be read is absent, and what the administrator could switch on is named once. */

#include <errno.h>
#include <stdlib.h>

#include "io/log.h"
#include "parse/cgroup-files.h"
#include "parse/cpulist.h"
#include "parse/psi.h"
#include "parse/schedstat.h"
#include "parse/span.h"
#include "parse/stat.h"
#include "sample/sampler-internal.h"

static void sample_schedstat(Sampler *s, Snapshot *snapshot) {
        unsigned version;

        int r = file_read(s->proc_fd, "schedstat", &s->buf);
        s->off[SOURCE_SCHEDSTAT] = r < 0 ? "/proc/schedstat can't be read (CONFIG_SCHEDSTATS)" : NULL;
        if (r < 0)
                return;
        schedstat_parse(s->buf.text, s->buf.len, snapshot->cpus, snapshot->n_cpus, &version);
        if (version >= SCHEDSTAT_VERSION_MIN && version <= SCHEDSTAT_VERSION_MAX)
                return;
        if (!s->said_version)
                log_info("/proc/schedstat has version %u, which is not known: only its cpu lines are used, if any.",
                         version);
        s->said_version = true;
}

static int sample_cpus(Sampler *s, Snapshot *snapshot) {
        if (file_read(s->proc_fd, "stat", &s->buf) < 0)
                return 0;
        int r = proc_stat_parse(s->buf.text, s->buf.len, snapshot);
        if (r < 0)
                return r;
        sample_schedstat(s, snapshot);
        return 0;
}

static int read_online(Sampler *s) {
        Cpuset *online;

        if (file_read(s->root_fd, "sys/devices/system/cpu/online", &s->buf) < 0)
                return 0;
        int r = cpulist_parse(s->buf.text, s->buf.len, &online);
        if (r < 0)
                return r == -ENOMEM ? r : 0;
        cpuset_free(s->online);
        s->online = online;
        return 0;
}

/* /proc/stat has a line for each CPU that is online. */
static int online_by_stat(Snapshot *snapshot) {
        snapshot->online = cpuset_new();
        if (!snapshot->online)
                return -ENOMEM;
        for (size_t i = 0; i < snapshot->n_cpus; i++) {
                int r = cpuset_add(snapshot->online, snapshot->cpus[i].cpu);
                if (r < 0)
                        return r;
        }
        return 0;
}

static int sample_online(Sampler *s, Snapshot *snapshot) {
        int r = read_online(s);
        if (r < 0)
                return r;
        if (!s->online)
                return online_by_stat(snapshot);
        snapshot->online = cpuset_copy(s->online);
        return snapshot->online ? 0 : -ENOMEM;
}

static void sample_schedstats_switch(Sampler *s, Snapshot *snapshot) {
        uint64_t on;

        if (file_read(s->proc_fd, "sys/kernel/sched_schedstats", &s->buf) >= 0 &&
            span_u64(span_trim(span_of(s->buf.text, s->buf.len)), &on)) {
                snapshot->schedstats_known = true;
                snapshot->schedstats_on = on != 0;
        }
        s->off[SOURCE_SCHED_SCHEDSTATS] = snapshot->schedstats_on      ? NULL
                                          : snapshot->schedstats_known ? "kernel.sched_schedstats is 0"
                                                                       : "this kernel has no kernel.sched_schedstats";
        if (snapshot->schedstats_on || s->said_schedstats)
                return;
        if (snapshot->schedstats_known)
                log_info("kernel.sched_schedstats is 0: wakeups and longest waits are not known.");
        else
                log_info("This kernel has no kernel.sched_schedstats: wakeups and longest waits are not known.");
        s->said_schedstats = true;
}

static void sample_psi(Sampler *s, Snapshot *snapshot) {
        Counts counts = {};

        int r = file_read(s->proc_fd, "pressure/cpu", &s->buf);
        if (r >= 0)
                psi_parse(s->buf.text, s->buf.len, &counts);
        snapshot->psi = counts_has(&counts, CGROUP_SOME_USEC);
        s->off[SOURCE_PSI] = snapshot->psi ? NULL : "off, or not in this kernel: psi=1 on its command line may help";
        if (snapshot->psi || s->said_psi)
                return;
        if (r == -EOPNOTSUPP || r == -ENOENT)
                log_info("Pressure (PSI) is off or not in this kernel, ignoring: psi=1 on its command line may help.");
        else
                log_info("Pressure (PSI) could not be read, ignoring.");
        s->said_psi = true;
}

static int sample_foreign_scheduler(Sampler *s, Snapshot *snapshot) {
        if (file_read(s->root_fd, "sys/kernel/sched_ext/state", &s->buf) < 0 ||
            !sched_ext_is_on(s->buf.text, s->buf.len))
                return 0;
        Span ops = span_of("unknown", 7);
        if (file_read(s->root_fd, "sys/kernel/sched_ext/root/ops", &s->buf) >= 0 && s->buf.len > 0)
                ops = span_trim(span_of(s->buf.text, s->buf.len));
        snapshot->foreign_scheduler = strndup(ops.text, ops.len);
        return snapshot->foreign_scheduler ? 0 : -ENOMEM;
}

int system_sample(Sampler *s, Snapshot *snapshot) {
        int r = sample_cpus(s, snapshot);
        if (r < 0)
                return r;
        r = sample_online(s, snapshot);
        if (r < 0)
                return r;
        sample_schedstats_switch(s, snapshot);
        sample_psi(s, snapshot);
        return sample_foreign_scheduler(s, snapshot);
}
