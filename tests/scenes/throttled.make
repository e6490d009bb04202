# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Four spinners with half a CPU: throttled in each period, and all their waiting is that.
service svc.service 4
quota svc.service 50000
frame
for _ in {1..12}; do
        second
        ran svc.service 500 3400 40 40 0 10 10 3400000
        frame
done
