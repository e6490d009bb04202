/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "test.h"

#include "report/report.h"
#include "target-views.h"

static Cpuset *cpus(const char *list) {
        Cpuset *set = NULL;
        assert_int_equal(cpuset_parse_list(list, strlen(list), &set), 0);
        return set;
}

/* Each case sets up a view; `why` is what status shows for it. */
static void nothing(MadeUp *m) {
        m->view.verdict = NULL;
}
static void healthy(MadeUp *m) {
        m->kind = (VerdictKind){.name = "healthy"};
        strcpy(m->verdict.text, "nothing is wrong");
}
static void ignored(MadeUp *m) {
        m->policy.mode = MODE_IGNORE;
}
static void observed(MadeUp *m) {
        m->policy.mode = MODE_OBSERVE;
}
static void unnamed(MadeUp *m) {
        m->policy.name = NULL;
        m->view.refusal = &m->refusal;
}
static void refused(MadeUp *m) {
        m->view.refusal = &m->refusal;
}
static void refused_until(MadeUp *m) {
        m->view.refusal = &m->refusal;
        m->refusal.until_usec = m->view.now_usec + 40 * USEC_PER_SEC;
}
static void refused_until_past(MadeUp *m) {
        m->view.refusal = &m->refusal;
        m->refusal.until_usec = m->view.now_usec - 1;
}
static void unsure(MadeUp *m) {
        m->verdict.confirmed = false;
}
static void advised(MadeUp *m) {
        m->policy.mode = MODE_ADVISE;
        m->view.plan = &m->plan;
}
static void before(MadeUp *m) {
        m->view.phase = "before";
        m->view.phase_ticks = 4;
        m->view.phase_ticks_total = 20;
}
static void waiting(MadeUp *m) {
        m->view.phase = "waiting";
        m->outcome.kind = OUTCOME_NO_EFFECT;
        m->view.outcome = &m->outcome;
}
static void on_trial(MadeUp *m) {
        m->view.change = &m->change;
        m->view.phase = "after";
        m->view.phase_ticks = 12;
        m->view.phase_ticks_total = 30;
}
static void kept(MadeUp *m) {
        m->view.change = &m->change;
        m->change.kept = true;
        m->view.phase = "kept";
        m->view.outcome = &m->outcome;
        m->view.outcome_age_usec = 5 * USEC_PER_SEC;
}
static void paused(MadeUp *m) {
        m->view.paused = true;
}
static void paused_healthy(MadeUp *m) {
        healthy(m);
        paused(m);
}
static void paused_observed(MadeUp *m) {
        observed(m);
        paused(m);
}
static void paused_kept(MadeUp *m) {
        kept(m);
        paused(m);
}
static void residue(MadeUp *m) {
        m->view.change = &m->change;
        m->change.residue = TEXT("cpuset.cpus reads 0-7");
}

static void test_why(void **state) {
        static const struct {
                void (*set)(MadeUp *m);
                const char *why;
        } table[] = {
                {nothing, "not judged yet"},
                {healthy, "nothing is wrong"},
                {ignored, "mode=ignore"},
                {observed, "mode=observe: only watched"},
                {unnamed, "no section names it: never changed"},
                {refused, "the unit is younger than min-age"},
                {refused_until, "the unit is younger than min-age (for another 40 s)"},
                {refused_until_past, "the unit is younger than min-age"},
                {unsure, "not sure yet: it must hold for 3 of 4 ticks"},
                {advised, "mode=advise: would set AllowedCPUs=0-3"},
                {before, "measuring before the change, 4 of 20 ticks"},
                {waiting, "waiting; the last trial: no-effect"},
                {on_trial, "on trial: after, 12 of 30 ticks"},
                {kept, "kept: migrations fell to a fourteenth"},
                {paused, "paused"},
                {paused_healthy, "paused"},
                {paused_observed, "mode=observe: only watched"},
                {paused_kept, "kept: migrations fell to a fourteenth; paused: not tried again"},
                {residue, "undone, but for this, until the unit ends: cpuset.cpus reads 0-7"},
        };

        for (size_t i = 0; i < ELEMENTSOF(table); i++) {
                MadeUp m;
                made_up_init(&m);
                m.plan.cpus = cpus("0-3");
                table[i].set(&m);

                json_t *o = report_target(&m.view);
                assert_non_null(o);
                assert_string_equal(json_string_value(json_object_get(o, "why")), table[i].why);
                json_decref(o);
                cpuset_free(m.plan.cpus);
        }
}

static void test_target_of_a_kept_change(void **state) {
        MadeUp m;
        made_up_init(&m);
        kept(&m);
        m.verdict.treated = true;

        json_t *o = report_target(&m.view);
        const char *target, *unit, *mode, *origin, *section, *file, *verdict, *phase, *arm, *to, *outcome, *explain;
        int line, since_tick, treated, is_kept;
        json_int_t since, age;
        json_t *from;
        json_error_t error;
        int r = json_unpack_ex(o, &error, 0,
                               "{s:s, s:s, s:s, s:{s:s, s:s, s:s, s:i}, s:s, s:i, s:b, s:s,"
                               " s:{s:s, s:o, s:s, s:b, s:I, s:I}, s:{s:s}, s:s}",
                               "target", &target, "unit", &unit, "mode", &mode, "policy", "origin", &origin, "section",
                               &section, "file", &file, "line", &line, "verdict", &verdict, "since_tick", &since_tick,
                               "treated", &treated, "phase", &phase, "change", "arm", &arm, "from", &from, "to", &to,
                               "kept", &is_kept, "since_usec", &since, "age_usec", &age, "outcome", "outcome", &outcome,
                               "explain", &explain);
        if (r < 0)
                fail_msg("%s", error.text);

        assert_string_equal(mode, "act");
        assert_string_equal(origin, "[svc.service] in /etc/placerd.conf:12");
        assert_int_equal(line, 12);
        assert_true(json_is_null(from));
        assert_int_equal(since, 10 * USEC_PER_SEC);
        assert_int_equal(age, 90 * USEC_PER_SEC);
        assert_true(is_kept && treated);
        assert_string_equal(outcome, "kept");
        /* What is absent has no key. */
        assert_null(json_object_get(o, "plan"));
        assert_null(json_object_get(o, "refusal"));
        assert_null(json_object_get(o, "advice"));
        assert_null(json_object_get(o, "phase_ticks"));
        json_decref(o);
}

static void other_groups(MadeUp *m) {
}
static void one_other_group(MadeUp *m) {
        signals_set(&m->verdict.evidence, SIGNAL_OUTSIDE_GROUPS, SIGNAL_SCALE);
}
static void cpu_lines(MadeUp *m) {
        signals_clear(&m->verdict.evidence, SIGNAL_OUTSIDE_GROUPS);
}
static void no_factor(MadeUp *m) {
        signals_clear(&m->verdict.evidence, SIGNAL_OUTSIDE_FACTOR);
}
static void nothing_outside(MadeUp *m) {
        no_factor(m);
        cpu_lines(m);
        signals_clear(&m->verdict.evidence, SIGNAL_OUTSIDE_WAIT);
}

static void test_outside_names_its_reference(void **state) {
        static const struct {
                void (*set)(MadeUp *m);
                const char *outside, *reference, *line; /* NULL: no key, no line */
        } table[] = {
                {other_groups, "x16.1 (774 us against 48 us outside)", "threads of 5 other groups",
                 "  others waited 48 us a slice (threads of 5 other groups): its own wait is 16.1 times that\n"},
                {one_other_group, "x16.1 (774 us against 48 us outside)", "threads of 1 other group",
                 "  others waited 48 us a slice (threads of 1 other group): its own wait is 16.1 times that\n"},
                {cpu_lines, "x16.1 (774 us against 48 us outside)", "/proc/schedstat less the target's",
                 "  others waited 48 us a slice (/proc/schedstat less the target's): its own wait is 16.1 times "
                 "that\n"},
                {no_factor, NULL, "threads of 5 other groups",
                 "  others waited 48 us a slice (threads of 5 other groups)\n"},
                {nothing_outside, NULL, NULL, NULL},
        };

        for (size_t i = 0; i < ELEMENTSOF(table); i++) {
                MadeUp m;
                made_up_init(&m);
                table[i].set(&m);

                json_t *o = report_target(&m.view), *evidence = json_object_get(o, "evidence");
                const char *outside = json_string_value(json_object_get(o, "outside"));
                const char *reference = json_string_value(json_object_get(evidence, "outside_reference"));
                const char *explain = json_string_value(json_object_get(o, "explain"));
                assert_true(streq_ptr(outside, table[i].outside));
                assert_true(streq_ptr(reference, table[i].reference));
                assert_int_equal(json_object_get(evidence, "outside_factor") != NULL, outside != NULL);
                assert_true(table[i].line ? strstr(explain, table[i].line) != NULL : !strstr(explain, "others waited"));
                json_decref(o);
        }
}

static void test_defaults_are_named_as_the_policy(void **state) {
        MadeUp m;
        made_up_init(&m);
        m.policy.name = NULL;
        m.policy.file = NULL;

        json_t *o = report_target(&m.view);
        json_t *policy = json_object_get(o, "policy");
        assert_string_equal(json_string_value(json_object_get(policy, "origin")), "the defaults, no section matches");
        assert_null(json_object_get(policy, "section"));
        json_decref(o);
}

static void test_explain_tells_the_chain(void **state) {
        MadeUp m;
        made_up_init(&m);
        kept(&m);

        char *text = report_explain(&m.view);
        assert_string_equal(
                text,
                "svc.service (/system.slice/svc.service)\n"
                "  mode=act, from [svc.service] in /etc/placerd.conf:12\n"
                "\n"
                "Seen, over the last ticks:\n"
                "  it used 3.44 CPUs\n"
                "  on average 4.90 of them wanted to run\n"
                "  one waited 774 us for each slice of CPU time\n"
                "  29.0 % of the time in which they wanted to run was waiting\n"
                "  others waited 48 us a slice (threads of 5 other groups): its own wait is 16.1 times that\n"
                "  15.3 % of its switches moved a thread to another CPU\n"
                "  that is 81.8 migrations a second of CPU time\n"
                "  its CPUs were idle 40.0 % of the time\n"
                "\n"
                "Taken for: churn, since tick 2 (now it is tick 14)\n"
                "  its threads are dragged from CPU to CPU\n"
                "\n"
                "Changed: AllowedCPUs of svc.service from unset to 0-3, 1.5 min ago\n"
                "  one L3 domain has room for 3.44 CPUs\n"
                "\n"
                "What that did: kept, 5 s ago\n"
                "  migrations fell to a fourteenth\n"
                "  share of switches that migrate: median 15.3 % before, 1.1 % after, -92.8 % (at least 50.0 % was "
                "asked for, noise 8.0 %): passed\n"
                "\n"
                "To undo it: placerctl undo svc.service\n"
                "  AllowedCPUs goes back to unset; so it does with mode=observe in [svc.service] "
                "(/etc/placerd.conf:12) and a reload, or with systemctl stop placerd\n");
        free(text);
}

static void test_explain_without_a_change_says_why(void **state) {
        MadeUp m;
        made_up_init(&m);
        refused(&m);
        m.verdict.missing = UINT64_C(1) << SIGNAL_MIGRATIONS_PER_SWITCH;

        char *text = report_explain(&m.view);
        assert_non_null(strstr(text, "\nChanged: nothing\n  the unit is younger than min-age\n"));
        assert_non_null(strstr(text, "  migrations_per_switch could not be had: it needs "));
        assert_null(strstr(text, "undo"));
        free(text);
}

static void test_advice(void **state) {
        MadeUp m;
        made_up_init(&m);
        m.plan.cpus = cpus("0-3");
        m.view.plan = &m.plan;
        m.policy = (Policy){.mode = MODE_ADVISE};

        char *text = report_advice(&m.view);
        assert_string_equal(text, "# svc.service: one L3 domain has room for 3.44 CPUs\n"
                                  "[svc.service]\n"
                                  "mode=act\n"
                                  "# or once, by hand, until the next boot:\n"
                                  "systemctl set-property --runtime svc.service AllowedCPUs=0-3\n");
        free(text);

        /* Its own section is there already: a second one would be an error. */
        m.policy = (Policy){.name = TEXT("svc.service"), .file = TEXT("/etc/x"), .line = 3, .mode = MODE_OBSERVE};
        text = report_advice(&m.view);
        assert_non_null(strstr(text, "# in /etc/x:3\n[svc.service]\nmode=act\n"));
        free(text);

        /* In no unit: by path, and by the file. */
        m.view.unit = m.plan.unit = NULL;
        text = report_advice(&m.view);
        assert_non_null(strstr(text, "match=/system.slice/svc.service\nmode=act\n"));
        assert_null(strstr(text, "systemctl"));
        assert_non_null(strstr(text, "\necho 0-3 >/sys/fs/cgroup/system.slice/svc.service/cpuset.cpus\n"));
        free(text);

        /* A name that a shell would take apart. */
        m.plan.unit = TEXT("a\\x2db.service");
        text = report_advice(&m.view);
        assert_non_null(strstr(text, " --runtime 'a\\x2db.service' "));
        free(text);

        cpuset_free(m.plan.cpus);
}

static void test_no_advice(void **state) {
        MadeUp m;
        made_up_init(&m);
        m.plan.cpus = cpus("0-3");

        char *text = report_advice(&m.view);
        assert_string_equal(text, "");
        free(text);

        m.view.plan = &m.plan;
        m.view.refusal = &m.refusal;
        text = report_advice(&m.view);
        assert_string_equal(text, "");
        free(text);

        m.view.refusal = NULL;
        m.view.change = &m.change;
        text = report_advice(&m.view);
        assert_string_equal(text, "");
        free(text);
        cpuset_free(m.plan.cpus);
}

static void test_status_hints_on_a_fresh_install(void **state) {
        MadeUp m;
        made_up_init(&m);
        m.plan.cpus = cpus("0-3");
        m.view.plan = &m.plan;
        m.policy = (Policy){.mode = MODE_ADVISE};
        TargetView views[2] = {m.view, m.view};

        json_t *o = report_status(views, 2, USEC_PER_SEC, NULL);
        assert_int_equal(json_integer_value(json_object_get(o, "interval_usec")), USEC_PER_SEC);
        assert_int_equal(json_array_size(json_object_get(o, "targets")), 2);
        const char *hint = json_string_value(json_object_get(o, "hint"));
        assert_non_null(strstr(hint, "\n[svc.service]\nmode=act\n"));
        assert_non_null(strstr(hint, "1 more"));
        json_decref(o);

        /* Somebody switched it on already. */
        Policy acting = {.name = TEXT("x"), .mode = MODE_ACT};
        views[1].policy = &acting;
        o = report_status(views, 2, USEC_PER_SEC, NULL);
        assert_null(json_object_get(o, "hint"));
        json_decref(o);

        /* Nothing to advise. */
        o = report_status(views, 0, USEC_PER_SEC, NULL);
        assert_null(json_object_get(o, "hint"));
        json_decref(o);
        cpuset_free(m.plan.cpus);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_why),
                cmocka_unit_test(test_target_of_a_kept_change),
                cmocka_unit_test(test_outside_names_its_reference),
                cmocka_unit_test(test_defaults_are_named_as_the_policy),
                cmocka_unit_test(test_explain_tells_the_chain),
                cmocka_unit_test(test_explain_without_a_change_says_why),
                cmocka_unit_test(test_advice),
                cmocka_unit_test(test_no_advice),
                cmocka_unit_test(test_status_hints_on_a_fresh_install),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
