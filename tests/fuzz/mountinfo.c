/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* mountinfo: a place, if there is one, is a string. */

#include "fuzz.h"

#include "parse/mountinfo.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
        _cleanup_cgroup_mounts_ CgroupMounts m = {};

        FUZZ_CHECK(mountinfo_parse((const char *) data, size, &m) >= 0);
        FUZZ_CHECK(!m.cgroup2 || strlen(m.cgroup2) <= size);
        FUZZ_CHECK(m.v1 || (!m.v1_cpu && !m.v1_cpuset));
        return 0;
}
