#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Without a policy nothing is written: 3,600 ticks under strace, with a control that shows that the tracer would see it.
# shellcheck source=../guest/placerd.sh
. "$(dirname "$VM_LIB")/placerd.sh"

ticks=3600

# What is traced, with paths and whole messages; only these calls stop the process.
strace=(strace -f --seccomp-bpf -y -s 4096 -e 'trace=openat,openat2,open,creat,sendmsg,sendto')

# Opened for writing below the cgroup mount, or a call to the manager that changes something.
changes() {
    grep -E '(/sys/fs/cgroup[^"]*"|</sys/fs/cgroup[^>]*>, "[^"]*"), [A-Z_|]*O_(WRONLY|RDWR|CREAT)|SetUnitProperties|(Start|Stop|Restart)[A-Za-z]*Unit|"Reload"' "$1"
}

# Every tick opens /proc/stat once.
ticks_traced() { grep -cE 'openat\([0-9]+</proc>, "stat"' placerd.trace; }
enough_ticks() { (($(ticks_traced) >= ticks)); }

# The control: both kinds of change, seen by the very same tracer and filter.
write_unit svc.service "$HACKBENCH"
systemctl start svc.service
"${strace[@]}" -o control.trace bash -c 'echo max >/sys/fs/cgroup/system.slice/svc.service/pids.max
    busctl call org.freedesktop.systemd1 /org/freedesktop/systemd1 org.freedesktop.systemd1.Manager SetUnitProperties "sba(sv)" svc.service true 0'
check "the tracer sees a write below the cgroup mount" eval 'changes control.trace | grep -q pids.max'
check "the tracer sees a changing call" eval 'changes control.trace | grep -q SetUnitProperties'

configure '[placerd]' interval=20ms cpu-budget=100%
mkdir -p /etc/systemd/system/placerd.service.d
cat >/etc/systemd/system/placerd.service.d/trace.conf <<END
[Service]
Type=exec
WatchdogSec=0
ExecStart=
ExecStart=$(command -v strace) ${strace[*]:1} -o $RESULTS/placerd.trace /usr/sbin/placerd
CapabilityBoundingSet=~
SystemCallFilter=
NoNewPrivileges=no
ProtectSystem=no
PrivateTmp=no
END
systemctl daemon-reload
placerd_start
check "the service is looked at" wait_for 60 grep -q 'svc.service' placerd.trace
sleep 10
systemctl stop svc.service # an idle machine is traced sooner
WAIT_STEP=20 check "$ticks ticks are taken" wait_for 480 enough_ticks
placerd_stop
note "$(ticks_traced) ticks, $(wc -l <placerd.trace) calls traced"
check "nothing was written" eval '! changes placerd.trace'
rm -r /etc/systemd/system/placerd.service.d placerd.trace
systemctl daemon-reload
