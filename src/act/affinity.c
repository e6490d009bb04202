/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Threads' own affinities, and what cpusets do to them. From 6.2 on the kernel keeps the mask that a task asked for
 * (task_struct.user_cpus_ptr) and applies it again when the cpuset allows; before, each write to a cpuset replaces the
 * masks of all threads in it by the effective set, for good. decide/ refuses what would destroy something; here it is
 * looked at nevertheless, before and after, since an affinity that somebody chose with care is easily lost and hard to
 * find again. A thread is a tid with its start time, so a successor under the same number is never touched. */

#include "act/affinity.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>

#include "act/cgroup-files.h"
#include "base/array.h"
#include "base/cleanup.h"

/* systemd nests a handful of levels, containers some more. */
#define WALK_DEPTH_MAX 32

typedef struct Walk {
        const ActReader *reader;
        const char *skip; /* this subtree is left out */
        bool narrow_only; /* collect only threads with an affinity of their own */
        ThreadMask *masks;
        size_t n_masks, allocated;
        size_t n_narrow;
        Cpuset **cpus; /* non-empty cpuset.cpus below the top */
        size_t n_cpus, allocated_cpus;
} Walk;

static void walk_done(Walk *w) {
        thread_masks_free(w->masks, w->n_masks);
        for (size_t i = 0; i < w->n_cpus; i++)
                cpuset_free(w->cpus[i]);
        free(w->cpus);
}

/* A mask may name CPUs beyond the effective set (offline ones): narrower is what lacks one of the set's. */
static bool is_narrow(const Cpuset *mask, const Cpuset *effective) {
        return effective && !cpuset_subset(effective, mask);
}

static int walk_threads(Walk *w, const char *path, const Cpuset *effective) {
        ThreadMask *masks = NULL;
        size_t n = 0;

        int r = w->reader->masks(w->reader->userdata, path, false, &masks, &n);
        if (r < 0)
                return r;
        r = ARRAY_RESERVE(w->masks, w->allocated, w->n_masks + n);
        for (size_t i = 0; i < n; i++) {
                bool narrow = is_narrow(masks[i].cpus, effective);
                w->n_narrow += narrow;
                if (r < 0 || (w->narrow_only && !narrow)) {
                        cpuset_free(masks[i].cpus);
                        continue;
                }
                w->masks[w->n_masks++] = masks[i];
        }
        free(masks);
        return r;
}

static int walk_note_cpus(Walk *w, const char *path) {
        _cleanup_cpuset_ Cpuset *cpus = NULL;

        int r = cgroup_file_cpus(w->reader, path, "cpuset.cpus", &cpus);
        if (r == -ENOENT || (r == 0 && cpuset_empty(cpus)))
                return 0;
        if (r == 0)
                r = ARRAY_RESERVE(w->cpus, w->allocated_cpus, w->n_cpus + 1);
        if (r == 0)
                w->cpus[w->n_cpus++] = TAKE_PTR(cpus);
        return r;
}

/* A cgroup that vanishes while we walk has nothing to say. */
static int walk(Walk *w, const char *path, const Cpuset *inherited, unsigned depth) {
        _cleanup_cpuset_ Cpuset *own = NULL;
        char **children = NULL;
        size_t n = 0;

        if (depth > WALK_DEPTH_MAX || (w->skip && streq(path, w->skip)))
                return 0;
        int r = cgroup_file_cpus(w->reader, path, "cpuset.cpus.effective", &own);
        if (r < 0 && r != -ENOENT)
                return r;
        const Cpuset *effective = own && !cpuset_empty(own) ? own : inherited;
        r = depth > 0 ? walk_note_cpus(w, path) : 0;
        if (r == 0)
                r = walk_threads(w, path, effective);
        if (r == 0)
                r = cgroup_file_children(w->reader, path, &children, &n);
        for (size_t i = 0; i < n && r == 0; i++)
                r = walk(w, children[i], effective, depth + 1);
        names_free(children, n);
        return r == -ENOENT ? 0 : r;
}

static int walk_from(Walk *w, const char *path) {
        _cleanup_cpuset_ Cpuset *effective = NULL;

        if (!w->reader->masks)
                return 0;
        int r = cgroup_file_effective(w->reader, path, &effective);
        if (r < 0 && r != -ENODATA)
                return r;
        return walk(w, path, effective, 0);
}

/* Threads with an affinity of their own in the cgroups beside `path` and below those. */
static int walk_siblings(Walk *w, const char *path) {
        _cleanup_free_ char *parent = cgroup_path_parent(path);

        if (!parent)
                return -ENOMEM;
        w->skip = path;
        w->narrow_only = true;
        /* The root has no cgroup beside it. */
        return streq(path, "/") ? 0 : walk_from(w, parent);
}

int affinity_inspect(const ActReader *reader, const char *path, Facts *facts) {
        _cleanup_(walk_done) Walk own = {.reader = reader}, siblings = {.reader = reader};

        int r = walk_from(&own, path);
        if (r == 0)
                r = walk_siblings(&siblings, path);
        if (r < 0)
                return r;
        facts->masks = TAKE_PTR(own.masks);
        facts->n_masks = own.n_masks;
        facts->n_masks_own = own.n_narrow;
        facts->n_sibling_masks_own = siblings.n_narrow;
        facts->descendant_cpus = TAKE_PTR(own.cpus);
        facts->n_descendant_cpus = own.n_cpus;
        own.n_masks = own.n_cpus = 0;
        return 0;
}

int affinity_note(const ActReader *reader, Change *change) {
        _cleanup_(walk_done) Walk w = {.reader = reader};

        int r = walk_from(&w, change->target);
        if (r == 0)
                r = walk_siblings(&w, change->target);
        if (r < 0)
                return r;
        change->masks = TAKE_PTR(w.masks);
        change->n_masks = w.n_masks;
        w.n_masks = 0;
        return 0;
}

/* Threads as they are now, sorted for look-up. */
typedef struct Current {
        ThreadMask *masks;
        size_t n;
} Current;

static void current_done(Current *c) {
        thread_masks_free(c->masks, c->n);
}

static int thread_compare(const void *a, const void *b) {
        const ThreadMask *x = a, *y = b;

        if (x->tid != y->tid)
                return x->tid < y->tid ? -1 : 1;
        return x->start_ticks < y->start_ticks ? -1 : x->start_ticks > y->start_ticks;
}

static int current_read(const ActReader *reader, const char *path, Current *ret) {
        Current c = {};

        int r = reader->masks(reader->userdata, path, true, &c.masks, &c.n);
        if (r < 0)
                return r == -ENOENT ? 0 : r;
        if (c.n > 0)
                qsort(c.masks, c.n, sizeof(*c.masks), thread_compare);
        *ret = c;
        return 0;
}

static const ThreadMask *current_find(const Current *c, const ThreadMask *thread) {
        return c->n > 0 ? bsearch(thread, c->masks, c->n, sizeof(*c->masks), thread_compare) : NULL;
}

/* The target's threads, and where some noted ones are not among these, all of the parent's. */
static int current_read_both(const ActReader *reader, const Change *change, Current *ret_own, Current *ret_around) {
        int r = current_read(reader, change->target, ret_own);
        if (r < 0)
                return r;
        for (size_t i = 0; i < change->n_masks; i++) {
                if (current_find(ret_own, &change->masks[i]))
                        continue;
                _cleanup_free_ char *parent = cgroup_path_parent(change->target);
                return parent ? current_read(reader, parent, ret_around) : -ENOMEM;
        }
        return 0;
}

/* Are both the same, as far as CPUs of `within` go? *ret_same; -ENOMEM. */
static int same_within(const Cpuset *a, const Cpuset *b, const Cpuset *within, bool *ret_same) {
        _cleanup_cpuset_ Cpuset *x = cpuset_copy(a), *y = cpuset_copy(b);

        if (!x || !y || cpuset_and(x, within) < 0 || cpuset_and(y, within) < 0)
                return -ENOMEM;
        *ret_same = cpuset_equal(x, y);
        return 0;
}

static int say(char **ret, const ThreadMask *now, const char *what, const Cpuset *before) {
        _cleanup_free_ char *is = cpuset_format_list(now->cpus), *was = cpuset_format_list(before);

        if (!is || !was ||
            asprintf(ret, "affinity of thread %d%s reads %s in place of %s", (int) now->tid, what, is, was) < 0)
                return -ENOMEM;
        return -ENODATA;
}

/* What a thread had of the new CPUs it must still have, and no more; one that had none of them (its own mask lies
 * outside) runs on all of them while the pin lasts. */
static int compare_own(const ThreadMask *before, const ThreadMask *now, const Cpuset *cpus, char **ret_why) {
        bool same = true;

        if (!cpuset_subset(now->cpus, cpus))
                return say(ret_why, now, "", cpus);
        if (!cpuset_intersects(before->cpus, cpus))
                return 0;
        int r = same_within(before->cpus, now->cpus, cpus, &same);
        if (r < 0)
                return r;
        return same ? 0 : say(ret_why, now, "", before->cpus);
}

int affinity_compare(const ActReader *reader, const Change *change, const Cpuset *cpus, char **ret_why) {
        _cleanup_(current_done) Current own = {}, around = {};

        if (!reader->masks)
                return 0;
        int r = current_read_both(reader, change, &own, &around);
        for (size_t i = 0; i < change->n_masks && r == 0; i++) {
                const ThreadMask *before = &change->masks[i], *now = current_find(&own, before);
                if (now)
                        r = compare_own(before, now, cpus, ret_why);
                else if ((now = current_find(&around, before)) && !cpuset_equal(before->cpus, now->cpus))
                        r = say(ret_why, now, " (of another unit)", before->cpus);
        }
        for (size_t i = 0; i < own.n && r == 0; i++)
                if (!cpuset_subset(own.masks[i].cpus, cpus))
                        r = say(ret_why, &own.masks[i], " (new)", cpus);
        return r;
}

static int set_affinity(pid_t tid, const Cpuset *cpus) {
        cpu_set_t *set = CPU_ALLOC(CPUSET_CPU_MAX + 1);
        size_t size = CPU_ALLOC_SIZE(CPUSET_CPU_MAX + 1);

        if (!set)
                return -ENOMEM;
        CPU_ZERO_S(size, set);
        CPUSET_FOREACH (cpu, cpus)
                CPU_SET_S((size_t) cpu, size, set);
        int r = sched_setaffinity(tid, size, set) < 0 ? -errno : 0;
        CPU_FREE(set);
        return r;
}

/* One thread after the undo. *ret_left: it is not as before, and that is ours to say. */
static int restore_thread(const Cpuset *to, const ThreadMask *before, const ThreadMask *now, const Cpuset *effective,
                          bool write, bool *ret_left) {
        bool same;

        int r = same_within(before->cpus, now->cpus, effective, &same);
        if (r < 0 || same)
                return r;
        bool widened = cpuset_subset(before->cpus, now->cpus), stuck = cpuset_equal(now->cpus, to);
        if (!widened && !stuck)
                return 0;
        r = write ? set_affinity(now->tid, before->cpus) : -EPERM;
        *ret_left = r < 0 && r != -ESRCH;
        return r == -ENOMEM ? r : 0;
}

static int restore_all(const Change *change, const Current *own, const Current *around, const Cpuset *effective,
                       bool write, char **ret_residue) {
        _cleanup_cpuset_ Cpuset *to = NULL;
        const ThreadMask *first = NULL, *first_before = NULL;
        size_t n_left = 0;

        int r = cpuset_parse_list(change->to, strlen(change->to), &to);
        for (size_t i = 0; i < change->n_masks && r == 0; i++) {
                const ThreadMask *before = &change->masks[i], *now = current_find(own, before);
                bool left = false;
                if (!now)
                        now = current_find(around, before);
                if (now)
                        r = restore_thread(to, before, now, effective, write, &left);
                if (left && n_left++ == 0) {
                        first = now;
                        first_before = before;
                }
        }
        if (r < 0 || n_left == 0)
                return r;
        _cleanup_free_ char *text = NULL;
        r = say(&text, first, "", first_before->cpus);
        if (r == -ENOMEM)
                return r;
        if (n_left == 1)
                *ret_residue = TAKE_PTR(text);
        else if (asprintf(ret_residue, "%s, and so for %zu more", text, n_left - 1) < 0)
                return -ENOMEM;
        return 0;
}

int affinity_restore(const ActReader *reader, const Change *change, bool write, char **ret_residue) {
        _cleanup_(current_done) Current own = {}, around = {};
        _cleanup_cpuset_ Cpuset *effective = NULL;

        if (!reader->masks || change->n_masks == 0)
                return 0;
        /* The parent's: the CPUs that both the target and its siblings may have at all. */
        int r = cgroup_file_parent_effective(reader, change->target, &effective);
        if (r < 0)
                return r == -ENODATA ? 0 : r;
        r = current_read_both(reader, change, &own, &around);
        if (r < 0)
                return r;
        return restore_all(change, &own, &around, effective, write, ret_residue);
}
