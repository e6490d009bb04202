/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* What becomes of the changes when the daemon ends: design section 6. */

#include "base/macros.h"

typedef enum Fate {
        FATE_KEEP,    /* leave everything: who starts next adopts it, or the machine goes down */
        FATE_RESTORE, /* put everything back */
} Fate;

typedef struct FateQuestion {
        bool asked;                 /* the manager has answered; false: it could not be asked */
        const char *system_state;   /* "running", "stopping", ... */
        const char *job;            /* type of placerd's pending job; NULL: none */
        const char *service_result; /* $SERVICE_RESULT of an ExecStopPost=; NULL: we are not one */
} FateQuestion;

/* `ret_why`: a static text. */
Fate fate_decide(const FateQuestion *q, const char **ret_why);

/* Asks the manager about the unit that this process is a part of, or placerd.service where it is none, and decides. */
Fate fate_ask(const char **ret_why);
