# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# A FIFO in place of the topology: nothing ever comes out of it.
rm "$frames_dir/../topology.xml"
mkfifo "$frames_dir/../topology.xml"
