#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Stop, kill -9 with the policy gone, and a restart: for a unit with a file and for a transient one.
# shellcheck source=../guest/placerd.sh
. "$(dirname "$VM_LIB")/placerd.sh"

start_svc() {
    if [[ $1 == transient ]]; then
        # shellcheck disable=SC2086 # a command line
        start_transient svc.service $HACKBENCH
    else
        write_unit svc.service "$HACKBENCH"
        systemctl start svc.service
    fi
}

back() {
    sleep 1
    at_rest svc.service machine_snapshot after svc.service
    machine_is_back before after svc.service "$1"
}

# PID 1 is who would write: the service's cpuset, or drop-ins. Tracing it is slow, so this is done once.
traced_restart() {
    local pid
    strace -p 1 -e trace=openat -o pid1.trace &
    pid=$!
    sleep 1
    systemctl restart placerd.service
    sleep 2
    kill $pid
    wait $pid
    check "a restart: the trace holds what PID 1 opened" test -s pid1.trace
    check "a restart opens no cpuset of the service and no drop-in for writing" eval '! grep -E "(svc.service[^\"]*cpuset|system.control|50-AllowedCPUs)[^\"]*\", [A-Z_|]*O_(WRONLY|RDWR|CREAT)" pid1.trace'
}

restart() {
    if [[ $1 == file ]]; then
        traced_restart
    else
        systemctl restart placerd.service
    fi
}

metric_follows_pin /system.slice/svc.service &
for kind in file transient; do
    cpuset_ready
    start_svc $kind
    sleep 1
    at_rest svc.service machine_snapshot before svc.service
    cpuset_file svc.service >before.cpuset

    keep_a_pin "$kind"
    pinned=$(property svc.service AllowedCPUs)
    restart $kind
    check "$kind: the pin is still there after a restart" equal "$pinned" "$(property svc.service AllowedCPUs)"
    check "$kind: it was adopted" wait_for 10 is_in_phase svc.service kept
    placerd_stop
    back "$kind, stopped"

    keep_a_pin "$kind"
    configure '[placerd]' interval=500ms
    systemctl kill --kill-whom=main --signal=KILL placerd.service
    sleep 2
    systemctl is-active --quiet placerd.service || placerd_start
    check "$kind: undone after kill -9 with the policy gone" wait_for 10 is_unset svc.service
    back "$kind, kill -9 and no policy"
    placerd_stop

    systemctl stop svc.service
    units_remove
done
kill %1
