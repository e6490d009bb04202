# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# A kernel without sched files (CONFIG_SCHED_DEBUG off): migrations are not 0 then, they are not known.
service svc.service 2
frame
for _ in {1..10}; do
        second
        ran svc.service 1650 600 2400 1800 270
        frame
done
rm -f "$frames_dir"/*/proc/*/task/*/sched
