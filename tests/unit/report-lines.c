/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "test.h"

#include "report/report.h"
#include "target-views.h"

/* The names of the fields and their order are part of the interface: the lines are compared as a whole. */
static void assert_line(char *line, const char *want) {
        assert_non_null(line);
        assert_string_equal(line, want);
        free(line);
}

static void test_verdict_line(void **state) {
        MadeUp m;
        made_up_init(&m);

        assert_line(report_verdict_line(&m.view, 3, 18504529),
                    "{\"type\":\"verdict\",\"tick\":3,\"usec\":18504529,\"target\":\"/system.slice/svc.service\","
                    "\"unit\":\"svc.service\",\"verdict\":\"churn\",\"since_tick\":2,\"confirmed\":true,"
                    "\"evidence\":{\"usage_cpus\":3.44,\"demand\":4.9,\"wait_per_slice_usec\":774,"
                    "\"wait_share\":0.29,\"migrations_per_switch\":0.153,\"migrations_per_cpu_second\":81.8,"
                    "\"idle\":0.4,\"outside_wait_usec\":48,\"outside_factor\":16.1,\"outside_groups\":5,"
                    "\"outside_reference\":\"threads of 5 other groups\"},\"text\":\"its threads are dragged from CPU "
                    "to CPU\"}");
}

static void test_verdict_line_tells_what_says_something(void **state) {
        MadeUp m;
        made_up_init(&m);
        m.view.unit = NULL;
        m.verdict.evidence = (Signals){};
        m.verdict.treated = true;
        m.verdict.confirmed = false;
        m.verdict.also[0] = &m.other;
        m.verdict.missing = (UINT64_C(1) << SIGNAL_IDLE) | (UINT64_C(1) << SIGNAL_USAGE_OF_PAST);

        assert_line(report_verdict_line(&m.view, 3, 5),
                    "{\"type\":\"verdict\",\"tick\":3,\"usec\":5,\"target\":\"/system.slice/svc.service\","
                    "\"verdict\":\"churn\",\"since_tick\":2,\"confirmed\":false,\"treated\":true,"
                    "\"also\":[\"saturated\"],\"missing\":[\"idle\",\"usage_of_past\"],\"evidence\":{},"
                    "\"text\":\"its threads are dragged from CPU to CPU\"}");
}

static void test_change_line_from_unset_is_null(void **state) {
        MadeUp m;
        made_up_init(&m);
        m.view.change = &m.change;

        assert_line(report_change_line(&m.view, 7),
                    "{\"type\":\"change\",\"usec\":7,\"target\":\"/system.slice/svc.service\",\"unit\":\"svc.service\","
                    "\"verdict\":\"churn\",\"arm\":\"pin\",\"property\":\"AllowedCPUs\",\"from\":null,\"to\":\"0-3\","
                    "\"reason\":\"one L3 domain has room for 3.44 CPUs\"}");

        m.change.from = TEXT("0-5");
        char *line = report_change_line(&m.view, 7);
        assert_non_null(strstr(line, "\"from\":\"0-5\""));
        free(line);
}

static void test_outcome_line(void **state) {
        MadeUp m;
        made_up_init(&m);
        m.view.change = &m.change;
        m.view.outcome = &m.outcome;

        assert_line(
                report_outcome_line(&m.view, 8),
                "{\"type\":\"outcome\",\"usec\":8,\"target\":\"/system.slice/svc.service\",\"unit\":\"svc.service\","
                "\"arm\":\"pin\",\"property\":\"AllowedCPUs\",\"from\":null,\"to\":\"0-3\",\"outcome\":\"kept\","
                "\"gains\":[{\"quantity\":\"migrations_per_switch\",\"passed\":true,\"before\":0.153,"
                "\"after\":0.011,\"shift\":-0.928,\"noise\":0.08,\"bound\":0.5,\"p\":0.0048}],"
                "\"text\":\"migrations fell to a fourteenth\"}");
}

static void test_outcome_line_of_an_undone_change(void **state) {
        MadeUp m;
        made_up_init(&m);
        m.outcome.kind = OUTCOME_WORSE;
        m.outcome.gains[0].known = false;
        m.outcome.gains[0].passed = false;
        strcpy(m.outcome.harmed, "batch.service");
        m.view.outcome = &m.outcome;

        assert_line(
                report_outcome_line(&m.view, 8),
                "{\"type\":\"outcome\",\"usec\":8,\"target\":\"/system.slice/svc.service\",\"unit\":\"svc.service\","
                "\"outcome\":\"worse\",\"gains\":[{\"quantity\":\"migrations_per_switch\",\"passed\":false}],"
                "\"harmed\":\"batch.service\",\"text\":\"migrations fell to a fourteenth\"}");
}

/* A cgroup may have any bytes but '/' and newline in its name; JSON may not. */
static void test_name_that_is_no_utf8(void **state) {
        MadeUp m;
        made_up_init(&m);
        m.view.path = "/m\xfcller \"x\"";
        m.view.unit = NULL;

        char *line = report_verdict_line(&m.view, 1, 1);
        json_error_t error;
        json_t *o = json_loads(line, 0, &error);
        assert_non_null(o);
        assert_string_equal(json_string_value(json_object_get(o, "target")), "/m\\xfcller \"x\"");
        json_decref(o);
        free(line);
}

static void test_texts(void **state) {
        MadeUp m;
        made_up_init(&m);
        m.view.change = &m.change;
        m.view.outcome = &m.outcome;
        m.verdict.treated = true;

        assert_line(report_verdict_text(&m.view, 3),
                    "tick 3: svc.service: churn (treated): its threads are dragged from CPU to CPU");
        assert_line(report_change_text(&m.view), "svc.service: AllowedCPUs from unset to 0-3, against churn: "
                                                 "one L3 domain has room for 3.44 CPUs");
        assert_line(report_outcome_text(&m.view), "svc.service: kept: migrations fell to a fourteenth");
        m.view.verdict = NULL;
        assert_line(report_verdict_text(&m.view, 1), "tick 1: svc.service: not judged yet");
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_verdict_line),
                cmocka_unit_test(test_verdict_line_tells_what_says_something),
                cmocka_unit_test(test_change_line_from_unset_is_null),
                cmocka_unit_test(test_outcome_line),
                cmocka_unit_test(test_outcome_line_of_an_undone_change),
                cmocka_unit_test(test_name_that_is_no_utf8),
                cmocka_unit_test(test_texts),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
