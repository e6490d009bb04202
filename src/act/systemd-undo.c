/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Undoing a property. Where it was AllowedCPUs, and unset, that is not simple: the property empties, but kernels up to
 * 6.12 (and some after it) refuse to empty cpuset.cpus of a populated cgroup (ENOSPC, which systemd only logs), so that
 * the threads would stay pinned under a property that reads as unset. Therefore the parent's full effective set is set
 * first, and then the property emptied: where the kernel refuses, the full set is what stays in the file, until the
 * unit ends, or until nobody in the slice needs the cpuset controller and systemd switches it off.
 *
 * The order matters also where nobody else needs the controller: it goes off with the emptied property, and threads
 * whose cpuset was narrow at that moment keep that mask, with no file left to say so (seen on 6.12). Where somebody
 * else emptied the property, affinity_restore() finds them, stuck at exactly our set.
 *
 * Values that count as ours: what we set; of a ramp that was killed in mid-step, what we set before; what was there
 * before (an undo that somebody, or a killed predecessor, half did); and in a resumed undo the full set in between. */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "act/drop-ins.h"
#include "act/effect.h"
#include "act/setting.h"
#include "act/systemd-backend.h"
#include "base/array.h"
#include "base/cleanup.h"
#include "io/log.h"

void systemd_leavings_clear(SystemdBackend *s) {
        for (size_t i = 0; i < s->n_leavings; i++) {
                free(s->leavings[i].unit);
                free(s->leavings[i].leftover);
        }
        s->n_leavings = 0;
}

/* The clean-up that flush() does. A drop-in that was there before is somebody's, and stays. */
static int leave_later(SystemdBackend *s, const Change *change, const char *leftover) {
        if (change->drop_in_existed)
                return 0;
        int r = ARRAY_RESERVE(s->leavings, s->allocated, s->n_leavings + 1);
        if (r < 0)
                return r;
        Leaving l = {
                .unit = strdup(change->unit),
                .arm = change->arm,
                .leftover = strdup(leftover ?: ""),
                .made_dir = !change->drop_in_dir_existed,
                .made_place = !change->drop_in_place_existed,
        };
        if (!l.unit || !l.leftover) {
                free(l.unit);
                free(l.leftover);
                return -ENOMEM;
        }
        s->leavings[s->n_leavings++] = l;
        return 0;
}

/* What we set, where it is left behind under a value that overrules it or by a unit that is gone: it would come back.
 */
static int leave_ours_later(SystemdBackend *s, const Change *change) {
        int r = leave_later(s, change, change->to);
        return r == 0 && change->former ? leave_later(s, change, change->former) : r;
}

/* Is what we set still in the cgroup's file, so that it has to be widened before the property is unset? */
static int kept_by_file(const SystemdBackend *s, const SystemdUnit *unit, const Change *change, const char *whole,
                        bool *ret) {
        *ret = false;
        if (!unit->cgroup[0] || !whole || !setting_equal(change->from, ""))
                return 0;
        _cleanup_free_ char *file = NULL;
        int r = setting_of_file(&s->reader, unit->cgroup, change->arm, &file);
        if (r < 0)
                return r == -ENOENT ? 0 : r;
        *ret = setting_equal(file, change->to) && !setting_equal(file, whole);
        return 0;
}

static int put_back_property(SystemdBackend *s, sd_bus *bus, const Change *change, const SystemdUnit *unit,
                             const char *whole) {
        _cleanup_free_ char *why = NULL;
        bool widen;

        int r = kept_by_file(s, unit, change, whole, &widen);
        if (r == 0 && widen)
                r = systemd_property_set(bus, change->unit, change->arm, whole, &why);
        if (r == 0 && widen)
                /* So that the manager has written it before the next value comes. */
                r = systemd_read_back(bus, change, whole);
        if (r == 0 && (widen || !setting_equal(unit->values[change->arm], change->from)))
                r = systemd_property_set(bus, change->unit, change->arm, change->from ?: "", &why);
        return r == 0 ? systemd_read_back(bus, change, change->from) : r;
}

/* Setting a property of a unit that is off makes the manager put up its cgroup, and leave it there. With the drop-in
 * gone the reload forgets what we set as well. */
static bool goes_with_drop_in(const Change *change, const SystemdUnit *unit) {
        return !unit->cgroup[0] && setting_equal(change->from, "") && !change->drop_in_existed &&
               !setting_equal(unit->values[change->arm], "");
}

static int undo_inactive(SystemdBackend *s, const Change *change, const char *whole) {
        int r = leave_ours_later(s, change);
        if (r == 0 && whole) /* of an undo that was begun while it was on */
                r = leave_later(s, change, whole);
        s->reload_due = true;
        return r;
}

static int undo_loaded(SystemdBackend *s, sd_bus *bus, const Change *change, const SystemdUnit *unit, bool resumed,
                       char **ret_residue) {
        const char *value = unit->values[change->arm];
        _cleanup_free_ char *whole = NULL;

        int r = effect_whole(&s->reader, change->target, change->arm, &whole);
        if (r < 0)
                return r;
        if (!effect_is_ours(change, value) && !(resumed && whole && setting_equal(value, whole))) {
                r = leave_ours_later(s, change);
                return r < 0 ? r : -ESTALE;
        }
        if (goes_with_drop_in(change, unit))
                return undo_inactive(s, change, whole);
        r = put_back_property(s, bus, change, unit, whole);
        if (r == 0)
                r = leave_later(s, change, change->from);
        return r == 0 ? effect_residue(&s->reader, change, true, ret_residue) : r;
}

/* The unit has no file (any more): a transient one took its drop-ins along, another may have left ours behind. */
static int undo_gone(SystemdBackend *s, const Change *change) {
        int r = leave_ours_later(s, change);
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
                int k = drop_in_clean(s->root_fd, l->unit, l->arm, l->leftover, l->made_dir, &removed);
                if (k < 0)
                        r = log_warning(k, "Can't remove the drop-in for %s of %s: %m", arm_property(l->arm), l->unit);
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
        return effect_residue(&((SystemdBackend *) b)->reader, change, false, ret_residue);
}
