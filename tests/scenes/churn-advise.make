# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The load of churn-kept with no policy: nothing is changed, whatever is seen.
service svc.service 4
frame
for _ in {1..40}; do
        second
        ran svc.service 3300 1250 2400 1800 270
        frame
done
