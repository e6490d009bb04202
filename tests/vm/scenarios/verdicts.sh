#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Throttled, saturated, starving and idle services get their verdicts, and none of them is changed.
# shellcheck source=../guest/placerd.sh
. "$(dirname "$VM_LIB")/placerd.sh"

no_change() {
    check "$1: nothing was changed" equal " [not set]" "$(property svc.service AllowedCPUs) $(property svc.service CPUWeight)"
    check "$1: no trial" equal none "$(outcome svc.service)"
}

try() {
    local verdict=$1 text=$2
    shift 2
    write_unit svc.service "$@"
    systemctl start svc.service
    check "$text: $verdict" wait_for 40 has_verdict svc.service "$verdict"
    sleep 5
    check "$text: still $verdict" has_verdict svc.service "$verdict"
    note "$(ask svc.service '"\(.text); \(.evidence)"')"
    no_change "$text"
    systemctl stop svc.service
}

act_on svc.service weight=never
placerd_start
sleep 5
# Not the scenario itself, whose short-lived processes nobody can judge.
others=$(placerctl status --json | jq -r '.targets[] | select(.verdict != null and .verdict != "healthy" and (.target | contains("vm-scenarios") | not)) | "\(.target) \(.verdict)"')
check "an idle guest is healthy everywhere" equal "" "$others"

try throttled "4 spinners with CPUQuota=50%" "$LATENCY_LOAD --spin 4" CPUQuota=50%
try saturated "16 spinners alone" "$LATENCY_LOAD --spin 16"
start_transient batch.service "$LATENCY_LOAD" --spin 16
try starvation "six workers beside 16 spinners" "$LATENCY_LOAD --threads 6 --loops 80"
systemctl stop batch.service
placerd_stop
