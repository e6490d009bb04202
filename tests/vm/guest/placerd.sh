# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=bash
# What scenarios about placerd need beside lib.sh: its configuration, its answers, and the loads that it is tried on.
# shellcheck source=lib.sh
. "$VM_LIB"

# Asking costs CPU time that the services under test would have: an emulated guest has little.
WAIT_STEP=2

# Loads of the verdicts. hackbench: 8 tasks in pairs over sockets, switching thousands of times a second.
# shellcheck disable=SC2034 # for the scenarios
HACKBENCH='/usr/bin/hackbench -g 1 -f 4 -l 10000000 -s 100'
# shellcheck disable=SC2034
LATENCY_LOAD=/usr/lib/placerd-vm/latency-load

# configure LINE...: the whole configuration. Windows and interval are the defaults unless a line says otherwise.
configure() { printf '%s\n' "$@" >/etc/placerd.conf; }

# act_on UNIT [LINE OF [placerd]]...: the three-line policy, with units as young as the test's allowed. Emulated CPUs
# are charged for each other's time, so the budget of a real machine would stretch the interval.
act_on() {
    local unit=$1
    shift
    configure '[placerd]' min-age=1s cpu-budget=100% "$@" "[$unit]" mode=act
}

# metric_follows_pin CGROUP: writes the service's own figure of progress, twice as good while that cgroup (a path below the
# mount) is pinned; for scenarios in which a change must be kept, however noisy the emulated machine is. To be run in
# the background.
METRIC=/run/placerd-vm.metric
metric_follows_pin() {
    while sleep 0.3; do
        if [[ $(cat "/sys/fs/cgroup$1/cpuset.cpus.effective" 2>/dev/null) =~ ^(|0-$(($(nproc) - 1)))$ ]]; then
            echo 100 >$METRIC.new
        else
            echo 200 >$METRIC.new
        fi
        mv $METRIC.new $METRIC
    done
}

# keep_a_pin TEXT [TARGET LINE...]: for scenarios about what comes after. Of svc.service, or of a TARGET whose section
# begins with LINE... . Twice the speed, the metric above; a trial that a disturbed host spoilt is said and repeated once,
# by a daemon that does not remember it.
keep_a_pin() {
    local text=$1 target=${2:-svc.service}
    local section=("${@:3}")
    ((${#section[@]})) || section=('[svc.service]')
    configure '[placerd]' min-age=1s cpu-budget=100% interval=500ms before=15 settle=2 after=20 \
        "${section[@]}" mode=act metric-file=$METRIC
    placerd_start
    if wait_for 90 has_any_outcome "$target" && ! has_outcome "$target" kept; then
        note "$text: $(ask "$target" .outcome.text): repeated once"
        placerd_stop
        placerd_start
    fi
    check "$text: a pin is kept" wait_for 90 has_outcome "$target" kept
}

# repeat_once WHY: a comparison that a disturbed host spoilt is said, and the scenario repeated; never twice, and no bound
# is loosened.
repeat_once() {
    [[ -z ${REPEATED:-} ]] || return 0
    note "$1: the host was disturbed, repeated once"
    placerd_stop
    units_remove
    REPEATED=1 exec bash "$0"
}

# A daemon that is stopped leaves nothing: the next scenario starts clean.
placerd_start() { systemctl reset-failed placerd.service 2>/dev/null; systemctl start placerd.service; }
placerd_stop() { systemctl stop placerd.service; }

# ask UNIT FILTER: of what placerd knows of a target, by jq.
ask() { placerctl status "$1" --json 2>/dev/null | jq -r "$2"; }

verdict() { ask "$1" .verdict; }
phase() { ask "$1" .phase; }
outcome() { ask "$1" '.outcome.outcome // "none"'; }
refusal() { ask "$1" '.refusal.text // ""'; }
tick() { placerctl status --json | jq -r .tick; }

has_verdict() { [[ $(ask "$1" 'select(.confirmed) | .verdict') == "$2" ]]; }
has_outcome() { [[ $(outcome "$1") == "$2" ]]; }
has_any_outcome() { [[ $(outcome "$1") != none ]]; }
is_in_phase() { [[ $(phase "$1") == "$2" ]]; }
is_refused() { [[ $(refusal "$1") == *"$2"* ]]; }

# effective UNIT: the CPUs that its threads may use; where it has no cpuset, those of the nearest cgroup that has.
effective() {
    local cgroup
    cgroup=$(cgroup_of "$1")
    until [[ -e $cgroup/cpuset.cpus.effective ]]; do
        cgroup=$(dirname "$cgroup")
    done
    cat "$cgroup/cpuset.cpus.effective"
}

# cpuset_file UNIT: cpuset.cpus, "absent" where there is none.
cpuset_file() { cat "$(cgroup_of "$1")/cpuset.cpus" 2>/dev/null || echo absent; }

cpuset_is_on() { grep -qw cpuset /sys/fs/cgroup/system.slice/cgroup.subtree_control; }

kernel_before_6_2() { [[ $(printf '%s\n6.2\n' "$(uname -r)" | sort -V | head -n 1) != 6.2 ]]; }

# Before 6.2 a pin needs cpuset to be on in the slice: another unit's AllowedCPUs does that. Its CPUs are all there are.
cpuset_switch_on() {
    write_unit switch.service '/bin/sleep infinity' "AllowedCPUs=0-$(($(nproc) - 1))"
    systemctl start switch.service
    wait_for 10 cpuset_is_on
}
cpuset_ready() { ! kernel_before_6_2 || cpuset_switch_on; }

is_unset() { [[ -z $(property "$1" AllowedCPUs) ]]; }

# machine_snapshot NAME UNIT: everything that placerd must leave as it was.
machine_snapshot() {
    affinity_snapshot "$1.affinity"
    find /run/systemd/system.control /run/systemd/transient /etc/systemd/system.control \( -path "*$2*" \) 2>/dev/null |
        grep -v "transient/$2\$" | sort | xargs -r grep -Hs '' >"$1.dropins"
    find /run/systemd/system.control /run/systemd/transient -type d -name "$2.d" 2>/dev/null | sort >>"$1.dropins"
    {
        echo "AllowedCPUs=$(property "$2" AllowedCPUs)"
        echo "NeedDaemonReload=$(property "$2" NeedDaemonReload)"
        echo "effective=$(effective "$2")"
    } >"$1.unit"
}

# at_rest UNIT COMMAND...: with the unit's processes frozen, which leaves them where they are. In an emulated guest a
# busy unit makes a snapshot take ten seconds instead of one.
at_rest() {
    local status=0
    systemctl freeze "$1"
    "${@:2}" || status=$?
    systemctl thaw "$1"
    return $status
}

# machine_is_back BEFORE AFTER UNIT TEXT: the checks behind "everything as it was".
machine_is_back() {
    check "$4: unit properties and effective CPUs are back" same "$1.unit" "$2.unit"
    check "$4: drop-ins are back" same "$1.dropins" "$2.dropins"
    check "$4: every thread's affinity is back" affinity_changes "$1.affinity" "$2.affinity"
    check "$4: a residue, if any, is named" residue_is_named "$3"
}

# weight_is_back TEXT: what a weight changes, against before.tree; it switches controllers on as well. To be called with
# the same units running.
weight_is_back() {
    sleep 2 # the service manager takes a controller away a moment later
    tree_snapshot after.tree
    check "$1: CPUWeight is unset" equal "[not set]" "$(property svc.service CPUWeight)"
    check "$1: weights, controllers and drop-ins are back" same before.tree after.tree
}

# A cpuset.cpus that the kernel would not empty must be named in status; where there is none, or it is empty, all is well.
residue_is_named() {
    local left
    left=$(cpuset_file "$1")
    [[ $left == absent || -z $left || $left == "$(cat before.cpuset 2>/dev/null)" ]] && return
    placerctl status "$1" 2>/dev/null | grep -q cpuset.cpus || journalctl -u placerd.service | grep -q "cpuset.cpus"
}

# What placerd opens for writing, told by the kernel's own tracer, which stops nobody: open(), creat(), openat() and
# openat2() all meet in one function. Names are as they were opened, maybe relative to a folder.
TRACING=/sys/kernel/tracing
tracer_start() {
    # shellcheck disable=SC2016 # the tracer's arguments
    echo 'p:opens/for_writing do_sys_openat2 dir=$arg1:s32 name=+0($arg2):ustring flags=+0($arg3):x64' \
        >$TRACING/kprobe_events &&
        # O_WRONLY, O_RDWR, O_CREAT
        echo 'flags & 0x43 && comm == "placerd"' >$TRACING/events/opens/for_writing/filter &&
        echo 1 >$TRACING/events/opens/for_writing/enable
}

tracer_stop() {
    echo 0 >$TRACING/events/opens/for_writing/enable
    echo >$TRACING/kprobe_events
}

tracer_forget() { echo >$TRACING/trace; }

opened_for_writing() { grep -v '^#' $TRACING/trace; }
