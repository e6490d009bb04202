/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The doubling rule behind ARRAY_RESERVE(). */

#include "base/array.h"

int array_reserve(void **array, size_t *allocated, size_t need, size_t size) {
        if (need <= *allocated)
                return 0;
        size_t n = MAX(need, *allocated * 2);
        n = MAX(n, (size_t) 8);
        void *p = reallocarray(*array, n, size);
        if (!p)
                return -ENOMEM;
        *array = p;
        *allocated = n;
        return 0;
}
