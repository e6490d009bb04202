#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# A weight is put back by a stop and after kill -9 with the policy gone, with the controllers that it switched on; and
# a batch that asks for latency is spared.
# shellcheck source=../guest/placerd.sh
. "$(dirname "$VM_LIB")/placerd.sh"

has_weight() { [[ $(property "$1" CPUWeight) =~ ^[0-9]+$ ]]; }

start_transient batch.service "$LATENCY_LOAD" --spin 16
write_unit svc.service "$LATENCY_LOAD --threads 6 --loops 160"
systemctl start svc.service
sleep 1
tree_snapshot before.tree

# A daemon that is stopped, or killed, in mid-ramp.
quick=(interval=500ms before=10 settle=2 after=20)
act_on svc.service "${quick[@]}"
placerd_start
check "a weight is set" wait_for 60 has_weight svc.service
placerd_stop
weight_is_back "stopped"

placerd_start
check "a weight is set again" wait_for 60 has_weight svc.service
configure '[placerd]' interval=500ms
systemctl kill --kill-whom=main --signal=KILL placerd.service
sleep 2
systemctl is-active --quiet placerd.service || placerd_start
is_without_weight() { ! has_weight svc.service; }
check "undone after kill -9 with the policy gone" wait_for 20 is_without_weight
placerd_stop
weight_is_back "killed"

configure '[placerd]' min-age=1s cpu-budget=100% "${quick[@]}" '[svc.service]' mode=act '[batch.service]' mode=observe goal=latency
placerd_start
spared() { is_refused svc.service "batch.service, whose goal is latency" || has_outcome svc.service worse; }
check "beside a batch that asks for latency it is refused, or undone as harm" wait_for 90 spared
note "$(ask svc.service '.refusal.text // .outcome.text')"
check "nothing is left of it" wait_for 20 is_without_weight
placerd_stop
weight_is_back "refused"
