/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* A set of CPUs of any size: hwloc's bitmap with the texts and bytes that the kernel and systemd use for it. */

#include <hwloc/bitmap.h>
#include <stddef.h>
#include <stdint.h>

#include "base/macros.h"

typedef struct hwloc_bitmap_s Cpuset;

/* The largest CPU number that a list may name: a kernel can be built for 8192 CPUs (CONFIG_NR_CPUS). */
#define CPUSET_CPU_MAX 8191U

/* NULL where memory is short. */
Cpuset *cpuset_new(void);
Cpuset *cpuset_copy(const Cpuset *set);
Cpuset *cpuset_free(Cpuset *set);
DEFINE_CLEANUP_FUNC(Cpuset *, cpuset_free);
#define _cleanup_cpuset_ _cleanup_(cpuset_freep)

/* Reads the kernel's list format ("0-3,8-11", bitmap_parselist(9) without strides), with an optional newline at the
 * end; an empty text is the empty set. -EINVAL for anything else, -ERANGE for a CPU above CPUSET_CPU_MAX, -ENOMEM. */
int cpuset_parse_list(const char *text, size_t len, Cpuset **ret);

/* The same format, newly allocated; "" for the empty set. NULL where memory is short. */
char *cpuset_format_list(const Cpuset *set);

/* systemd's AllowedCPUs= on D-Bus: CPU 8i+j is bit j of byte i; no bytes is "unset", here the empty set
 * (to_bytes then gives NULL and 0). Trailing zero bytes are fine. -ERANGE for a CPU above CPUSET_CPU_MAX, -ENOMEM. */
int cpuset_from_bytes(const uint8_t *bytes, size_t n, Cpuset **ret);
int cpuset_to_bytes(const Cpuset *set, uint8_t **ret, size_t *ret_n);

unsigned cpuset_count(const Cpuset *set);
bool cpuset_empty(const Cpuset *set);
bool cpuset_has(const Cpuset *set, unsigned cpu);
bool cpuset_equal(const Cpuset *a, const Cpuset *b);
bool cpuset_subset(const Cpuset *sub, const Cpuset *super);
bool cpuset_intersects(const Cpuset *a, const Cpuset *b);
/* These change `set` in place; -ENOMEM. */
int cpuset_add(Cpuset *set, unsigned cpu);
int cpuset_or(Cpuset *set, const Cpuset *other);
int cpuset_and(Cpuset *set, const Cpuset *other);
int cpuset_andnot(Cpuset *set, const Cpuset *other);

#define CPUSET_FOREACH(cpu, set) for (int cpu = hwloc_bitmap_first(set); cpu >= 0; cpu = hwloc_bitmap_next(set, cpu))
