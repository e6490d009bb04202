#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# A recording of a churning service replays to the very lines that were printed when it was made.
# shellcheck source=../guest/placerd.sh
. "$(dirname "$VM_LIB")/placerd.sh"

write_unit svc.service "$HACKBENCH"
systemctl start svc.service
sleep 1
check "record" eval 'placerctl record recording --seconds 12 --interval 1000 --json >record.jsonl'
systemctl stop svc.service # it would keep all CPUs from what follows
check "replay" eval 'placerctl replay recording --json >replay.jsonl'
check "both print the same lines" same record.jsonl replay.jsonl
check "there are lines" test -s record.jsonl
check "the last verdict is churn" equal churn "$(jq -r 'select(.unit == "svc.service") | .verdict' record.jsonl | tail -n 1)"
tar --create --file=recording.tar recording && rm -r recording
