/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Answers of kernels from 2.6.31 to 7.3, and such as no kernel gives. */

#include "test.h"

#include <linux/taskstats.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "parse/taskstats.h"

typedef struct Answer {
        uint16_t version;
        size_t len;
        uint64_t slices, delay, run;
        bool known;
} Answer;

/* In a block of exactly its length, and not aligned. */
static bool parse(const Answer *a, Counts *counts) {
        char whole[1024] = {};
        _cleanup_free_ char *block = malloc(a->len + 1);

        memcpy(whole, &a->version, sizeof(a->version));
        memcpy(whole + 16, &a->slices, sizeof(a->slices));
        memcpy(whole + 24, &a->delay, sizeof(a->delay));
        memcpy(whole + 72, &a->run, sizeof(a->run));
        memcpy(block + 1, whole, a->len);
        return taskstats_parse(block + 1, a->len, counts);
}

static void test_answers(void **state) {
        static const Answer answers[] = {
                {8, 328, 80, 7, 526757888, true},   {13, 416, 80, 7, 526757888, true},
                {14, 432, 80, 7, 526757888, true},  {17, 688, 80, 7, 526757888, true},
                {18, 1000, 80, 7, 526757888, true}, /* of a kernel to come */
                {13, 416, 0, 0, 1, true},           {17, 688, UINT64_MAX, UINT64_MAX, UINT64_MAX, true},
                {13, 327, 80, 7, 526757888, false}, /* cut */
                {8, 80, 80, 7, 526757888, false},   {17, 2, 80, 7, 1, false},
                {17, 0, 80, 7, 1, false},           {7, 328, 80, 7, 1, false},
                {0, 328, 80, 7, 1, false},          {13, 416, 0, 0, 0, false}, /* CONFIG_TASK_DELAY_ACCT is off */
        };

        for (size_t i = 0; i < ELEMENTSOF(answers); i++) {
                const Answer *a = &answers[i];
                Counts counts = {};

                assert_int_equal(parse(a, &counts), a->known);
                assert_int_equal(counts_has(&counts, THREAD_RUN_NSEC), a->known);
                if (!a->known)
                        continue;
                assert_true(counts.value[THREAD_RUN_NSEC] == a->run);
                assert_true(counts.value[THREAD_DELAY_NSEC] == a->delay);
                assert_true(counts.value[THREAD_SLICES] == a->slices);
        }
}

static void test_offsets(void **state) {
        assert_int_equal(offsetof(struct taskstats, cpu_count), 16);
        assert_int_equal(offsetof(struct taskstats, cpu_delay_total), 24);
        assert_int_equal(offsetof(struct taskstats, cpu_run_virtual_total), 72);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_answers),
                cmocka_unit_test(test_offsets),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
