/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* One row an arm. What the kernel and systemd write:
 *
 *   cpuset.cpus "0-3,8\n"   AllowedCPUs=0-3 8    an empty assignment resets the list, any other adds to it
 *   cpu.weight  "200\n"     CPUWeight=200, or idle; the last assignment counts
 *
 * cpu.weight reads 0 while cpu.idle is 1. */

#include "act/setting.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "act/cgroup-files.h"
#include "base/cleanup.h"
#include "base/numbers.h"
#include "io/file.h"

/* CGROUP_WEIGHT_MAX and CGROUP_WEIGHT_DFL of the kernel. */
#define WEIGHT_MAX 10000
#define WEIGHT_DEFAULT "100"
#define IDLE "idle"

typedef struct SettingType {
        int (*parse)(const char *text, size_t len, char **ret);
        int (*assign)(const char *text, size_t len, char **value);
        int (*to_facts)(const char *value, Facts *facts);
        int (*of_facts)(const Facts *facts, char **ret);
        const char *file_default;
} SettingType;

bool setting_equal(const char *a, const char *b) {
        return streq(a ?: "", b ?: "");
}

static int bad_text(int r) {
        return r < 0 && r != -ENOMEM ? -EINVAL : r;
}

/* ---- CPUs */

static int cpus_parse(const char *text, size_t len, char **ret) {
        _cleanup_cpuset_ Cpuset *cpus = NULL;

        int r = cpuset_parse_list(text, len, &cpus);
        if (r < 0)
                return bad_text(r);
        *ret = cpuset_format_list(cpus);
        return *ret ? 0 : -ENOMEM;
}

/* "0-3 8" -> "0-3,8" */
static int spaces_to_commas(const char *text, size_t len, char **ret) {
        char *list = strndup(text, len);

        if (!list)
                return -ENOMEM;
        for (char *p = list; *p; p++)
                if (*p == ' ')
                        *p = ',';
        *ret = list;
        return 0;
}

static int cpus_join(const char *a, const char *b, char **ret) {
        _cleanup_free_ char *both = NULL;

        if (asprintf(&both, "%s,%s", a, b) < 0)
                return -ENOMEM;
        return cpus_parse(both, strlen(both), ret);
}

static int cpus_assign(const char *text, size_t len, char **value) {
        _cleanup_free_ char *list = NULL, *more = NULL, *all = NULL;

        int r = spaces_to_commas(text, len, &list);
        if (r == 0)
                r = cpus_parse(list, strlen(list), &more);
        if (r == 0 && more[0] && !setting_equal(*value, ""))
                r = cpus_join(*value, more, &all);
        if (r < 0)
                return r;
        free(*value);
        *value = TAKE_PTR(all) ?: TAKE_PTR(more);
        return 0;
}

static int cpus_to_facts(const char *value, Facts *facts) {
        Cpuset *cpus = NULL;

        int r = cpuset_parse_list(value ?: "", value ? strlen(value) : 0, &cpus);
        if (r < 0)
                return bad_text(r);
        cpuset_free(facts->property_cpus);
        facts->property_cpus = cpus;
        return 0;
}

static int cpus_of_facts(const Facts *facts, char **ret) {
        *ret = NULL;
        if (!facts->property_cpus || cpuset_empty(facts->property_cpus))
                return 0;
        *ret = cpuset_format_list(facts->property_cpus);
        return *ret ? 0 : -ENOMEM;
}

/* ---- a weight */

static int weight_format(uint64_t weight, char **ret) {
        return asprintf(ret, "%" PRIu64, weight) < 0 ? -ENOMEM : 0;
}

static int copy(const char *text, char **ret) {
        *ret = strdup(text);
        return *ret ? 0 : -ENOMEM;
}

static int weight_parse(const char *text, size_t len, char **ret) {
        uint64_t weight;

        if (len > 0 && text[len - 1] == '\n')
                len--;
        if (len == 0)
                return copy("", ret);
        if (len == strlen(IDLE) && memcmp(text, IDLE, len) == 0)
                return copy(IDLE, ret);
        if (number_parse_u64(text, len, &weight) < 0 || weight > WEIGHT_MAX)
                return -EINVAL;
        return weight == 0 ? copy(IDLE, ret) : weight_format(weight, ret);
}

static int weight_assign(const char *text, size_t len, char **value) {
        char *parsed = NULL;

        int r = weight_parse(text, len, &parsed);
        if (r < 0)
                return r;
        free(*value);
        *value = parsed;
        return 0;
}

static int weight_to_facts(const char *value, Facts *facts) {
        uint64_t weight = 0;
        bool set = !setting_equal(value, ""), idle = set && streq(value, IDLE);

        if (set && !idle && number_parse_u64(value, strlen(value), &weight) < 0)
                return -EINVAL;
        facts->weight_set = set;
        facts->weight_idle = idle;
        facts->weight = weight;
        return 0;
}

/* One that is idle is 0 in number: such a "from" is never what is read back, so that nothing is set over it. */
static int weight_of_facts(const Facts *facts, char **ret) {
        *ret = NULL;
        return facts->weight_set ? weight_format(facts->weight, ret) : 0;
}

/* ---- the table */

static const SettingType types[_ARM_MAX] = {
        [ARM_WEIGHT] = {weight_parse, weight_assign, weight_to_facts, weight_of_facts, WEIGHT_DEFAULT},
        [ARM_PIN] = {cpus_parse, cpus_assign, cpus_to_facts, cpus_of_facts, ""},
};

static const SettingType *type_of(Arm arm) {
        assert(arm > ARM_NONE && arm < _ARM_MAX);
        return &types[arm];
}

int setting_parse(Arm arm, const char *text, size_t len, char **ret) {
        return type_of(arm)->parse(text, len, ret);
}

int setting_assign(Arm arm, const char *text, size_t len, char **value) {
        return type_of(arm)->assign(text, len, value);
}

int setting_to_facts(Arm arm, const char *value, Facts *facts) {
        return type_of(arm)->to_facts(value, facts);
}

int setting_of_facts(Arm arm, const Facts *facts, char **ret) {
        return type_of(arm)->of_facts(facts, ret);
}

int setting_of_file(const ActReader *reader, const char *path, Arm arm, char **ret) {
        _cleanup_filebuf_ FileBuf buf = {};

        int r = cgroup_file_read(reader, path, arm_file(arm), &buf);
        return r < 0 ? r : setting_parse(arm, buf.text, buf.len, ret);
}

const char *setting_file_default(Arm arm) {
        return type_of(arm)->file_default;
}
