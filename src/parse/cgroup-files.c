/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Files of one value or one list of words. What is not as the kernel's documentation has it is "not known", which the
 * caller turns into an absent value; only a partition that is not understood counts as an invalid one, because the
 * careful answer is there that its CPUs can't be had. */

#include "parse/cgroup-files.h"

#include "parse/span.h"

static Span whole(const char *text, size_t len) {
        return span_trim(span_of(text, len));
}

bool cpu_max_parse(const char *text, size_t len, usec_t *ret_quota_usec, usec_t *ret_period_usec) {
        Span rest = whole(text, len), word;
        usec_t quota, period;

        if (!span_next_word(&rest, &word))
                return false;
        if (span_is(word, "max"))
                quota = USEC_INFINITY;
        else if (!span_u64(word, &quota))
                return false;
        if (!span_next_u64(&rest, &period) || period == 0 || rest.len > 0)
                return false;
        *ret_quota_usec = quota;
        *ret_period_usec = period;
        return true;
}

bool cpu_weight_parse(const char *text, size_t len, uint64_t *ret) {
        uint64_t weight;

        if (!span_u64(whole(text, len), &weight) || weight > 10000)
                return false;
        *ret = weight;
        return true;
}

bool cpu_idle_parse(const char *text, size_t len, bool *ret) {
        uint64_t idle;

        if (!span_u64(whole(text, len), &idle) || idle > 1)
                return false;
        *ret = idle == 1;
        return true;
}

CpusetPartition partition_parse(const char *text, size_t len) {
        Span s = whole(text, len);

        if (span_is(s, "member"))
                return PARTITION_MEMBER;
        if (span_is(s, "root"))
                return PARTITION_ROOT;
        if (span_is(s, "isolated"))
                return PARTITION_ISOLATED;
        return PARTITION_INVALID;
}

unsigned controllers_parse(const char *text, size_t len) {
        Span rest = whole(text, len), word;
        unsigned mask = 0;

        while (span_next_word(&rest, &word))
                if (span_is(word, "cpu"))
                        mask |= CONTROLLER_CPU;
                else if (span_is(word, "cpuset"))
                        mask |= CONTROLLER_CPUSET;
                else if (span_is(word, "memory"))
                        mask |= CONTROLLER_MEMORY;
        return mask;
}

bool cgroup_type_is_threaded(const char *text, size_t len) {
        Span s = whole(text, len);

        return span_is(s, "threaded") || span_is(s, "domain threaded");
}

bool cgroup_next_id(const char **text, size_t *len, pid_t *ret) {
        Span rest = span_of(*text, *len), line;
        uint64_t id = 0;

        while (span_next_line(&rest, &line))
                if (span_u64(line, &id) && id > 0 && id <= INT32_MAX)
                        break;
                else
                        id = 0;
        *text = rest.text;
        *len = rest.len;
        if (id == 0)
                return false;
        *ret = (pid_t) id;
        return true;
}

bool sched_ext_is_on(const char *text, size_t len) {
        Span state = whole(text, len);

        return state.len > 0 && !span_is(state, "disabled");
}
