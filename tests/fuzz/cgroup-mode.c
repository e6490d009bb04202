/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The kernel's word for how groups are weighed: what is accepted is one that has a name. */

#include "fuzz.h"

#include "parse/cgroup-mode.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
        CgroupMode mode = _CGROUP_MODE_MAX;

        if (cgroup_mode_parse((const char *) data, size, &mode) < 0)
                FUZZ_CHECK(mode == _CGROUP_MODE_MAX);
        else
                FUZZ_CHECK(mode < _CGROUP_MODE_MAX && cgroup_mode_name(mode));
        return 0;
}
