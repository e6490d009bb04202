#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# The first of three caches is kept busy by somebody else: another one is chosen.
# shellcheck source=../guest/placerd.sh
. "$(dirname "$VM_LIB")/placerd.sh"

cpuset_ready
busy=$(cpu_list_of_llc 0)
write_unit busy.service "$LATENCY_LOAD --spin 2" "AllowedCPUs=$busy"
systemctl start busy.service
act_on svc.service
placerd_start
write_unit svc.service "$HACKBENCH"
systemctl start svc.service

check "verdict churn" wait_for 30 has_verdict svc.service churn
check "a change is made" wait_for 60 is_in_phase svc.service after
pinned=$(property svc.service AllowedCPUs)
check "AllowedCPUs is one whole L3 domain ($pinned)" grep -qx -- "$pinned" <(cpu_lists_of_llcs)
check "it is not the busy one ($busy)" test "$pinned" != "$busy"
check "the trial ends" wait_for 90 has_any_outcome svc.service
# Emulated CPUs share one real one with those that spin: how much the pin gains here says nothing. See churn.sh for that.
note "outcome: $(outcome svc.service)"
placerctl explain svc.service
placerd_stop
check "after a stop it is free again" equal "0-$(($(nproc) - 1))" "$(effective svc.service)"
