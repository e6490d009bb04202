/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What is news and what is not. Without a journal entries are lines on standard error, which are caught in a file. */

#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemon/journal.h"

static const VerdictKind healthy = {.name = "healthy"}, unknown = {.name = "unknown"};
static const VerdictKind saturated = {.name = "saturated"}, churn = {.name = "churn", .remedies = {ARM_PIN}};

typedef struct Step {
        const char *path;
        const VerdictKind *kind;
        bool confirmed;
        const char *line; /* written by this step; NULL: nothing */
} Step;

static FILE *caught;

/* What was written since the last call, without the newline; "" where nothing was. */
static const char *take_line(char buf[static 512]) {
        buf[0] = '\0';
        clearerr(caught);
        if (fgets(buf, 512, caught))
                buf[strcspn(buf, "\n")] = '\0';
        return buf;
}

static void say(Journal *j, uint64_t tick, const Step *s) {
        Verdict verdict = {.kind = s->kind, .confirmed = s->confirmed, .text = "so"};
        TargetView view = {.path = s->path, .verdict = &verdict};
        journal_verdict(j, tick, &view);
}

static void test_only_news_is_written(void **state) {
        static const Step steps[] = {
                {"/a", &healthy, true, NULL},
                {"/b", &unknown, true, NULL},
                {"/a", &churn, false, NULL},
                {"/a", &churn, true, "/a: churn: so"},
                {"/b", &saturated, true, "/b: saturated: so"},
                {"/a", &churn, true, NULL},
                {"/b", &saturated, true, NULL},
                {"/a", &saturated, false, NULL},
                {"/a", &churn, true, NULL},
                {"/a", &saturated, true, "/a: saturated: so"},
                {"/a", &healthy, false, NULL},
                {"/a", &healthy, true, "/a: healthy: so"},
                {"/a", &unknown, true, NULL},
                {"/a", &healthy, true, NULL},
                {"/b", &unknown, true, "/b: unknown: so"},
                {"/a", &churn, true, "/a: churn: so"},
        };
        Journal *j = NULL;
        char line[512];

        assert_int_equal(journal_new(&j), 0);
        for (size_t i = 0; i < ELEMENTSOF(steps); i++) {
                say(j, i + 1, steps + i);
                assert_string_equal(take_line(line), steps[i].line ? steps[i].line : "");
        }
        journal_free(j);
}

static void test_who_is_gone_is_forgotten(void **state) {
        static const Step first = {"/a", &churn, true, NULL}, other = {"/b", &churn, true, NULL};
        Journal *j = NULL;
        char line[512];

        assert_int_equal(journal_new(&j), 0);
        say(j, 1, &first);
        assert_string_equal(take_line(line), "/a: churn: so");
        for (uint64_t tick = 2; tick < 200; tick++)
                say(j, tick, &other);
        assert_string_equal(take_line(line), "/b: churn: so");
        assert_string_equal(take_line(line), "");
        /* A new life under the old name. */
        say(j, 200, &first);
        assert_string_equal(take_line(line), "/a: churn: so");
        journal_free(j);
}

static void test_undo_tells_what_and_why(void **state) {
        Change change = {
                .arm = ARM_PIN,
                .unit = (char *) "svc.service",
                .to = (char *) "0-3",
                .residue = (char *) "cpuset.cpus 0-7",
        };
        TargetView view = {.path = "/system.slice/svc.service", .unit = "svc.service", .change = &change};
        char line[512];

        journal_undo(&view, "asked for");
        assert_string_equal(take_line(line), "svc.service: AllowedCPUs=0-3 undone, it is unset again: asked for; "
                                             "left behind: cpuset.cpus 0-7");
        /* Of what systemd leaves alone the file is named. */
        change.unit = NULL;
        change.residue = NULL;
        TargetView other = {.path = "/foo/a", .change = &change};
        journal_undo(&other, "asked for");
        assert_string_equal(take_line(line), "/foo/a: cpuset.cpus=0-3 undone, it is unset again: asked for");
        view.change = NULL;
        journal_undo(&view, "asked for");
        assert_string_equal(take_line(line), "svc.service: the change was undone: asked for");
}

static void test_pause_tells_who(void **state) {
        char line[512];

        journal_paused(true, 1000, 1);
        assert_string_equal(take_line(line), "Paused by uid 1000: nothing is changed or tried until 'placerctl "
                                             "resume'; 1 trial was broken off and undone");
        journal_paused(true, JOURNAL_UID_UNKNOWN, 0);
        assert_string_equal(take_line(line), "Paused: nothing is changed or tried until 'placerctl resume'");
        journal_paused(false, 0, 0);
        assert_string_equal(take_line(line), "Resumed by uid 0");
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_only_news_is_written),
                cmocka_unit_test(test_who_is_gone_is_forgotten),
                cmocka_unit_test(test_undo_tells_what_and_why),
                cmocka_unit_test(test_pause_tells_who),
        };
        char name[] = "/tmp/placerd-journal-XXXXXX";
        int fd = mkstemp(name), saved = dup(STDERR_FILENO);

        if (fd < 0 || saved < 0)
                return 1;
        (void) unsetenv("JOURNAL_STREAM");
        caught = fopen(name, "re");
        (void) unlink(name);
        /* Appending: the reader has a position of its own. */
        if (!caught || dup2(fd, STDERR_FILENO) < 0)
                return 1;
        int r = cmocka_run_group_tests(tests, NULL, NULL);

        /* cmocka tells failures on standard error, too. */
        char line[512];
        while (fgets(line, sizeof(line), caught))
                (void) dprintf(saved, "%s", line);
        (void) fclose(caught);
        return r;
}
