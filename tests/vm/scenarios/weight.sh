#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# A service that starves beside a batch gets more weight step by step, is judged, explained, and put back (A-B-A).
# shellcheck source=../guest/placerd.sh
. "$(dirname "$VM_LIB")/placerd.sh"

# Who asks takes CPU time from those that are measured: during a trial nothing else is done.
# shellcheck disable=SC2034 # of wait_for
WAIT_STEP=5

REPORTS=$PWD/reports
cpu_of() { property "$1" CPUUsageNSec; }

# measure_load SECONDS: "requests_per_second request_p50_usec batch_cpus" of the starving service and the batch.
measure_load() {
    local batch from line
    load_report "$REPORTS" "$(property svc.service MainPID)" >/dev/null
    batch=$(cpu_of batch.service) from=$(cut -d ' ' -f 1 /proc/uptime)
    sleep "$1"
    line=$(load_report "$REPORTS" "$(property svc.service MainPID)")
    batch=$(($(cpu_of batch.service) - batch))
    echo "$(field requests_per_second <<<"$line") $(field request_p50_usec <<<"$line") $(awk -v b="$batch" -v from="$from" \
        '{ printf "%.2f", b / 1e9 / ($1 - from) }' /proc/uptime)"
}

# What the journal says was set, in its order.
steps_of_ramp() {
    journalctl -o json _SYSTEMD_INVOCATION_ID="$(property placerd.service InvocationID)" MESSAGE_ID=693f27ddfa3b451296ed33fd43ed3729 |
        jq -r .PLACERD_TO | xargs
}

# is_ramp TOP STEPS
is_ramp() {
    local step former=100
    for step in $2; do
        ((step <= 2 * former && step <= 400)) || return 1
        former=$step
    done
    [[ $2 == *" $1" ]]
}

# First only advice: while it is asked for, and the service measured, nothing may change.
configure '[placerd]' min-age=1s cpu-budget=100% '[svc.service]' mode=advise
placerd_start
start_transient batch.service "$LATENCY_LOAD" --spin 16
: >"$REPORTS"
write_unit svc.service "$LATENCY_LOAD --threads 6 --loops 160" "StandardOutput=append:$REPORTS"
systemctl start svc.service
sleep 1
tree_snapshot before.tree

check "verdict starvation" wait_for 40 has_verdict svc.service starvation
advised=$(placerctl advise | grep -o 'systemctl set-property .*' | head -n 1)
check "advise prints a command ($advised)" grep -q "svc.service CPUWeight=" <<<"$advised"
read -r a1_rate a1_time a1_batch < <(measure_load 10)
act_on svc.service
systemctl reload placerd.service
start=$(tick)
check "the trial ends" wait_for 400 has_any_outcome svc.service
[[ $(outcome svc.service) != inconclusive ]] || repeat_once "$(ask svc.service .outcome.text)"
noise=$(ask svc.service '[.outcome.gains[].noise] | max')
[[ $(outcome svc.service) == kept ]] || ! number "$noise" '>' 0.3 >/dev/null || repeat_once "noise of $noise before the change"
check "outcome kept" equal kept "$(outcome svc.service)"
note "kept $(($(tick) - start)) ticks after the policy says act: $(ask svc.service .outcome.text)"
read -r b_rate b_time b_batch < <(measure_load 10)
weight=$(property svc.service CPUWeight)
check "the cgroup has it" equal "$weight" "$(cat "$(cgroup_of svc.service)/cpu.weight")"
steps=$(steps_of_ramp)
check "the ramp went in steps of at most x2, within 400 ($steps)" is_ramp "$weight" "$steps"

placerctl status
placerctl explain svc.service | tee explain.txt
check "explain names what was changed" grep -q "CPUWeight of svc.service from unset to $weight" explain.txt
check "explain tells of the controller" grep -q "switches the cpu controller on for [0-9]* units" explain.txt

check "placerctl undo" placerctl undo svc.service
weight_is_back "after undo"
sleep 6 # the service manager's own reload, and what it makes others do, is over
read -r a2_rate a2_time a2_batch < <(measure_load 10)
a_rate=$(awk "BEGIN { print ($a1_rate + $a2_rate) / 2 }")
a_time=$(awk "BEGIN { print ($a1_time + $a2_time) / 2 }")
a_batch=$(awk "BEGIN { print ($a1_batch + $a2_batch) / 2 }")
gain=$(ratio "$b_rate" "$a_rate")
faster=$(ratio "$b_time" "$a_time")
left=$(ratio "$b_batch" "$a_batch")
note "placerd: without $a1_rate and $a2_rate requests/s of $a1_time and $a2_time us, batch $a1_batch and $a2_batch CPUs; CPUWeight=$weight $b_rate/s of $b_time us, batch $b_batch: x $gain, times x $faster, batch x $left"

# By hand, in the same guest, beside placerd's figure.
systemctl set-property --runtime svc.service CPUWeight=400
sleep 2
read -r h_rate h_time h_batch < <(measure_load 10)
note "by hand: CPUWeight=400 $h_rate requests/s of $h_time us, batch $h_batch: x $(ratio "$h_rate" "$a_rate"), times x $(ratio "$h_time" "$a_time"), batch x $(ratio "$h_batch" "$a_batch")"
systemctl set-property --runtime svc.service CPUWeight=

disturbed=$(awk "BEGIN { d = $a1_rate - $a2_rate; print ((d < 0 ? -d : d) > 0.25 * $a_rate) }")
((!disturbed)) || repeat_once "the two measurements without a weight differ by more than 25 %"
check "requests per second x $gain, at least 1.25" number "$gain" '>=' 1.25
check "median request time x $faster, at most 0.8" number "$faster" '<=' 0.8
check "the batch keeps at least half of its CPU time ($left)" number "$left" '>=' 0.5
placerd_stop
