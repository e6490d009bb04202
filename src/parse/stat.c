/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* "308 (hackbench) S 1 308 308 0 -1 4194560 ...": 52 fields and more of one line, of which the second is the thread's
 * name in brackets, as it is: it may hold blanks, brackets and newlines. Nothing behind it holds a bracket, so the last
 * ')' ends it, and fields are counted from there.
 *
 * "cpu0 76 0 324 852 19 0 22 0 0 0": user, nice, system, idle, iowait, irq, softirq, steal, guest, guest_nice. Guest
 * time is in user and nice already, so that eight fields make the whole. */

#include "parse/stat.h"

#include "base/array.h"
#include "parse/span.h"

/* include/linux/sched.h */
#define PF_KTHREAD UINT64_C(0x00200000)

/* proc(5) counts from 1; the first field behind the name is number 3. */
enum {
        FIELD_STATE = 3,
        FIELD_FLAGS = 9,
        FIELD_START = 22,
        FIELD_CPU = 39,
};

static bool skip_name(const char *text, size_t len, Span *ret) {
        for (size_t i = len; i > 0; i--)
                if (text[i - 1] == ')') {
                        *ret = span_trim(span_of(text + i, len - i));
                        return true;
                }
        return false;
}

int thread_stat_parse(const char *text, size_t len, ThreadStat *ret) {
        uint64_t flags = 0, start = 0, cpu = 0;
        Span rest, word;

        if (!skip_name(text, len, &rest))
                return -EBADMSG;
        for (unsigned field = FIELD_STATE; field <= FIELD_CPU; field++) {
                if (!span_next_word(&rest, &word))
                        return -EBADMSG;
                if ((field == FIELD_FLAGS && !span_u64(word, &flags)) ||
                    (field == FIELD_START && !span_u64(word, &start)) || (field == FIELD_CPU && !span_u64(word, &cpu)))
                        return -EBADMSG;
        }
        if (cpu > CPUSET_CPU_MAX)
                return -EBADMSG;
        *ret = (ThreadStat){
                .start_ticks = start,
                .last_cpu = (int) cpu,
                .kernel = flags & PF_KTHREAD,
        };
        return 0;
}

/* False for the machine's sum ("cpu ..."), for other lines and for damaged ones. */
static bool parse_cpu_line(Span line, CpuSample *ret) {
        enum { USER, NICE, SYSTEM, IDLE, IOWAIT, IRQ, SOFTIRQ, STEAL, FIELDS };
        CpuSample c = {};
        uint64_t cpu, field[FIELDS], total = 0;
        Span word;

        if (!span_next_word(&line, &word) || !span_starts_with(word, "cpu") ||
            !span_u64(span_of(word.text + 3, word.len - 3), &cpu) || cpu > CPUSET_CPU_MAX)
                return false;
        for (unsigned i = 0; i < FIELDS; i++) {
                if (!span_next_u64(&line, &field[i]))
                        return false;
                total += field[i];
        }
        c.cpu = (unsigned) cpu;
        counts_set(&c.counts, CPU_IDLE_TICKS, field[IDLE] + field[IOWAIT]);
        counts_set(&c.counts, CPU_STEAL_TICKS, field[STEAL]);
        counts_set(&c.counts, CPU_TOTAL_TICKS, total);
        *ret = c;
        return true;
}

int proc_stat_parse(const char *text, size_t len, Snapshot *s) {
        Span rest = span_of(text, len), line;
        CpuSample c;

        while (span_next_line(&rest, &line)) {
                if (!parse_cpu_line(line, &c) || (s->n_cpus > 0 && s->cpus[s->n_cpus - 1].cpu >= c.cpu))
                        continue;
                int r = ARRAY_RESERVE(s->cpus, s->allocated_cpus, s->n_cpus + 1);
                if (r < 0)
                        return r;
                s->cpus[s->n_cpus++] = c;
        }
        return 0;
}
