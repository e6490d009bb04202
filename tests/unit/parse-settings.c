/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "test.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parse/settings.h"

static int parse_len(const char *text, size_t len, Settings **ret, SettingsError *error) {
        SettingsText t = {.file = "f.conf", .text = text, .len = len};
        return settings_parse(&t, 1, ret, error);
}

static int parse(const char *text, Settings **ret, SettingsError *error) {
        return parse_len(text, strlen(text), ret, error);
}

/* The whole message is part of the interface: where, what is wrong, what would be right. */
static void assert_refused(const char *text, const char *message) {
        SettingsError error = {};
        Settings *s = NULL;
        if (parse(text, &s, &error) != -EBADMSG)
                fail_msg("taken: %s", text);
        assert_null(s);
        assert_string_equal(error.text, message);
}

static Settings *assert_taken(const char *text) {
        SettingsError error = {};
        Settings *s = NULL;
        if (parse(text, &s, &error) != 0)
                fail_msg("%s: %s", text, error.text);
        return s;
}

static void test_defaults(void **state) {
        _cleanup_settings_ Settings *s = NULL;
        SettingsError error;
        assert_int_equal(settings_parse(NULL, 0, &s, &error), 0);

        assert_int_equal(s->interval_usec, USEC_PER_SEC);
        assert_int_equal(s->cpu_budget_permille, 10);
        assert_int_equal(s->before_ticks, 20);
        assert_int_equal(s->settle_ticks, 2);
        assert_int_equal(s->after_ticks, 30);
        assert_int_equal(s->min_age_usec, 60 * USEC_PER_SEC);
        assert_int_equal(s->weight_interval_usec, 5 * USEC_PER_MINUTE);
        assert_int_equal(s->changes_per_hour, 6);
        assert_int_equal(s->retrial_usec, 6 * USEC_PER_HOUR);
        assert_int_equal(s->n_policies, 0);

        const Policy *p = &s->defaults;
        assert_int_equal(p->mode, MODE_ADVISE);
        assert_int_equal(p->goal, GOAL_THROUGHPUT);
        assert_int_equal(p->pin, PIN_AUTO);
        assert_null(p->pin_cpus);
        assert_int_equal(p->weight, AUTO_AUTO);
        assert_int_equal(p->weight_max, 400);
        assert_int_equal(p->min_cpus, 0);
        assert_int_equal(p->kernel, AUTO_NEVER);
        assert_int_equal(p->wait_target_usec, USEC_PER_MSEC);
        assert_int_equal(p->min_gain_permille, 200);
        assert_int_equal(p->max_harm_permille, 50);
        assert_int_equal(p->max_take_permille, 500);
        assert_null(p->metric_file);
        assert_null(p->metric_name);
        assert_int_equal(p->metric_better, METRIC_HIGHER);
}

/* Each key: what it takes and what not. A | separates. `main` and `policy` say where it may stand. */
static const struct {
        const char *key, *good, *bad;
} values[] = {
        {"interval", "20ms|1s|1.5s|60s|1min|5", "19ms|61s|0|-1s|1 fortnight|abc||1s;|18446744073709551616s"},
        {"cpu-budget", "0.1%|1%|100%", "0%|0.05%|101%|1|-1%||%"},
        {"before", "1|12|20|1000", "0|1001|abc||20s|-5|18446744073709551616"},
        {"settle", "0|2|100", "101|-1|2.5|"},
        {"after", "1|31|1000", "0|1001|x|"},
        {"min-age", "0s|0|60s|1h|7d", "8d|-1s|soon|"},
        {"weight-interval", "1s|5min|1d", "0s|500ms|2d|"},
        {"changes-per-hour", "1|6|3600", "0|3601|6.5|six|"},
        {"retrial", "10s|6h|30d", "9s|31d|never|"},
        {"mode", "ignore|observe|advise|act", "ACT|on|act;|acting|"},
        {"wait-target", "10us|1ms|10s", "9us|11s|fast|"},
        {"goal", "latency|throughput", "speed|"},
        {"pin", "auto|never|llc|node|package|0|0-3|0-3,8-11|8191", "3-1|8192|9999|0,,2|cpu0|0-3 ; x|0-3 # x|l3|"},
        {"weight", "auto|never", "abc|200|"},
        {"weight-max", "1|100|400|10000", "abc|0|10001|18446744073709551615|400%|"},
        {"min-cpus", "1|2|8192|", "0|8193|-1|two"},
        {"kernel", "never|auto", "yes|"},
        {"min-gain", "1%|20%|12.5%|100%", "0%|0.5%|20|1001%|"},
        {"max-harm", "0%|5%|100%", "101%|5|"},
        {"max-take", "0%|50%|100%", "101%|half|"},
        {"metric-better", "lower|higher", "more|"},
        {"metric-file", "/run/x.prom|", "run/x.prom|./x"},
        {"match", "a.service|w@*.service|/a/b|/a/*|/x.slice/*.scope|b.slice", "|a|/|//a|/a/|/../a|*.slice|a.timer"},
};

static const SettingsKey *find_key(const char *name) {
        const SettingsKey *key;
        for (size_t i = 0; (key = settings_key(i)); i++)
                if (streq(key->name, name))
                        return key;
        fail_msg("no key %s", name);
        return NULL;
}

static void try_value(const char *header, const char *key, const char *value, bool good) {
        char text[512];
        _cleanup_settings_ Settings *s = NULL;
        SettingsError error = {};
        (void) snprintf(text, sizeof(text), "%s\n%s=%s\n", header, key, value);
        int r = parse(text, &s, &error);
        if (good && r != 0)
                fail_msg("%s: %s", text, error.text);
        if (!good && r != -EBADMSG)
                fail_msg("taken: %s", text);
        if (!good && !strstr(error.text, "expected") && !streq(key, "match"))
                fail_msg("%s: says not what would be right: %s", text, error.text);
}

static void try_list(const char *header, const char *key, const char *list, bool good) {
        char *copy = strdup(list), *rest = copy, *value;
        while ((value = strsep(&rest, "|")))
                try_value(header, key, value, good);
        free(copy);
}

static void test_values(void **state) {
        for (size_t i = 0; i < ELEMENTSOF(values); i++) {
                const SettingsKey *key = find_key(values[i].key);
                if (key->in_main) {
                        try_list("[placerd]", key->name, values[i].good, true);
                        try_list("[placerd]", key->name, values[i].bad, false);
                }
                if (key->in_policy) {
                        try_list("[a.service]", key->name, values[i].good, true);
                        try_list("[a.service]", key->name, values[i].bad, false);
                }
        }
}

static void test_every_key_is_tried(void **state) {
        const SettingsKey *key;
        for (size_t i = 0; (key = settings_key(i)); i++) {
                bool found = streq(key->name, "metric-name"); /* any text: test_metric */
                for (size_t j = 0; j < ELEMENTSOF(values); j++)
                        found = found || streq(values[j].key, key->name);
                if (!found)
                        fail_msg("%s is not tried", key->name);
                assert_true(key->in_main || key->in_policy);
        }
}

/* Every value lands in its own field, and only there. */
static void test_fields(void **state) {
        _cleanup_settings_ Settings *s =
                assert_taken("[placerd]\ninterval=500ms\ncpu-budget=2.5%\nbefore=25\nsettle=3\nafter=35\nmin-age=5s\n"
                             "weight-interval=10min\nchanges-per-hour=7\nretrial=1h\n"
                             "[x.service]\nmode=act\nwait-target=2ms\ngoal=latency\npin=4-7\nweight=never\n"
                             "weight-max=300\nmin-cpus=3\nkernel=auto\nmin-gain=30%\nmax-harm=4%\nmax-take=40%\n"
                             "metric-file=/run/m\nmetric-name=p99\nmetric-better=lower\n");
        assert_int_equal(s->interval_usec, 500 * USEC_PER_MSEC);
        assert_int_equal(s->cpu_budget_permille, 25);
        assert_int_equal(s->before_ticks, 25);
        assert_int_equal(s->settle_ticks, 3);
        assert_int_equal(s->after_ticks, 35);
        assert_int_equal(s->min_age_usec, 5 * USEC_PER_SEC);
        assert_int_equal(s->weight_interval_usec, 10 * USEC_PER_MINUTE);
        assert_int_equal(s->changes_per_hour, 7);
        assert_int_equal(s->retrial_usec, USEC_PER_HOUR);

        assert_int_equal(s->n_policies, 1);
        const Policy *p = &s->policies[0];
        assert_string_equal(p->name, "x.service");
        assert_string_equal(p->file, "f.conf");
        assert_int_equal(p->line, 11);
        assert_int_equal(p->mode, MODE_ACT);
        assert_int_equal(p->wait_target_usec, 2 * USEC_PER_MSEC);
        assert_int_equal(p->goal, GOAL_LATENCY);
        assert_int_equal(p->pin, PIN_CPUS);
        assert_int_equal(cpuset_count(p->pin_cpus), 4);
        assert_true(cpuset_has(p->pin_cpus, 7));
        assert_int_equal(p->weight, AUTO_NEVER);
        assert_int_equal(p->weight_max, 300);
        assert_int_equal(p->min_cpus, 3);
        assert_int_equal(p->kernel, AUTO_AUTO);
        assert_int_equal(p->min_gain_permille, 300);
        assert_int_equal(p->max_harm_permille, 40);
        assert_int_equal(p->max_take_permille, 400);
        assert_string_equal(p->metric_file, "/run/m");
        assert_string_equal(p->metric_name, "p99");
        assert_int_equal(p->metric_better, METRIC_LOWER);
        assert_int_equal(s->defaults.mode, MODE_ADVISE);
        assert_int_equal(s->defaults.pin, PIN_AUTO);
}

/* [placerd] says it for all, wherever it stands; a section's own word goes first. */
static void test_inheritance(void **state) {
        _cleanup_settings_ Settings *s = assert_taken("[a.service]\n[b.service]\npin=llc\nmin-gain=10%\n"
                                                      "[placerd]\nmode=act\npin=0-1\nmin-gain=50%\n");
        const Policy *a = &s->policies[0], *b = &s->policies[1];
        assert_int_equal(a->mode, MODE_ACT);
        assert_int_equal(a->pin, PIN_CPUS);
        assert_true(cpuset_equal(a->pin_cpus, s->defaults.pin_cpus));
        assert_ptr_not_equal(a->pin_cpus, s->defaults.pin_cpus);
        assert_int_equal(a->min_gain_permille, 500);
        assert_int_equal(b->mode, MODE_ACT);
        assert_int_equal(b->pin, PIN_LLC);
        assert_null(b->pin_cpus);
        assert_int_equal(b->min_gain_permille, 100);
}

static void test_metric(void **state) {
        _cleanup_settings_ Settings *s =
                assert_taken("[a.service]\nmetric-file=/m\nmetric-name=http_requests_total{code=\"200\"}\n");
        assert_string_equal(s->policies[0].metric_name, "http_requests_total{code=\"200\"}");
        assert_refused("[a.service]\nmode=act\nmetric-name=x\n",
                       "f.conf:1: [a.service] has metric-name= but no metric-file=; add it");
}

static void test_match(void **state) {
        _cleanup_settings_ Settings *s =
                assert_taken("[web]\nmatch=nginx.service\nmatch=/jobs/*\n[worker@[ab].service]\n");
        assert_int_equal(s->policies[0].n_matches, 2);
        assert_string_equal(s->policies[0].matches[0], "nginx.service");
        assert_string_equal(s->policies[0].matches[1], "/jobs/*");
        assert_string_equal(s->policies[1].name, "worker@[ab].service");
        assert_ptr_equal(settings_find_policy(s, NULL, "/jobs/a"), &s->policies[0]);
        assert_ptr_equal(settings_find_policy(s, "worker@b.service", "/x"), &s->policies[1]);
}

/* What is wrong, line by line. */
static void test_messages(void **state) {
        static const char *const cases[][2] = {
                {"[placerd]\n\nmode=acct\n",
                 "f.conf:3: mode=acct is not accepted; expected ignore, observe, advise or act"},
                {"[placerd]\ninterval=5ms\n",
                 "f.conf:2: interval=5ms is not accepted; expected a time span from 20ms to 60s"},
                {"[placerd]\nmod=act\n", "f.conf:2: unknown key 'mod'; did you mean 'mode'?"},
                {"[placerd]\nwait_target=1ms\n", "f.conf:2: unknown key 'wait_target'; did you mean 'wait-target'?"},
                {"[placerd]\nallowed-cpus=1\n",
                 "f.conf:2: unknown key 'allowed-cpus'; placerd.conf(5) lists those there are"},
                {"[placerd]\nmatch=a.service\n", "f.conf:2: match= belongs into a unit's section, not into [placerd]"},
                {"[placerd]\nmetric-file=/m\n",
                 "f.conf:2: metric-file= belongs into a unit's section, not into [placerd]"},
                {"[a.service]\ninterval=1s\n", "f.conf:2: interval= belongs into [placerd], it is not for one unit"},
                {"mode=act\n[placerd]\n",
                 "f.conf:1: mode= stands before any section; put [placerd] or a unit's [NAME] above it"},
                {"[a.service]\n[web]\nmode=act\n",
                 "f.conf:2: [web] has no type of unit that runs processes; expected one like nginx.service, "
                 "worker@*.service or batch.slice, or a match= in this section"},
                {"[a.service]\npin=0-1\nmin-cpus=4\n",
                 "f.conf:1: [a.service] pins to 2 CPUs, but min-cpus=4; change one of the two"},
                {"[]\n", "f.conf:1: a section's name is empty or has blanks around it; expected [NAME]"},
                {"[ a.service ]\n", "f.conf:1: a section's name is empty or has blanks around it; expected [NAME]"},
                {"[a.service] # web\n",
                 "f.conf:1: there is text behind the closing ]; a comment needs a line of its own"},
                {"[placerd]\nm\x01ode=act\n",
                 "f.conf:2: there are control characters in this line, or it is not UTF-8; "
                 "write plain text"},
        };
        for (size_t i = 0; i < ELEMENTSOF(cases); i++)
                assert_refused(cases[i][0], cases[i][1]);
}

/* Names that can't be a target, or are somebody else's. */
static void test_names(void **state) {
        static const struct {
                const char *name;
                bool good;
        } names[] = {
                {"nginx.service", true},
                {"worker@*.service", true},
                {"docker-*.scope", true},
                {"a\\x2db.service", true},
                {"batch.slice", true},
                {"/system.slice/a.service", true},
                {"/jobs/*", true},
                {"/batch.slice", true},
                {"init.scope", false},
                {"/init.scope", false},
                {"placerd.service", false},
                {"/system.slice/placerd.service", false},
                {"-.slice", false},
                {"system.slice", false},
                {"user.slice", false},
                {"machine.slice", false},
                {"/system.slice", false},
                {"*.slice", false},
                {"batch-?.slice", false},
                {"/system.slice/*.slice", false},
                {"user@1000.service", false},
                {"user@*.service", false},
                {"/user.slice/user-1000.slice/user@1000.service/app.slice/x.service", false},
                {"/user.slice/user-*.slice/user@*.service/app.slice/*", false},
                {".service", false},
                {"a b.service", false},
                {"caf\xc3\xa9.service", false},
                {"worker@[ab.service", false},
                {"cron.timer", false},
                {"nginx", false},
                {"nginx*", false},
                {"/", false},
                {"/a//b", false},
                {"/a/./b", false},
                {"/a/../b", false},
                {"/a/", false},
        };
        for (size_t i = 0; i < ELEMENTSOF(names); i++) {
                char text[256];
                Settings *s = NULL;
                SettingsError error = {};
                (void) snprintf(text, sizeof(text), "[x]\nmode=advise\nmatch=%s\n", names[i].name);
                int r = parse(text, &s, &error);
                if ((r == 0) != names[i].good)
                        fail_msg("%s: %s", names[i].name, error.text);
                if (r != 0 && strncmp(error.text, "f.conf:3: match=", 16) != 0)
                        fail_msg("%s", error.text);
                settings_free(s);
        }
}

static void test_containers_are_not_acted_on(void **state) {
        static const char *const names[] = {"docker-*.scope", "libpod-0123.scope", "crio-*.scope", "lxc@a.service",
                                            "kubepods-burstable.slice"};
        char text[256];
        for (size_t i = 0; i < ELEMENTSOF(names); i++) {
                SettingsError error = {};
                Settings *s = NULL;
                (void) snprintf(text, sizeof(text), "[%s]\nmode=act\n", names[i]);
                assert_int_equal(parse(text, &s, &error), -EBADMSG);
                (void) snprintf(text, sizeof(text), "[placerd]\nmode=act\n[%s]\n", names[i]);
                assert_int_equal(parse(text, &s, &error), -EBADMSG);
                (void) snprintf(text, sizeof(text), "[placerd]\nmode=act\n[%s]\nmode=advise\n", names[i]);
                s = assert_taken(text);
                settings_free(s);
        }
        assert_refused("[x]\nmode=act\nmatch=/machine.slice/libpod-1.scope\n",
                       "f.conf:1: /machine.slice/libpod-1.scope belongs to a container manager, which placerd never "
                       "works against; mode=observe or mode=advise is possible here");
}

/* ---- what has hurt others who use inih, by the letters of the list of cases ---- */

static void test_long_comment(void **state) {
        char text[512];
        (void) snprintf(text, sizeof(text), "[placerd]\n#%0250dmode=act\n", 0);
        _cleanup_settings_ Settings *s = assert_taken(text);
        assert_int_equal(s->defaults.mode, MODE_ADVISE);
}

static void test_long_value(void **state) {
        char list[600] = "0", text[1024];
        for (int cpu = 2; strlen(list) < 400; cpu += 2)
                (void) snprintf(list + strlen(list), sizeof(list) - strlen(list), ",%d", cpu);
        (void) snprintf(text, sizeof(text), "[a.service]\npin=%s,8191\nmode=act\n", list);
        _cleanup_settings_ Settings *s = assert_taken(text);
        assert_true(cpuset_has(s->policies[0].pin_cpus, 8191));
        assert_int_equal(s->policies[0].mode, MODE_ACT);
}

static void test_longest_line(void **state) {
        static char text[70000];
        SettingsError error;
        Settings *s = NULL;
        for (size_t n = 65500; n <= 65600; n += 100) {
                int head = snprintf(text, sizeof(text), "[a.service]\nmetric-file=/m\nmetric-name=");
                memset(text + head, 'x', n);
                (void) snprintf(text + head + n, sizeof(text) - (size_t) head - n, "\nmode=act\n");
                int r = parse(text, &s, &error);
                if (n < 65520) {
                        assert_int_equal(r, 0);
                        assert_int_equal(strlen(s->policies[0].metric_name), n);
                        assert_int_equal(s->policies[0].mode, MODE_ACT);
                        settings_free(s);
                } else {
                        assert_int_equal(r, -EBADMSG);
                        assert_string_equal(error.text,
                                            "f.conf:3: this line is longer than 65532 bytes; write ranges like 0-63");
                }
        }
}

static void test_indented_keys(void **state) {
        _cleanup_settings_ Settings *s = assert_taken("[a.service]\n  pin=0-3\n\tweight-max=200\n  [b.service]\n");
        assert_int_equal(s->policies[0].pin, PIN_CPUS);
        assert_int_equal(s->policies[0].weight_max, 200);
        assert_int_equal(s->n_policies, 2);
}

static void test_repeated(void **state) {
        assert_refused("[a.service]\nmode=act\nmode=act\n",
                       "f.conf:3: mode= stands already in this section; keep one of the two");
        assert_refused("[placerd]\nsettle=1\nmode=act\nsettle=1\n",
                       "f.conf:4: settle= stands already at f.conf:2; keep one of the two");
        assert_refused("[a.service]\n[b.service]\n[a.service]\n",
                       "f.conf:3: [a.service] stands already at f.conf:1; keep one of the two");
        assert_refused("[placerd]\n[a.service]\n[placerd]\n",
                       "f.conf:3: [placerd] stands already in line 1; put all its keys there");
}

static void test_byte_order_mark(void **state) {
        _cleanup_settings_ Settings *s = assert_taken("\xef\xbb\xbf[a.service]\nmode=act\n");
        assert_string_equal(s->policies[0].name, "a.service");
        assert_refused("[a.service]\n\xef\xbb\xbfmode=act\n", "f.conf:2: unknown key '\xef\xbb\xbfmode'; "
                                                              "placerd.conf(5) lists those there are");
}

static void test_comments_and_colons(void **state) {
        _cleanup_settings_ Settings *s = assert_taken("[a.service]\n; one\n  # two\nmetric-file=/a;b ; c\n");
        assert_string_equal(s->policies[0].metric_file, "/a;b ; c");
        assert_refused("[a.service]\nx:y = 1\n",
                       "f.conf:2: expected KEY=VALUE, a [SECTION], or a comment that starts with # or ;");
        assert_refused("[a.service]\nmode: act\n",
                       "f.conf:2: expected KEY=VALUE, a [SECTION], or a comment that starts with # or ;");
}

static void test_line_ends_and_bytes(void **state) {
        static const char nul[] = "[a.service]\nmode=a\0ct\n";
        SettingsError error;
        Settings *none = NULL;
        _cleanup_settings_ Settings *s = assert_taken("[a.service]\r\n\r\nmode=act\r\npin=llc");
        assert_int_equal(s->policies[0].mode, MODE_ACT);
        assert_int_equal(s->policies[0].pin, PIN_LLC);

        assert_int_equal(parse_len(nul, sizeof(nul) - 1, &none, &error), -EBADMSG);
        assert_string_equal(error.text, "f.conf:2: there is a NUL byte in this line; the file must be plain text");
        assert_refused("[a.service]\nmode\n",
                       "f.conf:2: expected KEY=VALUE, a [SECTION], or a comment that starts with # or ;");
        assert_refused("[a.service]\nmetric-file=/\xff\n", "f.conf:2: there are control characters in this line, or it "
                                                           "is not UTF-8; write plain text");
        assert_refused("[a.service]\nmetric-file=/\xed\xa0\x80\n", "f.conf:2: there are control characters in this "
                                                                   "line, or it is not UTF-8; write plain text");
}

static void test_long_section_names(void **state) {
#define ID_A "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdea"
#define ID_B "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdeb"
        _cleanup_settings_ Settings *s =
                assert_taken("[docker-" ID_A ".scope]\nmode=observe\n[docker-" ID_B ".scope]\nmode=ignore\n");
        assert_int_equal(s->n_policies, 2);
        assert_string_equal(s->policies[0].name, "docker-" ID_A ".scope");
        assert_int_equal(s->policies[0].mode, MODE_OBSERVE);
        assert_string_equal(s->policies[1].name, "docker-" ID_B ".scope");
        assert_int_equal(s->policies[1].mode, MODE_IGNORE);

        char text[1024];
        (void) snprintf(text, sizeof(text), "\n[%0513d]\nmatch=a.service\n", 0);
        assert_refused(text, "f.conf:2: this section's name is longer than 512 bytes; take a short one, and match= for "
                             "a long path");
}

static void test_unclosed_header(void **state) {
        assert_refused("[a.service]\npin=0\n[b.service\npin=7\n",
                       "f.conf:3: this section header has no closing ]; expected [NAME]");
}

/* Several files are one; each message names its own. */
static void test_files(void **state) {
        SettingsText texts[] = {
                {.file = "main", .text = "[placerd]\nmin-age=5s\n[a.service]\n"},
                {.file = "more", .text = "[placerd]\nsettle=4\n[b.service]\n"},
                {.file = "again", .text = "\n[placerd]\nmin-age=6s\n"},
                {.file = "twin", .text = "[a.service]\n"},
        };
        for (size_t i = 0; i < ELEMENTSOF(texts); i++)
                texts[i].len = strlen(texts[i].text);
        _cleanup_settings_ Settings *s = NULL;
        Settings *none = NULL;
        SettingsError error;
        assert_int_equal(settings_parse(texts, 2, &s, &error), 0);
        assert_int_equal(s->min_age_usec, 5 * USEC_PER_SEC);
        assert_int_equal(s->settle_ticks, 4);
        assert_string_equal(s->policies[1].file, "more");
        assert_int_equal(s->policies[1].line, 3);

        assert_int_equal(settings_parse(texts, 3, &none, &error), -EBADMSG);
        assert_string_equal(error.text, "again:3: min-age= stands already at main:2; keep one of the two");
        texts[2] = texts[3];
        assert_int_equal(settings_parse(texts, 3, &none, &error), -EBADMSG);
        assert_string_equal(error.text, "twin:1: [a.service] stands already at main:3; keep one of the two");
        assert_null(none);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_defaults),
                cmocka_unit_test(test_values),
                cmocka_unit_test(test_every_key_is_tried),
                cmocka_unit_test(test_fields),
                cmocka_unit_test(test_inheritance),
                cmocka_unit_test(test_metric),
                cmocka_unit_test(test_match),
                cmocka_unit_test(test_messages),
                cmocka_unit_test(test_names),
                cmocka_unit_test(test_containers_are_not_acted_on),
                cmocka_unit_test(test_long_comment),
                cmocka_unit_test(test_long_value),
                cmocka_unit_test(test_longest_line),
                cmocka_unit_test(test_indented_keys),
                cmocka_unit_test(test_repeated),
                cmocka_unit_test(test_byte_order_mark),
                cmocka_unit_test(test_comments_and_colons),
                cmocka_unit_test(test_line_ends_and_bytes),
                cmocka_unit_test(test_long_section_names),
                cmocka_unit_test(test_unclosed_header),
                cmocka_unit_test(test_files),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
