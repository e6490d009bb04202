# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The same, but what the service would gain it would take from one whose goal is latency.
service svc.service 6
service batch.service 16
frame
for _ in {1..40}; do
        second
        wiggle=$((seconds * 37 % 11))
        ran svc.service $((2700 + wiggle * 8)) $((2900 - wiggle * 8)) 120 60 2
        ran batch.service $((5200 - wiggle * 8)) $((10800 + wiggle * 8)) 500 20 5
        frame
done
