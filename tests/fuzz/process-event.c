/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A message of the process connector: what is about a process names one that can be. */

#include "fuzz.h"

#include "parse/process-event.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
        ProcessEvent e;

        if (process_event_parse(data, size, &e) < 0)
                return 0;
        FUZZ_CHECK(e.pid >= 0 && e.error >= 0);
        FUZZ_CHECK(e.pid == 0 || e.kind > PROCESS_EVENT_ANSWER);
        FUZZ_CHECK(e.error == 0 || e.kind == PROCESS_EVENT_ANSWER);
        return 0;
}
