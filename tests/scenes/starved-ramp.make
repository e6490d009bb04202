# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Six workers that want 5.6 CPUs beside sixteen that never sleep. The first step of the ramp makes them slower, as the
# mere switch of the controller may; at the top they wait less and get more, and the batch keeps three quarters.
service svc.service 6
service batch.service 16
frame
for _ in {1..80}; do
        second
        wiggle=$((seconds * 37 % 11))
        # shellcheck disable=SC2154 # of the script that sources this
        if after_change && ((seconds > changed_at + 5)); then
                ran svc.service $((3700 + wiggle * 8)) $((1900 - wiggle * 8)) 160 82 2
                ran batch.service $((4200 - wiggle * 8)) $((11800 + wiggle * 8)) 400 20 5
        elif after_change; then
                ran svc.service 2450 3150 110 54 2
                ran batch.service 5450 10550 500 20 5
        else
                ran svc.service $((2700 + wiggle * 8)) $((2900 - wiggle * 8)) 120 60 2
                ran batch.service $((5200 - wiggle * 8)) $((10800 + wiggle * 8)) 500 20 5
        fi
        frame
done
