# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Next to nothing runs.
service svc.service 4
service other.service 1
frame
for _ in {1..8}; do
        second
        ran svc.service 4 0 8 8 1
        frame
done
