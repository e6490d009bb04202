#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Without a policy nothing is written: 3,600 ticks under strace, with a control that shows that the tracer would see it.
# shellcheck source=../guest/placerd.sh
. "$(dirname "$VM_LIB")/placerd.sh"

ticks=3600

# Opened for writing below the cgroup mount, or a method call on the bus that changes something.
changes() { grep -E '/sys/fs/cgroup[^"]*", O_(WRONLY|RDWR)|(openat\([0-9]+[^,]*, "[^"]*(cpuset|cpu\.weight|cgroup\.procs)[^"]*", O_(WRONLY|RDWR))|SetUnitProperties|StartUnit|StopUnit|"Reload"' "$1"; }

trace() { strace -f -y -s 4096 -e trace=openat,openat2,open,creat,sendmsg,sendto,write,writev -o "$1" "${@:2}"; }

# The control: a process that does both kinds of change, seen by the very same filter.
cgroup=/sys/fs/cgroup/system.slice/svc.service
write_unit svc.service '/bin/sleep infinity'
systemctl start svc.service
trace control.trace bash -c "echo max >$cgroup/pids.max; exec busctl call org.freedesktop.systemd1 /org/freedesktop/systemd1 org.freedesktop.systemd1.Manager SetUnitProperties 'sba(sv)' svc.service true 0"
check "the tracer sees a write below the cgroup mount" eval 'changes control.trace | grep -q pids.max'
check "the tracer sees a changing call" eval 'changes control.trace | grep -q SetUnitProperties'

configure '[placerd]' interval=20ms cpu-budget=100%
systemctl stop svc.service
write_unit svc.service "$HACKBENCH"
systemctl start svc.service
mkdir -p /etc/systemd/system/placerd.service.d
strace=$(command -v strace)
cat >/etc/systemd/system/placerd.service.d/trace.conf <<END
[Service]
Type=exec
WatchdogSec=0
ExecStart=
ExecStart=$strace -f -y -s 4096 -e trace=openat,openat2,open,creat,sendmsg,sendto,write,writev -o $RESULTS/placerd.trace /usr/sbin/placerd
CapabilityBoundingSet=
CapabilityBoundingSet=~
SystemCallFilter=
ProtectSystem=no
PrivateTmp=no
ReadWritePaths=
NoNewPrivileges=no
END
systemctl daemon-reload
placerd_start
check "$ticks ticks are taken" wait_for 400 eval "(( \$(tick) >= $ticks ))"
check "the fault is seen" has_verdict svc.service churn
placerd_stop
note "$(wc -l <placerd.trace) calls traced"
check "the trace holds reads of the cgroup tree" grep -q 'svc.service' placerd.trace
check "nothing was written" eval '! changes placerd.trace'
rm -r /etc/systemd/system/placerd.service.d placerd.trace
systemctl daemon-reload
