#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Without a policy nothing is written: 3,600 ticks under strace, with a control that shows that the tracer would see it.
# shellcheck source=../guest/placerd.sh
. "$(dirname "$VM_LIB")/placerd.sh"

ticks=3600

# What is sent is told by strace, which stops the process for these calls only. Stopping at each of the fifty opens of a
# tick as well leaves 2 to 10 ticks a second of 40: what is opened for writing is told by the kernel's own tracer.
strace=(strace -f --seccomp-bpf -s 4096 -e 'trace=sendmsg,sendto')

# A call to the manager that changes something.
changing_calls() { grep -E 'SetUnitProperties|(Start|Stop|Restart)[A-Za-z]*Unit|"Reload"' "$1"; }

enough_ticks() { (($(tick) >= ticks)); }

# The control: both kinds of change, seen by the very same tracers and filters.
write_unit svc.service "$HACKBENCH"
systemctl start svc.service
check "the kernel can tell who opens what for writing" tracer_start
cp "$(command -v bash)" placerd
"${strace[@]}" -o control.trace ./placerd -c 'echo max >/sys/fs/cgroup/system.slice/svc.service/pids.max
    busctl call org.freedesktop.systemd1 /org/freedesktop/systemd1 org.freedesktop.systemd1.Manager SetUnitProperties "sba(sv)" svc.service true 0'
opened_for_writing >control.opened
check "the tracer sees a write below the cgroup mount" grep -q 'svc.service/pids.max' control.opened
check "the tracer sees a changing call" eval 'changing_calls control.trace | grep -q SetUnitProperties'
tracer_forget

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
is_looked_at() { [[ $(ask svc.service .target) == */svc.service ]]; }
check "the service is looked at" wait_for 60 is_looked_at
systemctl stop svc.service # an idle machine is traced sooner
WAIT_STEP=10 check "$ticks ticks are taken" wait_for 480 enough_ticks
note "$(tick) ticks, $(wc -l <placerd.trace) messages"
opened_for_writing >opened
placerd_stop
tracer_stop
cat opened
check "messages were traced" grep -q RequestName placerd.trace
check "no changing call was made" eval '! changing_calls placerd.trace'
check "nothing was opened for writing but its own files" eval '! grep -v "name=\"run/placerd" opened'
rm -r /etc/systemd/system/placerd.service.d placerd.trace placerd
systemctl daemon-reload
