/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "test.h"

#include "detect/diagnosis.h"

/* A target in good health, of which a case changes what makes it ill; thousandths. */
static Signals healthy_signals(void) {
        Signals s = {};
        signals_set(&s, SIGNAL_USAGE, 2000);
        signals_set(&s, SIGNAL_DEMAND, 2100);
        signals_set(&s, SIGNAL_WAITING, 100);
        signals_set(&s, SIGNAL_WAIT_PER_SLICE, 100 * 1000);
        signals_set(&s, SIGNAL_WAIT_SHARE, 48);
        signals_set(&s, SIGNAL_MIGRATIONS_PER_SWITCH, 10);
        signals_set(&s, SIGNAL_SWITCHES_PER_CPU_SECOND, 500 * 1000);
        signals_set(&s, SIGNAL_IDLE, 600);
        signals_set(&s, SIGNAL_OTHERS, 200);
        signals_set(&s, SIGNAL_FAIR_SHARE, 2100);
        signals_set(&s, SIGNAL_THROTTLED, 0);
        signals_set(&s, SIGNAL_THROTTLED_PERIODS, 0);
        signals_set(&s, SIGNAL_THROTTLED_OF_DELAY, 0);
        signals_set(&s, SIGNAL_ALLOWED_CPUS, 8000);
        signals_set(&s, SIGNAL_SLICES, 3000 * 1000);
        return s;
}

typedef struct Setting {
        Signal signal;
        int64_t value; /* -1: absent */
} Setting;

static const struct {
        const char *name;
        const char *verdict;
        Setting set[6];
} cases[] = {
        {"nothing changed", "healthy", {}},
        /* design section 1: 22.8 % of switches migrate at 7.2 CPUs used */
        {"churn", "churn", {{SIGNAL_MIGRATIONS_PER_SWITCH, 153}, {SIGNAL_WAIT_SHARE, 290}}},
        {"many migrations that cost nothing", "healthy", {{SIGNAL_MIGRATIONS_PER_SWITCH, 400}}},
        {"migrations on a busy machine",
         "healthy",
         {{SIGNAL_MIGRATIONS_PER_SWITCH, 153}, {SIGNAL_WAIT_SHARE, 290}, {SIGNAL_IDLE, 99}}},
        {"few switches",
         "healthy",
         {{SIGNAL_MIGRATIONS_PER_SWITCH, 153}, {SIGNAL_WAIT_SHARE, 290}, {SIGNAL_SWITCHES_PER_CPU_SECOND, 99999}}},
        {"churn without run delay",
         "churn",
         {{SIGNAL_MIGRATIONS_PER_SWITCH, 153}, {SIGNAL_WAIT_SHARE, -1}, {SIGNAL_USAGE_OF_PAST, 790}}},
        {"migrations unknown", "unknown", {{SIGNAL_MIGRATIONS_PER_SWITCH, -1}, {SIGNAL_WAIT_SHARE, 290}}},
        {"migrations unknown, but the machine is busy",
         "healthy",
         {{SIGNAL_MIGRATIONS_PER_SWITCH, -1}, {SIGNAL_WAIT_SHARE, 290}, {SIGNAL_IDLE, 50}}},
        {"throttled by periods",
         "throttled",
         {{SIGNAL_THROTTLED, 500}, {SIGNAL_THROTTLED_PERIODS, 900}, {SIGNAL_WAIT_SHARE, 800}}},
        {"throttled by a slice above",
         "throttled",
         {{SIGNAL_THROTTLED, 500}, {SIGNAL_THROTTLED_PERIODS, -1}, {SIGNAL_THROTTLED_OF_DELAY, 900}}},
        {"throttled a little", "healthy", {{SIGNAL_THROTTLED, 49}, {SIGNAL_THROTTLED_PERIODS, 900}}},
        {"throttled comes before churn",
         "throttled",
         {{SIGNAL_THROTTLED, 500},
          {SIGNAL_THROTTLED_PERIODS, 900},
          {SIGNAL_WAIT_SHARE, 290},
          {SIGNAL_MIGRATIONS_PER_SWITCH, 153}}},
        {"starvation by others",
         "starvation",
         {{SIGNAL_WAIT_SHARE, 480},
          {SIGNAL_IDLE, 10},
          {SIGNAL_WAIT_PER_SLICE, 18500 * 1000},
          {SIGNAL_WAITING, 2900},
          {SIGNAL_OTHERS, 5000}}},
        {"starvation by fair share",
         "starvation",
         {{SIGNAL_WAIT_SHARE, 480},
          {SIGNAL_IDLE, 10},
          {SIGNAL_WAIT_PER_SLICE, 18500 * 1000},
          {SIGNAL_WAITING, 2900},
          {SIGNAL_OTHERS, 1000},
          {SIGNAL_FAIR_SHARE, 4100}}},
        {"saturated",
         "saturated",
         {{SIGNAL_WAIT_SHARE, 500},
          {SIGNAL_IDLE, 0},
          {SIGNAL_WAIT_PER_SLICE, 30000 * 1000},
          {SIGNAL_WAITING, 8000},
          {SIGNAL_OTHERS, 100}}},
        {"busy, but waits are short",
         "healthy",
         {{SIGNAL_WAIT_SHARE, 480}, {SIGNAL_IDLE, 10}, {SIGNAL_WAIT_PER_SLICE, 1900 * 1000}}},
        {"too few slices",
         "healthy",
         {{SIGNAL_SLICES, 29 * 1000}, {SIGNAL_MIGRATIONS_PER_SWITCH, 153}, {SIGNAL_WAIT_SHARE, 290}}},
        {"too little demand",
         "healthy",
         {{SIGNAL_DEMAND, 99}, {SIGNAL_MIGRATIONS_PER_SWITCH, 153}, {SIGNAL_WAIT_SHARE, 290}}},
};

static const Policy policy = {.wait_target_usec = USEC_PER_MSEC};

static void apply(Signals *s, const Setting *set, size_t n) {
        for (size_t i = 0; i < n; i++)
                if (set[i].value < 0)
                        signals_clear(s, set[i].signal);
                else if (set[i].signal || set[i].value)
                        signals_set(s, set[i].signal, set[i].value);
}

static void test_table(void **state) {
        for (size_t i = 0; i < ELEMENTSOF(cases); i++) {
                Diagnosis d = {};
                Signals s = healthy_signals();
                Verdict v;
                apply(&s, cases[i].set, ELEMENTSOF(cases[i].set));
                diagnosis_step(&d, &s, &policy, true, 1, &v);
                if (!streq(v.kind->name, cases[i].verdict))
                        fail_msg("%s: %s instead of %s", cases[i].name, v.kind->name, cases[i].verdict);
                assert_true(strlen(v.text) > 0);
        }
}

static void test_unknown_names_what_is_missing(void **state) {
        Diagnosis d = {};
        Signals s = healthy_signals();
        Verdict v;
        signals_set(&s, SIGNAL_WAIT_SHARE, 290);
        signals_clear(&s, SIGNAL_MIGRATIONS_PER_SWITCH);
        diagnosis_step(&d, &s, &policy, true, 1, &v);
        assert_true(v.missing == UINT64_C(1) << SIGNAL_MIGRATIONS_PER_SWITCH);
        assert_string_equal(v.text, "can't be told: needs the threads' sched files (CONFIG_SCHED_DEBUG)");
}

static void test_unknown_for_short_lived_threads(void **state) {
        Diagnosis d = {};
        Signals s = {};
        Verdict v;
        signals_set(&s, SIGNAL_USAGE, 2000);
        signals_set(&s, SIGNAL_COVERAGE, 120);
        diagnosis_step(&d, &s, &policy, true, 1, &v);
        assert_string_equal(v.kind->name, "unknown");
        assert_non_null(strstr(v.text, "12 %"));
        /* What they did is known from their process, but not how often they moved. */
        signals_set(&s, SIGNAL_COVERAGE, 990);
        signals_set(&s, SIGNAL_COVERAGE_SEEN, 130);
        diagnosis_step(&d, &s, &policy, true, 2, &v);
        assert_string_equal(v.kind->name, "unknown");
        assert_non_null(strstr(v.text, "13 %"));
}

static void test_not_looked_closer_is_healthy(void **state) {
        Diagnosis d = {};
        Signals s = {};
        Verdict v;
        signals_set(&s, SIGNAL_USAGE, 300);
        diagnosis_step(&d, &s, &policy, false, 1, &v);
        assert_string_equal(v.kind->name, "healthy");
        diagnosis_step(&d, &s, &policy, true, 2, &v);
        assert_string_equal(v.kind->name, "unknown");
}

static Verdict step(Diagnosis *d, int64_t migrations, uint64_t tick) {
        Signals s = healthy_signals();
        Verdict v;
        signals_set(&s, SIGNAL_MIGRATIONS_PER_SWITCH, migrations);
        signals_set(&s, SIGNAL_WAIT_SHARE, 290);
        diagnosis_step(d, &s, &policy, true, tick, &v);
        return v;
}

static void test_three_of_four_confirm(void **state) {
        Diagnosis d = {};
        uint64_t tick = 0;
        assert_false(step(&d, 153, ++tick).confirmed);
        assert_false(step(&d, 10, ++tick).confirmed);
        assert_false(step(&d, 153, ++tick).confirmed);
        assert_true(step(&d, 153, ++tick).confirmed);
}

static void test_standing_verdict_is_lost_only_by_far(void **state) {
        Diagnosis d = {};
        uint64_t tick = 0;
        for (; tick < 4;)
                (void) step(&d, 153, ++tick);
        /* Below the bound of 50, but not by 40 %: stays for ever. */
        for (; tick < 12;) {
                Verdict v = step(&d, 31, ++tick);
                assert_string_equal(v.kind->name, "churn");
                assert_int_equal(v.since_tick, 1);
        }
        /* Missed by 40 %: lost with the third of such ticks. */
        assert_string_equal(step(&d, 29, ++tick).kind->name, "churn");
        assert_string_equal(step(&d, 29, ++tick).kind->name, "churn");
        assert_string_equal(step(&d, 29, ++tick).kind->name, "healthy");
}

/* cases: an alternating fault must not flap into a change */
static void test_alternating_never_confirms(void **state) {
        Diagnosis d = {};
        for (uint64_t tick = 1; tick < 3600; tick++)
                assert_false(step(&d, tick % 2 ? 120 : 10, tick).confirmed && d.standing);
}

static void test_others_are_listed(void **state) {
        Diagnosis d = {};
        Signals s = healthy_signals();
        Verdict v;
        signals_set(&s, SIGNAL_THROTTLED, 500);
        signals_set(&s, SIGNAL_THROTTLED_PERIODS, 900);
        signals_set(&s, SIGNAL_WAIT_SHARE, 290);
        signals_set(&s, SIGNAL_MIGRATIONS_PER_SWITCH, 153);
        diagnosis_step(&d, &s, &policy, true, 1, &v);
        assert_string_equal(v.kind->name, "throttled");
        assert_non_null(v.also[0]);
        assert_string_equal(v.also[0]->name, "churn");
        assert_null(v.also[1]);
}

static void test_kleene(void **state) {
        assert_int_equal(ALL_OF(ANSWER_ABSENT, ANSWER_NO), ANSWER_NO);
        assert_int_equal(ALL_OF(ANSWER_ABSENT, ANSWER_YES), ANSWER_ABSENT);
        assert_int_equal(ANY_OF(ANSWER_ABSENT, ANSWER_YES), ANSWER_YES);
        assert_int_equal(ANY_OF(ANSWER_ABSENT, ANSWER_NO), ANSWER_ABSENT);
        assert_int_equal(answer_not(ANSWER_ABSENT), ANSWER_ABSENT);
        assert_int_equal(answer_not(ANSWER_NO), ANSWER_YES);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_table),
                cmocka_unit_test(test_unknown_names_what_is_missing),
                cmocka_unit_test(test_unknown_for_short_lived_threads),
                cmocka_unit_test(test_not_looked_closer_is_healthy),
                cmocka_unit_test(test_three_of_four_confirm),
                cmocka_unit_test(test_standing_verdict_is_lost_only_by_far),
                cmocka_unit_test(test_alternating_never_confirms),
                cmocka_unit_test(test_others_are_listed),
                cmocka_unit_test(test_kleene),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
