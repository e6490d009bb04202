/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A thread's file is one line, "6652504894 238963016 891": ns on a CPU, ns of waiting for one, times that it got one.
 * It needs no kernel.sched_schedstats, only CONFIG_SCHED_INFO. The machine's file has the same three for each CPU, as
 * the last of nine columns:
 *
 *   version 16
 *   timestamp 4294897465
 *   cpu0 0 0 4725 1243 2755 1216 8732029088 4211369117 3369
 *   domain0 03 131 126 ...
 *
 * Domain lines changed their columns in 16 and 17 (and between them without a new number); what is used here did not.
 */

#include "parse/schedstat.h"

#include "parse/span.h"

bool thread_schedstat_parse(const char *text, size_t len, Counts *counts) {
        Span rest = span_of(text, len), line;
        uint64_t run, delay, slices;

        if (!span_next_line(&rest, &line) || !span_next_u64(&line, &run) || !span_next_u64(&line, &delay) ||
            !span_next_u64(&line, &slices))
                return false;
        return counts_set_sched_info(counts, run, delay, slices);
}

static bool parse_version(Span *rest, unsigned *ret) {
        Span line, word;
        uint64_t version;

        if (!span_next_line(rest, &line) || !span_next_word(&line, &word) || !span_is(word, "version") ||
            !span_next_u64(&line, &version) || version > UINT32_MAX)
                return false;
        *ret = (unsigned) version;
        return true;
}

static CpuSample *find_cpu(CpuSample *cpus, size_t n, uint64_t cpu) {
        size_t from = 0, to = n;

        while (from < to) {
                size_t middle = from + (to - from) / 2;
                if (cpus[middle].cpu < cpu)
                        from = middle + 1;
                else
                        to = middle;
        }
        return from < n && cpus[from].cpu == cpu ? &cpus[from] : NULL;
}

/* "cpuN" and nine numbers, of which 7 to 9 are rq_cpu_time, run_delay and pcount. */
static void take_cpu_line(Span line, CpuSample *cpus, size_t n_cpus) {
        Span word;
        uint64_t cpu, column[9];

        if (!span_next_word(&line, &word) || !span_starts_with(word, "cpu") ||
            !span_u64(span_of(word.text + 3, word.len - 3), &cpu))
                return;
        for (size_t i = 0; i < ELEMENTSOF(column); i++)
                if (!span_next_u64(&line, &column[i]))
                        return;

        CpuSample *c = find_cpu(cpus, n_cpus, cpu);
        if (!c)
                return;
        counts_set(&c->counts, CPU_RUN_NSEC, column[6]);
        counts_set(&c->counts, CPU_DELAY_NSEC, column[7]);
        counts_set(&c->counts, CPU_SLICES, column[8]);
}

void schedstat_parse(const char *text, size_t len, CpuSample *cpus, size_t n_cpus, unsigned *ret_version) {
        Span rest = span_of(text, len), line;
        unsigned version = 0;

        if (parse_version(&rest, &version) && version >= SCHEDSTAT_VERSION_MIN)
                while (span_next_line(&rest, &line))
                        take_cpu_line(line, cpus, n_cpus);
        *ret_version = version;
}
