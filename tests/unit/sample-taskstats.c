/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Questions to made-up kernels: old and new ones, one without taskstats, one that refuses, and answers that do not
 * come, come late or belong to somebody else. */

#include "test.h"

#include <errno.h>
#include <unistd.h>

#include "fake-taskstats.h"
#include "io/log.h"
#include "sample/taskstats.h"

static const FakeTaskstats usual = {.version = 13, .len = 416, .run = 700, .delay = 80, .slices = 9};

static Taskstats *start(const FakeTaskstats *f) {
        Taskstats *t = NULL;

        assert_int_equal(taskstats_new(fake_taskstats_socket(f), &t), 0);
        return t;
}

static void assert_answer(Taskstats *t, uint64_t run) {
        Counts counts = {};

        assert_int_equal(taskstats_ask(t, 308, &counts), 1);
        assert_int_equal(counts.value[THREAD_RUN_NSEC], run);
        assert_int_equal(counts.value[THREAD_DELAY_NSEC], 80);
        assert_int_equal(counts.value[THREAD_SLICES], 9);
}

static void assert_none(Taskstats *t) {
        Counts counts = {};

        assert_int_equal(taskstats_ask(t, 308, &counts), 0);
        assert_int_equal(counts.have, 0);
}

static void test_versions(void **state) {
        static const struct {
                uint16_t version;
                size_t len;
        } kernels[] = {{8, 328}, {13, 416}, {14, 432}, {17, 688}, {99, 1000}};

        for (size_t i = 0; i < ELEMENTSOF(kernels); i++) {
                FakeTaskstats f = usual;
                f.version = kernels[i].version;
                f.len = kernels[i].len;
                _cleanup_(taskstats_freep) Taskstats *t = start(&f);
                assert_null(taskstats_off(t));
                assert_answer(t, 700);
                fake_taskstats.run = 800;
                assert_answer(t, 800);
                /* Cut short: absent, but no reason to stop asking. */
                fake_taskstats.len = 300;
                assert_none(t);
                assert_null(taskstats_off(t));
        }
}

static void assert_off(FakeTaskstats f, const char *why) {
        _cleanup_(taskstats_freep) Taskstats *t = start(&f);

        assert_non_null(taskstats_off(t));
        assert_non_null(strstr(taskstats_off(t), why));
        unsigned n_sent = fake_kernel.n_sent;
        assert_none(t);
        assert_int_equal(fake_kernel.n_sent, n_sent); /* nobody is asked in vain */
}

static void test_off(void **state) {
        assert_off((FakeTaskstats){.no_family = true}, "CONFIG_TASKSTATS");
        assert_off((FakeTaskstats){.error = -EPERM}, "CAP_NET_ADMIN");
        assert_off((FakeTaskstats){.error = -EINVAL}, "Invalid argument");
        assert_off((FakeTaskstats){.version = 13, .len = 416}, "CONFIG_TASK_DELAY_ACCT");
}

static void test_what_may_pass(void **state) {
        static const int errors[] = {-ESRCH, -ENOMEM, -ENOBUFS};
        _cleanup_(taskstats_freep) Taskstats *t = start(&usual);

        for (size_t i = 0; i < ELEMENTSOF(errors); i++) {
                fake_taskstats.error = errors[i];
                assert_none(t);
                assert_null(taskstats_off(t));
                fake_taskstats.error = 0;
                assert_answer(t, 700);
        }
        fake_put_failure(-NLE_NOMEM); /* ENOBUFS: the answer behind it is late */
        assert_none(t);
        assert_answer(t, 700);
        fake_kernel.on_send = NULL;
        assert_none(t);
        assert_null(taskstats_off(t));
        fake_kernel.send_error = -NLE_AGAIN;
        assert_none(t);
        assert_null(taskstats_off(t));
}

static void test_it_ends_later(void **state) {
        _cleanup_(taskstats_freep) Taskstats *t = start(&usual);
        fake_taskstats.error = -EPERM;
        assert_none(t);
        assert_non_null(strstr(taskstats_off(t), "CAP_NET_ADMIN"));

        _cleanup_(taskstats_freep) Taskstats *u = start(&usual);
        fake_kernel.send_error = -NLE_FAILURE;
        assert_none(u);
        assert_non_null(taskstats_off(u));
}

/* Answers to nobody's question are passed over, but not for ever. */
static void test_strays(void **state) {
        _cleanup_(taskstats_freep) Taskstats *t = start(&usual);
        struct nlmsghdr other = {.nlmsg_seq = 1};

        fake_put_stats(1, 1);
        fake_put_error(&other, -EPERM);
        assert_answer(t, 700);
        for (unsigned i = 0; i < 1000; i++)
                fake_put_stats(1, 1);
        assert_none(t);
        assert_true(fake_kernel.n > 900);
        assert_null(taskstats_off(t));
}

static void put_odd(const struct nlmsghdr *sent) {
        struct nl_msg *msg = nlmsg_alloc();

        genlmsg_put(msg, 0, sent->nlmsg_seq, FAKE_FAMILY, 0, 0, TASKSTATS_CMD_NEW, 1);
        nla_put_u32(msg, TASKSTATS_TYPE_AGGR_TGID, UINT32_MAX);
        fake_put_msg(msg);
}

static void put_short(const struct nlmsghdr *sent) {
        struct nlmsghdr head = {.nlmsg_len = sizeof(head), .nlmsg_type = FAKE_FAMILY, .nlmsg_seq = sent->nlmsg_seq};

        fake_put(&head, sizeof(head));
}

static void test_damaged(void **state) {
        _cleanup_(taskstats_freep) Taskstats *t = start(&usual);

        fake_kernel.on_send = put_odd;
        assert_none(t);
        fake_kernel.on_send = put_short;
        assert_none(t);
        fake_kernel.on_send = fake_taskstats_on_send;
        assert_answer(t, 700);
}

static void test_without(void **state) {
        assert_none(NULL);
        assert_null(taskstats_free(NULL));
}

/* Whatever machine this is: on or off, and no failure. */
static void test_real(void **state) {
        _cleanup_(taskstats_freep) Taskstats *t = NULL;
        Counts counts = {};

        assert_int_equal(taskstats_open(&t), 0);
        assert_int_equal(taskstats_ask(t, getpid(), &counts), taskstats_off(t) ? 0 : 1);
        print_message("taskstats: %s\n", taskstats_off(t) ? taskstats_off(t) : "on");
        assert_int_equal(taskstats_ask(t, INT32_MAX, &counts), 0);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_versions),      cmocka_unit_test(test_off),
                cmocka_unit_test(test_what_may_pass), cmocka_unit_test(test_it_ends_later),
                cmocka_unit_test(test_strays),        cmocka_unit_test(test_damaged),
                cmocka_unit_test(test_without),       cmocka_unit_test(test_real),
        };
        log_set_level(LOG_ERR);
        return cmocka_run_group_tests(tests, NULL, NULL);
}
