/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What a killed placerd wrote must be what the next one reads. */

#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "io/file.h"
#include "io/ledger.h"

#define BOOT "0f0e0d0c-boot"

typedef struct Fixture {
        char path[64];
        int dirfd;
} Fixture;

static int set_up(void **state) {
        Fixture *f = calloc(1, sizeof(*f));
        strcpy(f->path, "/tmp/unit-ledger.XXXXXX");
        assert_non_null(mkdtemp(f->path));
        f->dirfd = dir_open(AT_FDCWD, f->path);
        assert_true(f->dirfd >= 0);
        *state = f;
        return 0;
}

static int tear_down(void **state) {
        Fixture *f = *state;
        (void) unlinkat(f->dirfd, "ledger", 0);
        (void) unlinkat(f->dirfd, "ledger.bad", 0);
        (void) fchmodat(AT_FDCWD, f->path, 0700, 0);
        assert_int_equal(rmdir(f->path), 0);
        closep(&f->dirfd);
        free(f);
        return 0;
}

static Cpuset *cpus(const char *list) {
        Cpuset *set = NULL;
        assert_int_equal(cpuset_parse_list(list, strlen(list), &set), 0);
        return set;
}

static Change pin(const char *target, const char *from, const char *to) {
        return (Change){
                .arm = ARM_PIN,
                .target = strdup(target),
                .unit = strdup("svc.service"),
                .from = from ? strdup(from) : NULL,
                .to = strdup(to),
        };
}

static uint64_t add(Ledger *l, Change c) {
        uint64_t serial = 0;
        assert_int_equal(ledger_add(l, &c, &serial), 0);
        assert_null(c.target);
        return serial;
}

static Ledger *reopen(const Fixture *f, Ledger *l) {
        ledger_free(l);
        assert_int_equal(ledger_open(f->dirfd, "ledger", BOOT, &l), 0);
        return l;
}

static void write_ledger(const Fixture *f, const char *text) {
        assert_int_equal(file_replace(f->dirfd, "ledger", text, strlen(text)), 0);
}

static void test_no_file_is_empty(void **state) {
        _cleanup_(ledger_freep) Ledger *l = reopen(*state, NULL);
        assert_int_equal(ledger_size(l), 0);
        assert_false(ledger_was_bad(l));
}

static void test_everything_survives(void **state) {
        Fixture *f = *state;
        _cleanup_(ledger_freep) Ledger *l = reopen(f, NULL);
        Change c = pin("/system.slice/svc.service", "0-7", "0-3");
        c.cgroup_id = UINT64_C(0x123456789abc);
        c.invocation = strdup("00112233445566778899aabbccddeeff");
        c.file_from = strdup("0-7");
        c.effective_from = strdup("0-15");
        c.drop_in_existed = true;
        c.drop_in_place_existed = true;
        c.applied_usec = 987654321;
        c.verdict = strdup("churn");
        c.reason = strdup("\"quoted\", and \xc3\xa4");
        c.masks = calloc(3, sizeof(*c.masks));
        c.n_masks = 3;
        c.masks[0] = (ThreadMask){.pid = 10, .tid = 10, .start_ticks = 5, .cpus = cpus("0-15")};
        c.masks[1] = (ThreadMask){.pid = 10, .tid = 11, .start_ticks = UINT64_C(1) << 60, .cpus = cpus("4,1279")};
        c.masks[2] = (ThreadMask){.pid = 20, .tid = 21, .start_ticks = 7, .cpus = cpus("0-15")};
        uint64_t serial = add(l, c);
        assert_int_equal(ledger_set_kept(l, serial, true), 0);
        assert_int_equal(ledger_set_residue(l, serial, "left"), 0);

        l = reopen(f, l);
        assert_int_equal(ledger_size(l), 1);
        const Change *b = ledger_find(l, "/system.slice/svc.service", ARM_PIN);
        assert_ptr_equal(b, ledger_at(l, 0));
        assert_int_equal(b->serial, serial);
        assert_int_equal(b->arm, ARM_PIN);
        assert_string_equal(b->unit, "svc.service");
        assert_int_equal(b->cgroup_id, UINT64_C(0x123456789abc));
        assert_string_equal(b->invocation, "00112233445566778899aabbccddeeff");
        assert_string_equal(b->from, "0-7");
        assert_string_equal(b->to, "0-3");
        assert_string_equal(b->file_from, "0-7");
        assert_string_equal(b->effective_from, "0-15");
        assert_true(b->drop_in_existed);
        assert_false(b->drop_in_dir_existed);
        assert_true(b->drop_in_place_existed);
        assert_true(b->kept);
        assert_int_equal(b->applied_usec, 987654321);
        assert_string_equal(b->verdict, "churn");
        assert_string_equal(b->reason, "\"quoted\", and \xc3\xa4");
        assert_string_equal(b->residue, "left");

        /* Threads may come back in another order, grouped by their CPUs. */
        assert_int_equal(b->n_masks, 3);
        unsigned seen = 0;
        for (size_t i = 0; i < 3; i++) {
                const ThreadMask *m = &b->masks[i];
                _cleanup_free_ char *list = cpuset_format_list(m->cpus);
                seen |= m->tid == 10 && m->pid == 10 && m->start_ticks == 5 && streq(list, "0-15") ? 1 : 0;
                seen |= m->tid == 11 && m->start_ticks == UINT64_C(1) << 60 && streq(list, "4,1279") ? 2 : 0;
                seen |= m->tid == 21 && m->pid == 20 && m->start_ticks == 7 && streq(list, "0-15") ? 4 : 0;
        }
        assert_int_equal(seen, 7);
}

static void test_a_ramp_survives(void **state) {
        _cleanup_(ledger_freep) Ledger *l = reopen(*state, NULL);
        Change c = {.arm = ARM_WEIGHT, .target = strdup("/a"), .to = strdup("200"), .file_from = strdup("100")};
        uint64_t serial = add(l, c);

        assert_int_equal(ledger_set_to(l, serial, "400", "200"), 0);
        l = reopen(*state, l);
        const Change *b = ledger_find(l, "/a", ARM_WEIGHT);
        assert_null(b->unit);
        assert_null(b->from);
        assert_string_equal(b->former, "200");
        assert_string_equal(b->to, "400");
        assert_string_equal(b->file_from, "100");
        assert_int_equal(ledger_set_to(l, serial, b->to, NULL), 0);
        l = reopen(*state, l);
        b = ledger_find(l, "/a", ARM_WEIGHT);
        assert_string_equal(b->to, "400");
        assert_null(b->former);
        assert_int_equal(ledger_set_to(l, 999, "1", NULL), -ENOENT);
}

static void test_unset_is_not_empty(void **state) {
        _cleanup_(ledger_freep) Ledger *l = reopen(*state, NULL);
        Change unset = pin("/a", NULL, "0"), empty = pin("/b", "", "0");
        empty.file_from = strdup("");
        add(l, unset);
        add(l, empty);

        l = reopen(*state, l);
        assert_null(ledger_find(l, "/a", ARM_PIN)->from);
        assert_null(ledger_find(l, "/a", ARM_PIN)->file_from);
        assert_null(ledger_find(l, "/a", ARM_PIN)->residue);
        assert_string_equal(ledger_find(l, "/b", ARM_PIN)->from, "");
        assert_string_equal(ledger_find(l, "/b", ARM_PIN)->file_from, "");
}

static void test_serials_are_never_used_again(void **state) {
        _cleanup_(ledger_freep) Ledger *l = reopen(*state, NULL);
        uint64_t first = add(l, pin("/a", NULL, "0"));
        assert_int_equal(ledger_remove(l, first), 0);
        l = reopen(*state, l);
        assert_int_equal(ledger_size(l), 0);
        assert_true(add(l, pin("/a", NULL, "0")) > first);
}

static void test_addresses_stay(void **state) {
        _cleanup_(ledger_freep) Ledger *l = reopen(*state, NULL);
        uint64_t first = add(l, pin("/first", NULL, "0"));
        uint64_t second = add(l, pin("/second", NULL, "1"));
        const Change *c = ledger_find(l, "/second", ARM_PIN);
        for (int i = 0; i < 40; i++)
                add(l, pin("/more", NULL, "2"));
        assert_int_equal(ledger_remove(l, first), 0);
        assert_ptr_equal(ledger_find(l, "/second", ARM_PIN), c);
        assert_int_equal(c->serial, second);
        assert_int_equal(ledger_remove(l, 999), -ENOENT);
        assert_int_equal(ledger_set_kept(l, 999, true), -ENOENT);
        assert_int_equal(ledger_set_residue(l, 999, NULL), -ENOENT);
}

static void test_another_boot_is_empty(void **state) {
        Fixture *f = *state;
        _cleanup_(ledger_freep) Ledger *l = reopen(f, NULL);
        add(l, pin("/a", NULL, "0"));
        l = ledger_free(l);
        assert_int_equal(ledger_open(f->dirfd, "ledger", "another-boot", &l), 0);
        assert_int_equal(ledger_size(l), 0);
        assert_false(ledger_was_bad(l));
}

#define CHANGE(from, masks)                                                                                            \
        "{\"serial\":1,\"cgroup_id\":2,\"applied_usec\":3,\"arm\":\"pin\",\"target\":\"/a\",\"unit\":\"a.service\","   \
        "\"invocation\":null,\"from\":" from ",\"to\":\"0\",\"file_from\":null,\"effective_from\":null,"               \
        "\"verdict\":null,\"reason\":null,\"residue\":null,\"drop_in_existed\":false,"                                 \
        "\"drop_in_dir_existed\":false,\"drop_in_place_existed\":true,\"kept\":false,\"masks\":" masks "}"
/* A weight, in a cgroup that is no unit's. */
#define WEIGHT(arm, from, former, to, file_from)                                                                       \
        "{\"serial\":1,\"cgroup_id\":2,\"applied_usec\":3,\"arm\":\"" arm "\",\"target\":\"/a\",\"unit\":null,"        \
        "\"invocation\":null,\"from\":" from ",\"former\":" former ",\"to\":" to ",\"file_from\":" file_from           \
        ",\"effective_from\":null,\"verdict\":null,\"reason\":null,\"residue\":null,\"drop_in_existed\":false,"        \
        "\"drop_in_dir_existed\":false,\"drop_in_place_existed\":true,\"kept\":false,\"masks\":[]}"
#define LEDGER(version, changes)                                                                                       \
        "{\"placerd-ledger\":" version ",\"boot_id\":\"" BOOT "\",\"next_serial\":9,\"changes\":[" changes "]}"

static void test_bad_files_are_moved_aside(void **state) {
        Fixture *f = *state;
        static const struct {
                const char *what, *text;
                size_t good; /* changes read; 0 with bad below */
        } cases[] = {
                {"sound, without what came later", LEDGER("1", CHANGE("null", "[]")), 1},
                {"a weight", LEDGER("1", WEIGHT("weight", "null", "\"200\"", "\"10000\"", "\"1\"")), 1},
                {"no weight", LEDGER("1", WEIGHT("weight", "null", "null", "\"0-3\"", "null")), 0},
                {"a weight of 0", LEDGER("1", WEIGHT("weight", "\"0\"", "null", "\"200\"", "null")), 0},
                {"too large a weight", LEDGER("1", WEIGHT("weight", "null", "null", "\"10001\"", "null")), 0},
                {"a former weight of words", LEDGER("1", WEIGHT("weight", "null", "\"x\"", "\"200\"", "null")), 0},
                {"a former weight is a number", LEDGER("1", WEIGHT("weight", "null", "5", "\"200\"", "null")), 0},
                {"a weight before of words", LEDGER("1", WEIGHT("weight", "null", "null", "\"200\"", "\"x\"")), 0},
                {"an arm of next year", LEDGER("1", WEIGHT("tickle", "null", "null", "\"200\"", "null")), 0},
                {"empty file", "", 0},
                {"cut", "{\"placerd-ledger\":1,\"boot_id\":\"" BOOT "\",\"next_ser", 0},
                {"not JSON", "AllowedCPUs=0-3\n", 0},
                {"no object", "[1,2]", 0},
                {"newer version", LEDGER("2", CHANGE("null", "[]")), 0},
                {"newer version of another shape", "{\"placerd-ledger\":2}", 0},
                {"a text is a number", LEDGER("1", CHANGE("7", "[]")), 0},
                {"not a list of CPUs", LEDGER("1", CHANGE("\"3-1\"", "[]")), 0},
                {"masks of another kind", LEDGER("1", CHANGE("null", "{}")), 0},
                {"mask without start", LEDGER("1", CHANGE("null", "[{\"cpus\":\"0\",\"threads\":[[1,2]]}]")), 0},
                {"mask of no CPUs", LEDGER("1", CHANGE("null", "[{\"cpus\":\"x\",\"threads\":[]}]")), 0},
                {"change is no object", LEDGER("1", "5"), 0},
                {"the second is damaged", LEDGER("1", CHANGE("null", "[]") ",{}"), 0},
                {"the same serial twice", LEDGER("1", CHANGE("null", "[]") "," CHANGE("null", "[]")), 0},
        };

        for (size_t i = 0; i < ELEMENTSOF(cases); i++) {
                _cleanup_(ledger_freep) Ledger *l = NULL;
                _cleanup_filebuf_ FileBuf aside = {};
                (void) unlinkat(f->dirfd, "ledger.bad", 0);
                write_ledger(f, cases[i].text);
                l = reopen(f, NULL);
                if (ledger_size(l) != cases[i].good || ledger_was_bad(l) != (cases[i].good == 0))
                        fail_msg("%s: %zu changes, bad %i", cases[i].what, ledger_size(l), ledger_was_bad(l));
                if (cases[i].good)
                        continue;
                assert_int_equal(file_read(f->dirfd, "ledger.bad", &aside), 0);
                assert_string_equal(aside.text, cases[i].text);
                /* And it works from there on. */
                add(l, pin("/a", NULL, "0"));
                l = reopen(f, l);
                assert_int_equal(ledger_size(l), 1);
        }
}

static void test_what_cannot_be_written_is_not_added(void **state) {
        Fixture *f = *state;
        _cleanup_(ledger_freep) Ledger *l = reopen(f, NULL);
        Change c = pin("/a", NULL, "0");
        uint64_t serial = 0;
        /* A folder in the file's place: rename() over it fails, also for root. */
        assert_int_equal(mkdirat(f->dirfd, "ledger", 0700), 0);
        assert_true(ledger_add(l, &c, &serial) < 0);
        assert_int_equal(unlinkat(f->dirfd, "ledger", AT_REMOVEDIR), 0);
        assert_int_equal(ledger_size(l), 0);
        assert_string_equal(c.target, "/a");
        assert_int_equal(ledger_add(l, &c, &serial), 0);
        l = reopen(f, l);
        assert_int_equal(ledger_size(l), 1);
}

static void test_memory_only(void **state) {
        _cleanup_(ledger_freep) Ledger *l = NULL;
        assert_int_equal(ledger_new_memory(&l), 0);
        uint64_t serial = add(l, pin("/a", NULL, "0"));
        assert_int_equal(ledger_set_kept(l, serial, true), 0);
        assert_true(ledger_at(l, 0)->kept);
        assert_int_equal(ledger_remove(l, serial), 0);
        assert_int_equal(ledger_size(l), 0);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test_setup_teardown(test_no_file_is_empty, set_up, tear_down),
                cmocka_unit_test_setup_teardown(test_everything_survives, set_up, tear_down),
                cmocka_unit_test_setup_teardown(test_a_ramp_survives, set_up, tear_down),
                cmocka_unit_test_setup_teardown(test_unset_is_not_empty, set_up, tear_down),
                cmocka_unit_test_setup_teardown(test_serials_are_never_used_again, set_up, tear_down),
                cmocka_unit_test_setup_teardown(test_addresses_stay, set_up, tear_down),
                cmocka_unit_test_setup_teardown(test_another_boot_is_empty, set_up, tear_down),
                cmocka_unit_test_setup_teardown(test_bad_files_are_moved_aside, set_up, tear_down),
                cmocka_unit_test_setup_teardown(test_what_cannot_be_written_is_not_added, set_up, tear_down),
                cmocka_unit_test(test_memory_only),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
