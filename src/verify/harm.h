/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "verify/judge.h"

typedef struct Harm {
        bool any;
        bool *neighbours; /* which of Trial.neighbours */
        char who[256];    /* names of the harmed, "itself" for the target */
        char text[256];   /* figures of the first of them */
} Harm;

void harm_done(Harm *h);
#define _cleanup_harm_ _cleanup_(harm_done)

/* At the end of the after-window. -ENOMEM. */
int harm_find(const Trial *t, Harm *ret);
