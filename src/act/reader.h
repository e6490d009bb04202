/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* How act/ reads the machine: through the eyes of the sampler, so that both see the same mount and, in a replay, the
 * same frame. Whoever joins the rooms fills it in, with sampler_cgroup_fd() and sampler_masks(). */

#include "model/plan.h"

typedef struct ActReader {
        /* The cgroup2 mount: a descriptor that stays the reader's. Negative: there is none. */
        int (*cgroup_fd)(void *userdata);
        /* Affinity of every thread of one cgroup, and of its descendants where `deep`. May be NULL: nothing is known
         * of affinities (none is then compared or put back). */
        int (*masks)(void *userdata, const char *path, bool deep, ThreadMask **ret, size_t *ret_n);
        void *userdata; /* must live as long as the backend is used; freeing the backend does not read */
} ActReader;
