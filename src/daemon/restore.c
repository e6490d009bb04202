/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The ledger outlives the daemon on purpose (RuntimeDirectoryPreserve=yes): the next one adopts from it what its
 * policies still want (pipeline/). Where no next one comes, `placerd --restore` puts everything back. It does not trust
 * the ledger blindly: undo is compare-and-swap, and what is not ours any more is let go. */

#include "daemon/restore.h"

#include <errno.h>
#include <stdlib.h>
#include <sysexits.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "daemon/actor.h"
#include "daemon/fate.h"
#include "daemon/journal.h"
#include "daemon/machine.h"
#include "daemon/runtime.h"
#include "io/log.h"

static void undo_one(Executor *e, const Change *c, const char *why) {
        const char *name = c->unit ? c->unit : c->target;

        /* The change stays readable until the batch is flushed, but its residue is a mark of the undo under way then.
         */
        UndoResult result = executor_undo(e, c);
        Change told = *c;
        if (result != UNDO_RESIDUE)
                told.residue = NULL;

        switch (result) {
        case UNDO_DONE:
        case UNDO_RESIDUE:
                journal_undo(&(TargetView){.path = c->target, .unit = c->unit, .change = &told}, why);
                return;
        case UNDO_OVERRIDDEN:
                log_info("%s: somebody else has changed %s: left alone", name, arm_setting(c->arm, c->unit));
                return;
        case UNDO_GONE:
                log_info("%s has ended: nothing to undo", name);
                return;
        case UNDO_FAILED:
                return;
        }
}

unsigned restore_everything(Executor *e, const char *why) {
        size_t n = executor_size(e);

        for (size_t i = 0; i < n; i++)
                undo_one(e, executor_at(e, i), why);

        /* Flushes, and tries once more what failed. */
        unsigned n_failed = executor_undo_all(e);
        if (n_failed > 0)
                log_error(0, "%u of %zu changes could not be undone, they stay in the ledger", n_failed, n);
        return n_failed;
}

static int open_executor(Machine *m, int runtime_fd, Executor **ret) {
        int status = machine_open_root(m);
        if (status == EX_OK)
                status = machine_start_sampler(m);
        if (status != EX_OK)
                return status;
        return actor_new(m->root_fd, m->sampler, runtime_fd, ret) < 0 ? EXIT_FAILURE : EX_OK;
}

static bool ledger_is_empty(int runtime_fd) {
        _cleanup_(ledger_freep) Ledger *ledger = NULL;
        return runtime_ledger(runtime_fd, &ledger) >= 0 && ledger_size(ledger) == 0;
}

int restore_run(void) {
        _cleanup_machine_ Machine m = MACHINE_INIT;
        _cleanup_(executor_freep) Executor *e = NULL;
        const char *why;

        if (geteuid() != 0) {
                log_error(0, "--restore needs root");
                return EX_NOPERM;
        }
        _cleanup_close_ int runtime_fd = runtime_open(false);
        if (runtime_fd == -ENOENT)
                return EX_OK;
        if (runtime_fd == -EBUSY) {
                log_error(0, "placerd is running: 'placerctl undo --all' undoes what it changed");
                return EXIT_FAILURE;
        }
        if (runtime_fd < 0) {
                log_error(runtime_fd, "Can't open the runtime directory: %m");
                return EXIT_FAILURE;
        }
        if (ledger_is_empty(runtime_fd))
                return EX_OK;

        if (fate_ask(&why) == FATE_KEEP) {
                log_info("Changes stay: %s", why);
                return EX_OK;
        }
        int status = open_executor(&m, runtime_fd, &e);
        if (status != EX_OK)
                return status;
        return restore_everything(e, why) == 0 ? EX_OK : EXIT_FAILURE;
}
