/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Every detector there is; each is defined in the file of its name. */

#include "detect/detector.h"

extern const Detector detector_throttled;
extern const Detector detector_starvation;
extern const Detector detector_saturated;
extern const Detector detector_churn;
