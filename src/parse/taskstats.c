/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A struct in the machine's own byte order, of 328 bytes in version 8, 416 in version 13 (Linux 6.1), 432 in 14 (6.12)
 * and 688 in 17:
 *
 *   offset 0   __u16 version
 *   offset 16  __u64 cpu_count              times that a thread got a CPU
 *   offset 24  __u64 cpu_delay_total        ns that it waited for one
 *   offset 72  __u64 cpu_run_virtual_total  ns that it had one
 *
 * These three are the numbers of a thread's schedstat, and like them they are counted whatever kernel.task_delayacct
 * says; they have stood where they stand since version 1. In a message the struct need not be aligned. */

#include "parse/taskstats.h"

#include <linux/taskstats.h>

/* Of Linux 2.6.31: nothing that placerd runs on has less. */
#define VERSION_MIN 8
#define LENGTH_MIN 328

static uint64_t field(const char *data, size_t offset) {
        uint64_t value;

        memcpy(&value, data + offset, sizeof(value));
        return value;
}

bool taskstats_parse(const void *data, size_t len, Counts *counts) {
        uint16_t version;

        if (len < LENGTH_MIN)
                return false;
        memcpy(&version, data, sizeof(version));
        if (version < VERSION_MIN)
                return false;
        uint64_t run = field(data, offsetof(struct taskstats, cpu_run_virtual_total));
        uint64_t delay = field(data, offsetof(struct taskstats, cpu_delay_total));
        uint64_t slices = field(data, offsetof(struct taskstats, cpu_count));
        return counts_set_sched_info(counts, run, delay, slices);
}
