#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Before kernel 6.2, with cpuset not yet on in the slice: the pin is refused with its reason, and no affinity changes.
# shellcheck source=../guest/placerd.sh
. "$(dirname "$VM_LIB")/placerd.sh"

if ! kernel_before_6_2; then
    skip "the pin is refused while cpuset is off" "the kernel is newer than 6.1"
    exit 0
fi
check "cpuset is off in system.slice" eval '! cpuset_is_on'
act_on svc.service
write_unit svc.service "$HACKBENCH"
write_unit pinned.service '/usr/bin/taskset -c 5 /bin/sleep infinity'
systemctl start pinned.service svc.service
sleep 1
placerd_start
machine_snapshot before svc.service

check "verdict churn" wait_for 30 has_verdict svc.service churn
check "the refusal says why" wait_for 10 is_refused svc.service "before kernel 6.2"
sleep 25 # past the point where a change would be made
check "nothing was changed" equal "" "$(property svc.service AllowedCPUs)"
check "cpuset is still off" eval '! cpuset_is_on'
machine_snapshot after svc.service
check "no thread's affinity changed" affinity_changes before.affinity after.affinity
placerctl status svc.service
placerd_stop
