/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Words and owners of plans, refusals, changes, facts, outcomes. What owns memory is freed whole: the suite also runs
 * under LeakSanitizer. */

#include "test.h"

#include <stdlib.h>

#include "model/facts.h"
#include "model/outcome.h"
#include "model/plan.h"

static Cpuset *list(const char *text) {
        Cpuset *set;
        assert_int_equal(cpuset_parse_list(text, strlen(text), &set), 0);
        return set;
}

static ThreadMask *masks(size_t n) {
        ThreadMask *m = calloc(n, sizeof(*m));
        assert_non_null(m);
        for (size_t i = 0; i < n; i++)
                m[i].cpus = list("0-1");
        return m;
}

static void test_plan(void **state) {
        Plan p = {.arm = ARM_PIN,
                  .target = strdup("/a"),
                  .unit = strdup("a"),
                  .cpus = list("4-7,12-15"),
                  .reason = strdup("")};
        char *value = plan_value(&p);
        assert_string_equal(value, "4-7,12-15");
        assert_string_equal(arm_property(p.arm), "AllowedCPUs");
        assert_string_equal(arm_name(p.arm), "pin");
        free(value);
        plan_done(&p);
        assert_null(p.cpus);
        plan_done(&p); /* an empty one is fine */
}

static void test_refusal(void **state) {
        Refusal r = {};
        refusal_set(&r, 77, "held back: %d of %s", 3, "four");
        assert_true(r.refused);
        assert_int_equal(r.until_usec, 77);
        assert_string_equal(r.text, "held back: 3 of four");

        char name[1024];
        memset(name, 'x', sizeof(name) - 1);
        name[sizeof(name) - 1] = '\0';
        refusal_set(&r, 0, "%s", name); /* longer than there is room: cut, never overrun */
        assert_int_equal(strlen(r.text), sizeof(r.text) - 1);
}

static void test_change_and_facts_own_all(void **state) {
        Change c = {
                .target = strdup("/a"),
                .unit = strdup("a"),
                .invocation = strdup("0"),
                .from = NULL,
                .to = strdup("0-3"),
                .file_from = strdup(""),
                .effective_from = strdup("0-7"),
                .masks = masks(3),
                .n_masks = 3,
                .verdict = strdup("churn"),
                .reason = strdup("r"),
                .residue = strdup("s"),
        };
        change_done(&c);
        assert_null(c.masks);
        assert_int_equal(c.n_masks, 0);

        Facts f = {.unit = strdup("a"),
                   .invocation = strdup("0"),
                   .property_cpus = list("0"),
                   .masks = masks(2),
                   .n_masks = 2,
                   .descendant_cpus = calloc(2, sizeof(Cpuset *)),
                   .n_descendant_cpus = 2};
        f.descendant_cpus[0] = list("1");
        f.descendant_cpus[1] = list("2-3");
        facts_done(&f);
        assert_null(f.descendant_cpus);
        facts_done(&f);
}

static void test_outcome_words(void **state) {
        static const struct {
                OutcomeKind kind;
                const char *name;
        } rows[] = {
                {OUTCOME_KEPT, "kept"},
                {OUTCOME_NO_EFFECT, "no-effect"},
                {OUTCOME_WORSE, "worse"},
                {OUTCOME_OVERRIDDEN, "overridden"},
                {OUTCOME_INCONCLUSIVE, "inconclusive"},
        };
        for (size_t i = 0; i < ELEMENTSOF(rows); i++)
                assert_string_equal(outcome_name(rows[i].kind), rows[i].name);

        for (Quantity q = QUANTITY_NONE; q < _QUANTITY_MAX; q++) {
                assert_non_null(quantity_info(q)->name);
                assert_non_null(quantity_info(q)->text);
                assert_true(quantity_info(q)->scale > 0);
        }
        assert_string_equal(quantity_info(QUANTITY_MIGRATIONS_PER_SWITCH)->name, "migrations_per_switch");
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_plan),
                cmocka_unit_test(test_refusal),
                cmocka_unit_test(test_change_and_facts_own_all),
                cmocka_unit_test(test_outcome_words),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
