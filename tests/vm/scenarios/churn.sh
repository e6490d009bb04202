#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# A service that churns over two caches is found, pinned to one of them, judged, explained, and put back (A-B-A).
# shellcheck source=../guest/placerd.sh
. "$(dirname "$VM_LIB")/placerd.sh"

cpuset_ready
expected=$(cpu_lists_of_llcs)
act_on svc.service
check "placerd starts" placerd_start
write_unit svc.service "$HACKBENCH"
systemctl start svc.service
start=$(tick)
machine_snapshot before svc.service
cpuset_file svc.service >before.cpuset

WAIT_STEP=1 check "verdict churn" wait_for 20 has_verdict svc.service churn
seen=$(($(ask svc.service .since_tick) + 2 - start)) # it stands with the third tick that shows it
check "the verdict comes within 8 ticks ($seen)" number "$seen" '<=' 8

advised=$(placerctl advise | grep -o 'systemctl set-property .*' | head -n 1)
check "advise prints a command ($advised)" test -n "$advised"
read -r a1_switches a1_migrations _ < <(measure svc.service 10)
check "a change is made" wait_for 60 is_in_phase svc.service after
pinned=$(property svc.service AllowedCPUs)
check "AllowedCPUs is one whole L3 domain ($pinned)" grep -qx -- "$pinned" <<<"$expected"
check "the cgroup has it" equal "$pinned" "$(effective svc.service)"
check "the trial ends" wait_for 90 has_any_outcome svc.service
[[ $(outcome svc.service) != inconclusive ]] || repeat_once "$(ask svc.service .outcome.text)"
noise=$(ask svc.service '[.outcome.gains[].noise] | max')
[[ $(outcome svc.service) == kept ]] || ! number "$noise" '>' 0.3 >/dev/null || repeat_once "noise of $noise before the change"
check "outcome kept" equal kept "$(outcome svc.service)"
kept=$(($(tick) - start))
note "onset to standing verdict $seen ticks, to kept $kept ticks"
read -r b_switches b_migrations _ < <(measure svc.service 10)

placerctl status
placerctl status svc.service
placerctl explain svc.service | tee explain.txt
check "explain names what was changed" grep -q "AllowedCPUs" explain.txt
check "explain says how to undo it" grep -q "placerctl undo svc.service" explain.txt

check "placerctl undo" placerctl undo svc.service
sleep 1
machine_snapshot after svc.service
machine_is_back before after svc.service "after undo"
sleep 8 # the service manager's own reload, and what it makes others do, is over
read -r a2_switches a2_migrations _ < <(measure svc.service 10)

# The two A must agree, else the host was disturbed and the figures mean nothing. Then B is set against their mean.
a_switches=$(awk "BEGIN { print ($a1_switches + $a2_switches) / 2 }")
a_migrations=$(awk "BEGIN { print ($a1_migrations + $a2_migrations) / 2 }")
gain=$(ratio "$b_switches" "$a_switches")
calm=$(ratio "$a_migrations" "$b_migrations")
note "placerd: free $a1_switches and $a2_switches switches/s, $a1_migrations and $a2_migrations migrate; pinned $b_switches/s, $b_migrations: x $gain, $calm times fewer"

# By hand, in the same guest, beside placerd's figure.
check "the command runs" eval "$advised"
check "the command gives the same cpuset" equal "$pinned" "$(effective svc.service)"
sleep 2
read -r h_switches h_migrations _ < <(measure svc.service 10)
note "by hand: pinned $h_switches/s, $h_migrations: x $(ratio "$h_switches" "$a_switches"), $(ratio "$a_migrations" "$h_migrations") times fewer"
systemctl set-property --runtime svc.service AllowedCPUs=

disturbed=$(awk "BEGIN { d = $a1_switches - $a2_switches; print ((d < 0 ? -d : d) > 0.25 * $a_switches) }")
((!disturbed)) || repeat_once "the two free measurements differ by more than 25 %"
check "migrations per switch $calm times fewer, at least 5" number "$calm" '>=' 5
check "switches per second x $gain, at least 1.5" number "$gain" '>=' 1.5
placerctl status svc.service --json >status.json
usage=$(property placerd.service CPUUsageNSec)
note "placerd used $((usage / 1000000)) ms of CPU, $(($(property placerd.service MemoryCurrent) / 1024)) KiB"
placerd_stop
