/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The table of detectors. Order is meaning: the first that holds is the verdict, the others that hold are listed with
 * it. A quota comes first because throttled time looks like every other kind of wait. */

#include "detect/detectors.h"

const Detector *const detectors[] = {
        &detector_throttled, &detector_starvation, &detector_saturated, &detector_churn, NULL,
};

const VerdictKind verdict_healthy = {.name = "healthy"};
const VerdictKind verdict_unknown = {.name = "unknown"};

bool verdict_is_fault(const VerdictKind *kind) {
        return kind != &verdict_healthy && kind != &verdict_unknown;
}
