# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Nothing but a topology.
