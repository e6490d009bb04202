/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Affinities over a small tree of cgroup files, with threads from a table. The dry backend reads the same. */

#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "act/affinity.h"
#include "act/backend.h"
#include "act/cgroup-files.h"
#include "base/cleanup.h"
#include "io/file.h"

#define SVC "/system.slice/svc.service"

typedef struct Thread {
        const char *path;
        int tid;
        uint64_t start;
        const char *cpus;
} Thread;

typedef struct Fixture {
        char path[64];
        int fd;
        const Thread *threads; /* ends with a NULL path */
        ActReader reader;
} Fixture;

static Cpuset *cpus(const char *list) {
        Cpuset *set = NULL;
        assert_int_equal(cpuset_parse_list(list, strlen(list), &set), 0);
        return set;
}

static int reader_fd(void *userdata) {
        return ((Fixture *) userdata)->fd;
}

static int reader_masks(void *userdata, const char *path, bool deep, ThreadMask **ret, size_t *ret_n) {
        const Fixture *f = userdata;
        ThreadMask *masks = calloc(32, sizeof(*masks));
        size_t n = 0, len = streq(path, "/") ? 0 : strlen(path);

        for (const Thread *t = f->threads; t->path; t++) {
                bool below = strncmp(t->path, path, len) == 0 && t->path[len] == '/';
                if (!streq(t->path, path) && !(deep && below))
                        continue;
                masks[n++] = (ThreadMask){.pid = t->tid, .tid = t->tid, .start_ticks = t->start, .cpus = cpus(t->cpus)};
        }
        *ret = masks;
        *ret_n = n;
        return 0;
}

static void cgroup(const Fixture *f, const char *path, const char *cpus_file, const char *effective) {
        assert_true(mkdirat(f->fd, path, 0755) == 0 || errno == EEXIST);
        _cleanup_close_ int fd = dir_open(f->fd, path);
        if (cpus_file)
                assert_int_equal(file_replace(fd, "cpuset.cpus", cpus_file, strlen(cpus_file)), 0);
        if (effective)
                assert_int_equal(file_replace(fd, "cpuset.cpus.effective", effective, strlen(effective)), 0);
}

static int set_up(void **state) {
        static const Thread none[] = {{}};
        Fixture *f = calloc(1, sizeof(*f));
        strcpy(f->path, "/tmp/unit-affinity.XXXXXX");
        assert_non_null(mkdtemp(f->path));
        f->fd = dir_open(AT_FDCWD, f->path);
        f->threads = none;
        f->reader = (ActReader){.cgroup_fd = reader_fd, .masks = reader_masks, .userdata = f};
        cgroup(f, ".", NULL, "0-7\n");
        cgroup(f, "system.slice", "\n", "0-7\n");
        cgroup(f, "system.slice/svc.service", "\n", "0-7\n");
        cgroup(f, "system.slice/svc.service/inner", "4-5\n", "4-5\n");
        cgroup(f, "system.slice/pinned.service", "0-1\n", "0-1\n");
        cgroup(f, "system.slice/plain.service", NULL, NULL);
        cgroup(f, "user.slice", NULL, NULL);
        *state = f;
        return 0;
}

static int tear_down(void **state) {
        Fixture *f = *state;
        _cleanup_free_ char *command = NULL;
        closep(&f->fd);
        assert_true(asprintf(&command, "rm -rf '%s'", f->path) > 0);
        assert_int_equal(system(command), 0);
        free(f);
        return 0;
}

static const Thread busy[] = {
        {SVC, 10, 1, "0-7"},
        {SVC, 11, 1, "3"},     /* an affinity of its own */
        {SVC, 12, 1, "0-127"}, /* possible CPUs beyond the set: nothing of its own */
        {SVC "/inner", 13, 1, "4-5"},
        {"/system.slice/pinned.service", 20, 1, "0-1"}, /* that is its cpuset */
        {"/system.slice/plain.service", 21, 1, "0-7"},
        {"/system.slice/plain.service", 22, 1, "6"},
        {"/user.slice", 30, 1, "2"}, /* no sibling */
        {},
};

static void test_inspect(void **state) {
        Fixture *f = *state;
        _cleanup_facts_ Facts facts = {};

        f->threads = busy;
        assert_int_equal(affinity_inspect(&f->reader, SVC, &facts), 0);
        assert_int_equal(facts.n_masks, 4);
        assert_int_equal(facts.n_masks_own, 1);
        assert_int_equal(facts.n_sibling_masks_own, 1);
        assert_int_equal(facts.n_descendant_cpus, 1);
        _cleanup_free_ char *list = cpuset_format_list(facts.descendant_cpus[0]);
        assert_string_equal(list, "4-5");
}

static void test_nothing_known_without_masks(void **state) {
        Fixture *f = *state;
        _cleanup_facts_ Facts facts = {};

        f->reader.masks = NULL;
        assert_int_equal(affinity_inspect(&f->reader, SVC, &facts), 0);
        assert_int_equal(facts.n_masks, 0);
}

static Change noted(Fixture *f) {
        Change c = {.arm = ARM_PIN, .target = strdup(SVC), .to = strdup("0-3")};
        assert_int_equal(affinity_note(&f->reader, &c), 0);
        return c;
}

static void test_note_keeps_what_can_be_lost(void **state) {
        Fixture *f = *state;
        unsigned seen = 0;

        f->threads = busy;
        _cleanup_(change_done) Change c = noted(f);
        for (size_t i = 0; i < c.n_masks; i++)
                seen |= 1U << (c.masks[i].tid - 10);
        assert_int_equal(c.n_masks, 5);
        assert_int_equal(seen, 0xfU | 1U << 12);
}

/* Before: thread 10 anywhere, 11 on its own CPU 3, a sibling's 22 on 6. */
static const Thread before[] = {
        {SVC, 10, 1, "0-7"},
        {SVC, 11, 1, "3"},
        {"/system.slice/plain.service", 22, 1, "6"},
        {},
};

static void test_compare(void **state) {
        Fixture *f = *state;
        _cleanup_cpuset_ Cpuset *to = cpus("0-3");
        static const struct {
                const char *what;
                Thread threads[4];
                const char *why; /* NULL: as it should be */
        } cases[] = {
                {"all inside",
                 {{SVC, 10, 1, "0-3"}, {SVC, 11, 1, "3"}, {"/system.slice/plain.service", 22, 1, "6"}},
                 NULL},
                {"one has ended, its number is new", {{SVC, 10, 1, "0-3"}, {SVC, 11, 2, "0-3"}}, NULL},
                {"not moved",
                 {{SVC, 10, 1, "0-7"}, {SVC, 11, 1, "3"}},
                 "affinity of thread 10 reads 0-7 in place of 0-3"},
                {"own affinity lost",
                 {{SVC, 10, 1, "0-3"}, {SVC, 11, 1, "0-3"}},
                 "affinity of thread 11 reads 0-3 in place of 3"},
                {"a sibling's lost",
                 {{SVC, 10, 1, "0-3"}, {"/system.slice/plain.service", 22, 1, "0-7"}},
                 "affinity of thread 22 (of another unit) reads 0-7 in place of 6"},
                {"a new one outside",
                 {{SVC, 10, 1, "0-3"}, {SVC, 14, 9, "0-7"}},
                 "affinity of thread 14 (new) reads 0-7 in place of 0-3"},
        };

        f->threads = before;
        _cleanup_(change_done) Change c = noted(f);
        for (size_t i = 0; i < ELEMENTSOF(cases); i++) {
                _cleanup_free_ char *why = NULL;
                f->threads = cases[i].threads;
                int r = affinity_compare(&f->reader, &c, to, &why);
                if (r != (cases[i].why ? -ENODATA : 0) || !streq_ptr(why, cases[i].why))
                        fail_msg("%s: %d, %s", cases[i].what, r, why);
        }
}

static void test_restore_looks(void **state) {
        Fixture *f = *state;
        static const struct {
                const char *what;
                Thread threads[4];
                const char *residue;
        } cases[] = {
                {"as before", {{SVC, 10, 1, "0-7"}, {SVC, 11, 1, "3"}}, NULL},
                {"nobody left", {{}}, NULL},
                {"all CPUs that there are", {{SVC, 10, 1, "0-127"}}, NULL},
                {"widened", {{SVC, 11, 1, "0-7"}}, "affinity of thread 11 reads 0-7 in place of 3"},
                {"stuck at ours", {{SVC, 10, 1, "0-3"}}, "affinity of thread 10 reads 0-3 in place of 0-7"},
                {"its own choice meanwhile", {{SVC, 10, 1, "2"}, {SVC, 11, 1, "5"}}, NULL},
                {"a successor under the same number", {{SVC, 11, 2, "0-7"}}, NULL},
                {"two",
                 {{SVC, 10, 1, "0-3"}, {"/system.slice/plain.service", 22, 1, "0-7"}},
                 "affinity of thread 10 reads 0-3 in place of 0-7, and so for 1 more"},
        };

        f->threads = before;
        _cleanup_(change_done) Change c = noted(f);
        for (size_t i = 0; i < ELEMENTSOF(cases); i++) {
                _cleanup_free_ char *residue = NULL;
                f->threads = cases[i].threads;
                assert_int_equal(affinity_restore(&f->reader, &c, false, &residue), 0);
                if (!streq_ptr(residue, cases[i].residue))
                        fail_msg("%s: %s", cases[i].what, residue);
        }
}

static void test_restore_writes(void **state) {
        Fixture *f = *state;
        _cleanup_free_ char *residue = NULL;
        cpu_set_t all, one, now;
        char list[16];
        int cpu = 0;

        assert_int_equal(sched_getaffinity(0, sizeof(all), &all), 0);
        if (CPU_COUNT(&all) < 2)
                skip();
        while (!CPU_ISSET(cpu, &all))
                cpu++;
        (void) snprintf(list, sizeof(list), "%d", cpu);
        CPU_ZERO(&one);
        CPU_SET(cpu, &one);

        const Thread was[] = {{SVC, gettid(), 1, list}, {}}, is[] = {{SVC, gettid(), 1, "0-1023"}, {}};
        cgroup(f, ".", NULL, "0-1023\n");
        cgroup(f, "system.slice", NULL, "0-1023\n");
        f->threads = was;
        _cleanup_(change_done) Change c = noted(f);
        f->threads = is;
        int r = affinity_restore(&f->reader, &c, true, &residue);
        assert_int_equal(sched_getaffinity(0, sizeof(now), &now), 0);
        assert_int_equal(sched_setaffinity(0, sizeof(all), &all), 0);
        assert_int_equal(r, 0);
        assert_null(residue);
        assert_true(CPU_EQUAL(&now, &one));
}

static void test_effective_upwards(void **state) {
        Fixture *f = *state;
        static const struct {
                const char *path, *cpus;
        } cases[] = {
                {"/", "0-7"},
                {"/user.slice", "0-7"},
                {"/system.slice/pinned.service", "0-1"},
                {"/system.slice/plain.service", "0-7"},
        };

        for (size_t i = 0; i < ELEMENTSOF(cases); i++) {
                _cleanup_cpuset_ Cpuset *set = NULL;
                assert_int_equal(cgroup_file_effective(&f->reader, cases[i].path, &set), 0);
                _cleanup_free_ char *list = cpuset_format_list(set);
                assert_string_equal(list, cases[i].cpus);
        }
        _cleanup_cpuset_ Cpuset *set = NULL;
        assert_int_equal(unlinkat(f->fd, "cpuset.cpus.effective", 0), 0);
        assert_int_equal(cgroup_file_effective(&f->reader, "/user.slice", &set), -ENODATA);
}

static void test_dry(void **state) {
        Fixture *f = *state;
        _cleanup_(backend_freep) Backend *b = NULL;
        _cleanup_facts_ Facts facts = {}, other = {}, inner = {};
        _cleanup_(change_done) Change c = {.arm = ARM_PIN, .target = strdup("/system.slice/pinned.service")};
        _cleanup_free_ char *residue = NULL;
        bool ours = false;

        f->threads = busy;
        assert_int_equal(dry_backend_new(&f->reader, &b), 0);
        assert_int_equal(b->vtable->inspect(b, SVC, &facts), 0);
        assert_string_equal(facts.unit, "svc.service");
        assert_true(facts.owned_by_systemd && facts.property_known && !facts.delegated_above && !facts.age_known);
        assert_true(cpuset_empty(facts.property_cpus));
        assert_int_equal(facts.n_masks, 4);
        assert_int_equal(b->vtable->inspect(b, "/system.slice/pinned.service", &other), 0);
        assert_int_equal(cpuset_count(other.property_cpus), 2);
        assert_int_equal(b->vtable->inspect(b, SVC "/inner", &inner), 0);
        assert_true(!inner.owned_by_systemd && inner.delegated_above);
        assert_string_equal(inner.unit, "svc.service");

        assert_int_equal(b->vtable->prepare(b, &c, &residue), 0);
        assert_string_equal(c.file_from, "0-1");
        assert_string_equal(c.effective_from, "0-1");
        assert_int_equal(b->vtable->verify(b, &c, &ours), 0);
        assert_true(ours);
        assert_int_equal(b->vtable->undo(b, &c, false, &residue), 0);
        assert_null(residue);
        free(c.target);
        c.target = strdup("/system.slice/gone.service");
        assert_int_equal(b->vtable->verify(b, &c, &ours), -ENOENT);
        assert_int_equal(b->vtable->inspect(b, c.target, &inner), -ENOENT);
}

/* A file that reads what it reads by itself was set by nobody. */
static void test_dry_weight(void **state) {
        Fixture *f = *state;
        _cleanup_(backend_freep) Backend *b = NULL;
        static const struct {
                const char *file; /* NULL: the controller is off */
                bool set, idle;
                uint64_t weight;
        } cases[] = {{NULL, false, false, 0},
                     {"100\n", false, false, 0},
                     {"300\n", true, false, 300},
                     {"0\n", true, true, 0}};

        assert_int_equal(dry_backend_new(&f->reader, &b), 0);
        for (size_t i = 0; i < ELEMENTSOF(cases); i++) {
                _cleanup_facts_ Facts facts = {};
                _cleanup_close_ int fd = dir_open(f->fd, "system.slice/svc.service");
                if (cases[i].file)
                        assert_int_equal(file_replace(fd, "cpu.weight", cases[i].file, strlen(cases[i].file)), 0);
                assert_int_equal(b->vtable->inspect(b, SVC, &facts), 0);
                assert_int_equal(facts.weight_set, cases[i].set);
                assert_int_equal(facts.weight_idle, cases[i].idle);
                assert_int_equal(facts.weight, cases[i].weight);
        }
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test_setup_teardown(test_inspect, set_up, tear_down),
                cmocka_unit_test_setup_teardown(test_nothing_known_without_masks, set_up, tear_down),
                cmocka_unit_test_setup_teardown(test_note_keeps_what_can_be_lost, set_up, tear_down),
                cmocka_unit_test_setup_teardown(test_compare, set_up, tear_down),
                cmocka_unit_test_setup_teardown(test_restore_looks, set_up, tear_down),
                cmocka_unit_test_setup_teardown(test_restore_writes, set_up, tear_down),
                cmocka_unit_test_setup_teardown(test_effective_upwards, set_up, tear_down),
                cmocka_unit_test_setup_teardown(test_dry, set_up, tear_down),
                cmocka_unit_test_setup_teardown(test_dry_weight, set_up, tear_down),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
