/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Small tools of the language that every room uses. */

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define ELEMENTSOF(x) (sizeof(x) / sizeof((x)[0]))

#define MIN(a, b)                                                                                                      \
        ({                                                                                                             \
                __typeof__(a) _min_a = (a);                                                                            \
                __typeof__(b) _min_b = (b);                                                                            \
                _min_a < _min_b ? _min_a : _min_b;                                                                     \
        })
#define MAX(a, b)                                                                                                      \
        ({                                                                                                             \
                __typeof__(a) _max_a = (a);                                                                            \
                __typeof__(b) _max_b = (b);                                                                            \
                _max_a > _max_b ? _max_a : _max_b;                                                                     \
        })

/* Hands the value on and leaves the empty one behind, so that a _cleanup_ variable lets go of what it owned. */
#define TAKE_PTR(ptr)                                                                                                  \
        ({                                                                                                             \
                __typeof__(ptr) *_take_p = &(ptr);                                                                     \
                __typeof__(ptr) _take_v = *_take_p;                                                                    \
                *_take_p = NULL;                                                                                       \
                _take_v;                                                                                               \
        })
#define TAKE_FD(fd)                                                                                                    \
        ({                                                                                                             \
                int *_take_p = &(fd);                                                                                  \
                int _take_v = *_take_p;                                                                                \
                *_take_p = -1;                                                                                         \
                _take_v;                                                                                               \
        })

#define _cleanup_(f) __attribute__((cleanup(f)))
#define _printf_(a, b) __attribute__((format(printf, a, b)))
#define _unused_ __attribute__((unused))

/* Defines foo_freep() for _cleanup_(foo_freep). */
#define DEFINE_CLEANUP_FUNC(type, func)                                                                                \
        static inline void func##p(type *p) {                                                                          \
                if (*p)                                                                                                \
                        func(*p);                                                                                      \
        }

static inline bool streq(const char *a, const char *b) {
        return strcmp(a, b) == 0;
}

/* True where both are NULL, or both are the same string. */
static inline bool streq_ptr(const char *a, const char *b) {
        return a && b ? streq(a, b) : a == b;
}
