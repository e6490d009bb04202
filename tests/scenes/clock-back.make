# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# A recording whose third frame is as old as the second.
service svc.service 1
frame
second
frame
frame
