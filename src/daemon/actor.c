/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* act/ reads the machine through the sampler's eyes, but knows no sampler: the two meet here. */

#include "daemon/actor.h"

#include "daemon/runtime.h"
#include "io/log.h"

static int reader_cgroup_fd(void *userdata) {
        return sampler_cgroup_fd(userdata);
}

static int reader_masks(void *userdata, const char *path, bool deep, ThreadMask **ret, size_t *ret_n) {
        return sampler_masks(userdata, path, deep, ret, ret_n);
}

static ActReader reader_of(Sampler *sampler) {
        return (ActReader){.cgroup_fd = reader_cgroup_fd, .masks = reader_masks, .userdata = sampler};
}

static int executor_of(Backend *backend, Ledger *ledger, Executor **ret) {
        int r = executor_new(backend, ledger, ret);
        if (r < 0) {
                backend_free(backend);
                ledger_free(ledger);
        }
        return r;
}

int actor_new(int root_fd, Sampler *sampler, int runtime_fd, Executor **ret) {
        _cleanup_(ledger_freep) Ledger *ledger = NULL;
        ActReader reader = reader_of(sampler);
        Backend *backend;

        int r = runtime_ledger(runtime_fd, &ledger);
        if (r < 0)
                return r;
        r = owner_backend_new(root_fd, &reader, &backend);
        if (r < 0)
                return log_error(r, "Can't prepare for changes: %m");
        return executor_of(backend, TAKE_PTR(ledger), ret);
}

int actor_new_dry(Sampler *sampler, Executor **ret) {
        ActReader reader = reader_of(sampler);
        Backend *backend;

        int r = dry_backend_new(&reader, &backend);
        if (r < 0)
                return r;
        return executor_of(backend, NULL, ret);
}
