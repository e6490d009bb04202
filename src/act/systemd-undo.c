/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Undoing AllowedCPUs. Where it was unset that is not simple: the property empties, but kernels up to 6.12 (and some
 * after it) refuse to empty cpuset.cpus of a populated cgroup (ENOSPC, which systemd only logs), so that the threads
 * would stay pinned under a property that reads as unset. Therefore the parent's full effective set is set first, and
 * then the property emptied: where the kernel refuses, the full set is what stays in the file, until the unit ends, or
 * until nobody in the slice needs the cpuset controller and systemd switches it off.
 *
 * The order matters also where nobody else needs the controller: it goes off with the emptied property, and threads
 * whose cpuset was narrow at that moment keep that mask, with no file left to say so (seen on 6.12). Where somebody
 * else emptied the property, affinity_restore() finds them, stuck at exactly our set.
 *
 * Values that count as ours: what we set; what was there before (an undo that somebody, or a killed predecessor, half
 * did); and in a resumed undo the full set in between. */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "act/affinity.h"
#include "act/cgroup-files.h"
#include "act/drop-ins.h"
#include "act/systemd-backend.h"
#include "base/array.h"
#include "base/cleanup.h"
#include "io/log.h"

void systemd_leavings_clear(SystemdBackend *s) {
        for (size_t i = 0; i < s->n_leavings; i++) {
                free(s->leavings[i].unit);
                cpuset_free(s->leavings[i].leftover);
        }
        s->n_leavings = 0;
}

/* The sets that an undo has to do with. */
typedef struct UndoSets {
        Cpuset *from, *to;
        Cpuset *whole; /* the parent's effective set; NULL where there is none */
} UndoSets;

static void undo_sets_done(UndoSets *u) {
        cpuset_free(u->from);
        cpuset_free(u->to);
        cpuset_free(u->whole);
}

static int undo_sets_fill(const SystemdBackend *s, const Change *change, UndoSets *u) {
        int r = ledger_cpus_parse(change->from, &u->from);
        if (r == 0)
                r = ledger_cpus_parse(change->to, &u->to);
        if (r == 0)
                r = cgroup_file_parent_effective(&s->reader, change->target, &u->whole);
        return r == -ENODATA ? 0 : r;
}

static bool is_ours(const SystemdUnit *unit, const UndoSets *sets, bool resumed) {
        return cpuset_equal(unit->cpus, sets->to) || cpuset_equal(unit->cpus, sets->from) ||
               (resumed && sets->whole && cpuset_equal(unit->cpus, sets->whole));
}

/* The clean-up that flush() does. A drop-in that was there before is somebody's, and stays. */
static int leave_later(SystemdBackend *s, const Change *change, const Cpuset *leftover) {
        if (change->drop_in_existed)
                return 0;
        int r = ARRAY_RESERVE(s->leavings, s->allocated, s->n_leavings + 1);
        if (r < 0)
                return r;
        Leaving l = {
                .unit = strdup(change->unit),
                .property = arm_property(change->arm),
                .leftover = cpuset_copy(leftover),
                .made_dir = !change->drop_in_dir_existed,
                .made_place = !change->drop_in_place_existed,
        };
        if (!l.unit || !l.leftover) {
                free(l.unit);
                cpuset_free(l.leftover);
                return -ENOMEM;
        }
        s->leavings[s->n_leavings++] = l;
        return 0;
}

/* Is our set still in the cgroup's file, so that it has to be widened before the property is unset? */
static int pinned_by_file(const SystemdBackend *s, const SystemdUnit *unit, const UndoSets *sets, bool *ret) {
        _cleanup_cpuset_ Cpuset *file = NULL;

        *ret = false;
        if (!unit->cgroup[0] || !sets->whole)
                return 0;
        int r = cgroup_file_cpus(&s->reader, unit->cgroup, "cpuset.cpus", &file);
        if (r < 0)
                return r == -ENOENT ? 0 : r;
        *ret = cpuset_equal(file, sets->to) && !cpuset_equal(file, sets->whole);
        return 0;
}

static int put_back_property(SystemdBackend *s, sd_bus *bus, const char *name, const SystemdUnit *unit,
                             const UndoSets *sets) {
        _cleanup_free_ char *why = NULL;
        bool widen = false;
        int r = 0;

        if (cpuset_empty(sets->from))
                r = pinned_by_file(s, unit, sets, &widen);
        if (r == 0 && widen)
                r = systemd_set_allowed_cpus(bus, name, sets->whole, &why);
        if (r == 0 && widen)
                /* So that the manager has written it before the next value comes. */
                r = systemd_read_back(bus, name, sets->whole);
        if (r == 0 && (widen || !cpuset_equal(unit->cpus, sets->from)))
                r = systemd_set_allowed_cpus(bus, name, sets->from, &why);
        if (r == 0)
                r = systemd_read_back(bus, name, sets->from);
        return r;
}

/* What cpuset.cpus holds because of us, though it did not before: also in a new cgroup, where the unit was restarted
 * with the property still set. A file that holds something else is somebody's. */
static int file_residue(const SystemdBackend *s, const Change *change, char **ret) {
        _cleanup_cpuset_ Cpuset *file = NULL, *before = NULL, *whole = NULL, *effective = NULL, *to = NULL;

        int r = cgroup_file_cpus(&s->reader, change->target, "cpuset.cpus", &file);
        if (r < 0 || cpuset_empty(file))
                return r;
        r = ledger_cpus_parse(change->file_from, &before);
        if (r == 0)
                r = ledger_cpus_parse(change->effective_from, &effective);
        if (r == 0)
                r = ledger_cpus_parse(change->to, &to);
        if (r == 0)
                r = cgroup_file_parent_effective(&s->reader, change->target, &whole);
        if (r < 0)
                return r == -ENODATA ? 0 : r;
        if (cpuset_equal(file, before) ||
            !(cpuset_equal(file, whole) || cpuset_equal(file, effective) || cpuset_equal(file, to)))
                return 0;
        _cleanup_free_ char *is = cpuset_format_list(file);
        if (!is || asprintf(ret, "cpuset.cpus of %s stays %s until it ends or the cpuset controller goes off",
                            change->target, is) < 0)
                return -ENOMEM;
        return 0;
}

static int residue(const SystemdBackend *s, const Change *change, bool write, char **ret_residue) {
        _cleanup_free_ char *file = NULL, *threads = NULL;

        int r = file_residue(s, change, &file);
        if (r < 0 && r != -ENOENT)
                return r;
        /* Just looking, later: the threads are of interest only when the file is settled. */
        if (write || !file)
                r = affinity_restore(&s->reader, change, write, &threads);
        if (r < 0 && r != -ENOENT)
                return r;
        if (file && threads) {
                if (asprintf(ret_residue, "%s; %s", file, threads) < 0)
                        return -ENOMEM;
        } else
                *ret_residue = TAKE_PTR(file) ?: TAKE_PTR(threads);
        return 0;
}

static int undo_loaded(SystemdBackend *s, sd_bus *bus, const Change *change, const SystemdUnit *unit, bool resumed,
                       char **ret_residue) {
        _cleanup_(undo_sets_done) UndoSets sets = {};

        int r = undo_sets_fill(s, change, &sets);
        if (r < 0)
                return r;
        if (!is_ours(unit, &sets, resumed)) {
                /* Ours may be left below a value that overrules it, and come back when that goes. */
                r = leave_later(s, change, sets.to);
                return r < 0 ? r : -ESTALE;
        }
        r = put_back_property(s, bus, change->unit, unit, &sets);
        if (r == 0)
                r = leave_later(s, change, sets.from);
        return r == 0 ? residue(s, change, true, ret_residue) : r;
}

/* The unit has no file (any more): a transient one took its drop-ins along, another may have left ours behind. */
static int undo_gone(SystemdBackend *s, const Change *change) {
        _cleanup_cpuset_ Cpuset *to = NULL;

        int r = ledger_cpus_parse(change->to, &to);
        if (r == 0)
                r = leave_later(s, change, to);
        return r < 0 ? r : -ENOENT;
}

int systemd_undo(Backend *b, const Change *change, bool resumed, char **ret_residue) {
        SystemdBackend *s = (SystemdBackend *) b;
        _cleanup_unit_ SystemdUnit unit = {};
        sd_bus *bus;

        *ret_residue = NULL;
        int r = systemd_backend_bus(s, &bus);
        if (r < 0)
                return r;
        r = systemd_unit_read(bus, change->unit, &unit);
        if (r == -ENOENT || (r == 0 && !streq(unit.load_state, "loaded")))
                return undo_gone(s, change);
        return r < 0 ? r : undo_loaded(s, bus, change, &unit, resumed, ret_residue);
}

/* Removes the drop-ins of the batch, then their place: only after the last of them it is empty. */
static int leave(SystemdBackend *s) {
        bool made_place = false;
        int r = 0;

        for (size_t i = 0; i < s->n_leavings; i++) {
                const Leaving *l = &s->leavings[i];
                bool removed;
                int k = drop_in_clean(s->root_fd, l->unit, l->property, l->leftover, l->made_dir, &removed);
                if (k < 0)
                        r = log_warning(k, "Can't remove the drop-in for %s of %s: %m", l->property, l->unit);
                s->reload_due |= removed;
                made_place |= l->made_place;
        }
        systemd_leavings_clear(s);
        int k = made_place ? drop_in_clean_place(s->root_fd) : 0;
        if (k < 0)
                r = log_warning(k, "Can't remove the folder of the drop-ins: %m");
        return r;
}

int systemd_flush(Backend *b) {
        SystemdBackend *s = (SystemdBackend *) b;
        sd_bus *bus;

        int r = leave(s);
        if (!s->reload_due)
                return r;
        int k = systemd_backend_bus(s, &bus);
        if (k == 0)
                k = systemd_reload(bus);
        if (k < 0)
                return log_warning(k, "The system manager did not reload: %m");
        s->reload_due = false;
        return r;
}

int systemd_residue(Backend *b, const Change *change, char **ret_residue) {
        *ret_residue = NULL;
        return residue((SystemdBackend *) b, change, false, ret_residue);
}
