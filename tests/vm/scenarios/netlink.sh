#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# A service whose threads live for 5 ms shows its work and its waits where the kernel may be asked for them, and where it
# may not, placerd goes on without, and says why.
# shellcheck source=../guest/placerd.sh
. "$(dirname "$VM_LIB")/placerd.sh"

source_of() { placerctl status --json | jq -c --arg name "$1" '.sources[] | select(.name == $name)'; }
is_on() { [[ $(source_of "$1" | jq .on) == true ]]; }
evidence() { ask svc.service ".evidence.$1 // empty"; }
has() { [[ -n $(evidence "$1") ]]; }
# covered OP PERMILLE: is that so of the last ticks?
covered() { number "$(ask svc.service '.evidence.coverage * 1000 | floor')" "$1" "$2"; }

dropin=/etc/systemd/system/placerd.service.d
configure '[placerd]' cpu-budget=100% '[svc.service]' mode=observe
# With more of them than CPUs, so that each waits.
write_unit svc.service "$LATENCY_LOAD --short-lived 12"
systemctl start svc.service

placerd_start
check "taskstats is on" is_on taskstats
check "process events are on" is_on process-events
check "every source is named" equal "$(placerctl status --json | jq -r '[.sources[].name] | join(" ")')" \
    "cgroup2 psi schedstat sched_schedstats taskstats process-events"
check "more than 70 % of the work is known" wait_for 60 covered '>' 700
sleep 3
check "and that stays so" covered '>' 700
check "its waits appear" has wait_per_slice_usec
check "with the threads that want to run" number "$(evidence demand)" '>' 1
note "with taskstats: $(ask svc.service .verdict), $(ask svc.service '.evidence | tostring')"
placerd_stop

mkdir -p $dropin
printf '[Service]\nCapabilityBoundingSet=\nCapabilityBoundingSet=CAP_SYS_NICE\n' >$dropin/no-net-admin.conf
systemctl daemon-reload
placerd_start
check "it starts without CAP_NET_ADMIN" equal "$(property placerd.service ActiveState)" active
check "taskstats is off, and why" eval 'source_of taskstats | grep -q "\"on\":false,\"why\":\".*CAP_NET_ADMIN"'
check "process events need it no more since 6.6" is_on process-events
check "status says so to people" eval 'placerctl status | grep -q "^Off: .*taskstats (needs CAP_NET_ADMIN)$"'
check "less than 70 % of the work is known" wait_for 60 covered '<' 700
check "so no wait is told" eval '! has wait_per_slice_usec'
note "without: $(ask svc.service .verdict), $(ask svc.service '.evidence | tostring')"
placerd_stop
rm -r $dropin
systemctl daemon-reload
