/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A sorted array of targets: their number changes rarely, they are looked up each tick. */

#include "pipeline/target.h"

#include <errno.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "decide/memory.h"
#include "model/unit-name.h"

static Target *target_free(Target *t) {
        if (!t)
                return NULL;
        free(t->path);
        free(t->unit);
        free(t->key);
        free(t->others_milli);
        history_done(&t->history);
        plan_done(&t->plan);
        cpuset_free(t->own_allowed);
        free(t);
        return NULL;
}
DEFINE_CLEANUP_FUNC(Target *, target_free);

void targets_done(Targets *t) {
        for (size_t i = 0; i < t->n; i++)
                target_free(t->items[i]);
        free(t->items);
        *t = (Targets){};
}

/* Where the path stands, or would stand. */
static size_t position(const Targets *t, const char *path, bool *ret_found) {
        size_t low = 0, high = t->n;
        while (low < high) {
                size_t mid = low + (high - low) / 2;
                if (path_compare(t->items[mid]->path, path) < 0)
                        low = mid + 1;
                else
                        high = mid;
        }
        *ret_found = low < t->n && streq(t->items[low]->path, path);
        return low;
}

Target *targets_find(const Targets *t, const char *path) {
        bool found;
        size_t i = position(t, path, &found);
        return found ? t->items[i] : NULL;
}

static int target_new(const char *path, Target **ret) {
        _cleanup_(target_freep) Target *t = calloc(1, sizeof(*t));
        bool exact;
        if (!t)
                return -ENOMEM;
        t->path = strdup(path);
        if (!t->path)
                return -ENOMEM;
        int r = unit_name_from_path(path, &t->unit, &exact);
        if (r < 0)
                return r;
        /* Two cgroups below one unit are not one target. */
        t->key = memory_key(t->unit && exact ? t->unit : path);
        if (!t->key)
                return -ENOMEM;
        t->cgroup = CGROUP_NONE;
        *ret = TAKE_PTR(t);
        return 0;
}

int targets_get(Targets *t, const char *path, Target **ret) {
        bool found;
        size_t i = position(t, path, &found);
        if (!found) {
                Target *fresh;
                int r = ARRAY_RESERVE(t->items, t->allocated, t->n + 1);
                if (r >= 0)
                        r = target_new(path, &fresh);
                if (r < 0)
                        return r;
                memmove(t->items + i + 1, t->items + i, (t->n - i) * sizeof(*t->items));
                t->items[i] = fresh;
                t->n++;
        }
        *ret = t->items[i];
        return 0;
}

void targets_remove(Targets *t, size_t i) {
        target_free(t->items[i]);
        t->n--;
        memmove(t->items + i, t->items + i + 1, (t->n - i) * sizeof(*t->items));
}

void target_restart(Target *t, uint64_t id) {
        t->id = id;
        t->judged = false;
        t->diagnosis = (Diagnosis){};
        history_clear(&t->history);
}

bool target_may_act(const Target *t) {
        return t->policy->name && t->policy->mode == MODE_ACT;
}
