# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# A load like hackbench with the figures of a 6.12 guest: 15 % of its switches migrate, and a quarter of its time is
# waiting. Inside one domain it does not migrate, and gets more done.
service svc.service 4
service other.service 2
frame
for _ in {1..75}; do
        second
        wiggle=$((seconds * 37 % 11))
        if after_change; then
                ran svc.service 3600 300 4800 $((3600 + wiggle * 8)) $((24 + wiggle))
        else
                ran svc.service $((3300 + wiggle * 8)) 1250 2400 $((1800 + wiggle * 8)) $((270 + wiggle * 2))
        fi
        ran other.service 800 8 400 400 8
        frame
done
