# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The load of churn-kept, but pinning it changes nothing: it must be let go.
service svc.service 4
service other.service 2
frame
for _ in {1..75}; do
        second
        wiggle=$((seconds * 37 % 11))
        ran svc.service $((3300 + wiggle * 8)) 1250 2400 $((1800 + wiggle * 8)) $((270 + wiggle * 2))
        ran other.service 800 8 400 400 8
        frame
done
