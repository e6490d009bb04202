# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# A frame that was cut short.
service svc.service 1
frame
second
frame
: >"$frames_dir/0001/clock"
