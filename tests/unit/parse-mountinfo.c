/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Where cgroup2 is on pure, hybrid and old machines. */

#include "test.h"

#include "parse/mountinfo.h"

#define ROOT "27 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw\n"
#define PURE "34 25 0:28 / /sys/fs/cgroup rw,nosuid shared:5 - cgroup2 cgroup2 rw,nsdelegate\n"
#define UNIFIED "41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw\n"
#define V1_CPU "32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw,relatime shared:9 master:1 - cgroup cgroup rw,cpu,cpuacct\n"
#define V1_CPUSET "34 31 0:31 / /sys/fs/cgroup/cpuset rw - cgroup cgroup rw,cpuset\n"
#define V1_NAMED "40 31 0:37 / /sys/fs/cgroup/systemd rw - cgroup cgroup rw,xattr,name=systemd\n"

static void test_machines(void **state) {
        static const struct {
                const char *text;
                const char *cgroup2;
                bool v1, v1_cpu, v1_cpuset;
        } table[] = {
                {ROOT PURE, "/sys/fs/cgroup", false, false, false},
                {ROOT UNIFIED V1_CPU V1_CPUSET V1_NAMED, "/sys/fs/cgroup/unified", true, true, true},
                {ROOT V1_NAMED UNIFIED, "/sys/fs/cgroup/unified", true, false, false},
                {ROOT PURE V1_CPU, "/sys/fs/cgroup", true, true, false}, /* only cpu on v1 */
                {ROOT V1_CPU V1_CPUSET, NULL, true, true, true},
                {ROOT, NULL, false, false, false},
                {"", NULL, false, false, false},
                /* Twice: the usual place wins, else the first. */
                {"50 1 0:28 / /run/cg rw - cgroup2 none rw\n" PURE, "/sys/fs/cgroup", false, false, false},
                {PURE "50 1 0:28 / /run/cg rw - cgroup2 none rw\n", "/sys/fs/cgroup", false, false, false},
                {"50 1 0:28 / /a rw - cgroup2 none rw\n51 1 0:28 / /b rw - cgroup2 none rw\n", "/a", false, false,
                 false},
                /* Names that look like something else. */
                {"50 1 0:28 / /my\\040place\\134x rw - cgroup2 none rw\n", "/my place\\x", false, false, false},
                {"50 1 0:28 / /-/cgroup2 rw - ext4 cgroup2 rw\n", NULL, false, false, false},
                {"50 1 0:28 / /a\\04 rw a:1 b:2 c - cgroup2 none rw\n", "/a\\04", false, false, false},
                {"50 1 0:28 / /a rw - cgroup2\n", NULL, false, false, false},
                {"50 1 0:28 / /a rw - cgroup none rw,cpuacct,mycpu\n", NULL, true, false, false},
        };

        for (size_t i = 0; i < ELEMENTSOF(table); i++) {
                _cleanup_cgroup_mounts_ CgroupMounts m = {};
                assert_int_equal(mountinfo_parse(table[i].text, strlen(table[i].text), &m), 0);
                assert_true(streq_ptr(m.cgroup2, table[i].cgroup2));
                assert_int_equal(m.v1, table[i].v1);
                assert_int_equal(m.v1_cpu, table[i].v1_cpu);
                assert_int_equal(m.v1_cpuset, table[i].v1_cpuset);
        }
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_machines),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
