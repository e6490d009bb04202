# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=bash
# What scenarios are written with. A scenario is a bash script that begins with
#   # shellcheck source=../guest/lib.sh
#   . "$VM_LIB"
# runs as root in a guest, in its own folder $RESULTS, which is brought out with its output, and makes checks:
# each prints one line. It fails if a check fails, if it makes none, or if its exit status is not 0.

VM_PROGRESS=${VM_PROGRESS:-/dev/null} # where the harness reads along
VM_UNITS=${VM_UNITS:-/dev/null}       # names of units to remove after the scenario
VM_CHECKS=${VM_CHECKS:-/dev/null}     # one line a check

# ---- checks

# report RESULT TEXT: one line for the log and for the harness.
report() {
    echo "$1 - $2" | tee -a "$VM_CHECKS" "$VM_PROGRESS"
}

# note TEXT: a figure or remark that the reader of the test's output should see.
note() {
    echo "# $*" | tee "$VM_PROGRESS"
}

# check TEXT COMMAND...: ok if the command succeeds; if not, its output is shown.
check() {
    local text=$1 output line
    shift
    if output=$("$@" 2>&1); then
        report ok "$text"
        return
    fi
    report 'not ok' "$text"
    note "failed: $*"
    while IFS= read -r line; do
        note "  $line"
    done < <(head -n 20 <<<"$output")
    return 1
}

# skip TEXT REASON
skip() { report skip "$1 # $2"; }

# number A OP B: compares decimals, as in `check "faster" number "$after" '>' "$before"`. What is no number fails.
number() {
    [[ $1 =~ ^-?[0-9.]+$ && $3 =~ ^-?[0-9.]+$ ]] || { echo "not two numbers: '$1' '$3'"; return 1; }
    awk "BEGIN { exit !($1 $2 $3) }" || { echo "not true: $1 $2 $3"; return 1; }
}

# ratio A B: A / B as a decimal; a B of 0 counts as the smallest rate that shows.
ratio() { awk -v a="$1" -v b="$2" 'BEGIN { printf "%.3f\n", a / (b > 0 ? b : 0.0001) }'; }

# equal A B
equal() { [[ $1 == "$2" ]] || { echo "'$1' is not '$2'"; return 1; }; }

# same FILE1 FILE2
same() { diff -u "$1" "$2"; }

# wait_for SECONDS COMMAND...: until the command succeeds.
wait_for() {
    local end=$((SECONDS + $1))
    shift
    until "$@" >/dev/null 2>&1; do
        ((SECONDS < end)) || { echo "gave up waiting for: $*"; return 1; }
        sleep "${WAIT_STEP:-0.2}"
    done
}

# ---- units

# write_unit NAME EXECSTART [LINE OF [Service]]...: a unit with a file, removed after the scenario.
write_unit() {
    local name=$1 command=$2
    shift 2
    echo "$name" >>"$VM_UNITS"
    {
        printf '[Service]\nExecStart=%s\n' "$command"
        (($# == 0)) || printf '%s\n' "$@"
    } >"/etc/systemd/system/$name"
    systemctl daemon-reload
}

# start_transient NAME COMMAND...: the same without a file.
start_transient() {
    echo "$1" >>"$VM_UNITS"
    systemd-run --quiet --unit="$1" --service-type=exec -- "${@:2}"
}

# units_remove: what the two above made, with what was set on it; the next scenario starts clean.
units_remove() {
    local name
    [[ -s $VM_UNITS ]] || return 0
    while read -r name; do
        systemctl stop "$name" 2>/dev/null
        rm -rf "/etc/systemd/system/$name" /{run,etc}/systemd/system.control/"$name.d" "/run/systemd/transient/$name.d"
    done <"$VM_UNITS"
    systemctl daemon-reload
    systemctl reset-failed
}

# property UNIT NAME
property() { systemctl show --property="$2" --value "$1"; }

# cgroup_of UNIT: its folder.
cgroup_of() { echo "/sys/fs/cgroup$(property "$1" ControlGroup)"; }

# ---- topology

# cpu_list_of_llc CPU: the CPUs that share its last-level cache, as 0-3.
cpu_list_of_llc() { cat "/sys/devices/system/cpu/cpu$1/cache/index3/shared_cpu_list"; }

# cpu_lists_of_llcs: one line for each.
cpu_lists_of_llcs() { sort -u -V /sys/devices/system/cpu/cpu[0-9]*/cache/index3/shared_cpu_list; }

# ---- measuring

# thread_ids CGROUP: of the cgroup and those below it.
thread_ids() { find "$1" -name cgroup.threads -exec cat {} + 2>/dev/null; }

# sum_sched UNIT: "switches migrations voluntary run_nsec delay_nsec slices", summed over its threads.
# Up to 5.15 the names in sched begin with "se.statistics.", later some still with "se.".
sum_sched() {
    local cgroup files
    cgroup=$(cgroup_of "$1")
    files=$(thread_ids "$cgroup" | awk '{ print "/proc/" $1 "/sched"; print "/proc/" $1 "/schedstat" }')
    # shellcheck disable=SC2086 # one word a file
    cat $files 2>/dev/null | awk '
        $1 ~ /^(se\.)?(statistics\.)?nr_migrations$/ { migrations += $3 }
        $1 == "nr_switches" { switches += $3 }
        $1 == "nr_voluntary_switches" { voluntary += $3 }
        /^[0-9]+ [0-9]+ [0-9]+$/ { run += $1; delay += $2; slices += $3 }
        END { printf "%.0f %.0f %.0f %.0f %.0f %.0f\n", switches, migrations, voluntary, run, delay, slices }'
}

# measure UNIT SECONDS: "switches_per_second migrations_per_switch voluntary_per_second cpus wait_usec_per_slice".
measure() {
    local from to
    from="$(cut -d ' ' -f 1 /proc/uptime) $(sum_sched "$1")"
    sleep "$2"
    to="$(cut -d ' ' -f 1 /proc/uptime) $(sum_sched "$1")"
    printf '%s\n' "$from" "$to" | awk '
        NR == 1 { split($0, from) }
        NR == 2 {
            for (i = 1; i <= NF; i++)
                d[i] = $i - from[i]
            printf "%.1f %.4f %.1f %.2f %.0f\n", d[2] / d[1], d[2] ? d[3] / d[2] : 0, d[4] / d[1],
                d[5] / d[1] / 1e9, d[7] ? d[6] / d[7] / 1e3 : 0
        }'
}

# load_report FILE PID: asks latency-load, which writes to FILE, for the figures since the last time.
load_report() {
    local lines
    lines=$(wc -l <"$1")
    kill -USR1 "$2"
    wait_for 10 load_report_came "$1" "$lines" && tail -n 1 "$1"
}

load_report_came() { (($(wc -l <"$1") > $2)); }

# field NAME: the value after NAME in a line "name value name value ..." of latency-load.
field() { awk -v name="$1" '{ for (i = 1; i < NF; i += 2) if ($i == name) print $(i + 1) }'; }

# ---- before and after

# affinity_snapshot FILE: every thread of the machine: "pid tid start_time cpus_allowed_list comm", by tid. Without those
# whose affinity is the kernel's alone to set (PF_NO_SETAFFINITY, 0x04000000): a workqueue's rescuer changes its own.
affinity_snapshot() {
    cat /proc/[0-9]*/task/[0-9]*/{stat,status} 2>/dev/null | awk '
        /^[0-9]+ \(/ { tid = $1; sub(/.*\) /, ""); start[tid] = $20; fixed[tid] = int($7 / 67108864) % 2 }
        /^Name:/ { sub(/^Name:[ \t]*/, ""); name = $0 }
        /^Tgid:/ { pid = $2 }
        /^Pid:/ { tid = $2 }
        /^Cpus_allowed_list:/ && !fixed[tid] { print pid, tid, start[tid], $2, name }' | sort -n -k 2 >"$1"
}

# affinity_changes FILE1 FILE2: threads that are in both and may run elsewhere now. Fails if there are any.
affinity_changes() {
    awk '
        NR == FNR { list[$1, $2, $3] = $4; next }
        ($1, $2, $3) in list && list[$1, $2, $3] != $4 { print "was", list[$1, $2, $3], "is", $0; changed = 1 }
        END { exit changed }' "$1" "$2"
}

# tree_snapshot FILE: drop-ins with their contents, and all that a placer may set in the cgroup tree.
tree_snapshot() {
    local dropins=(/run/systemd/system.control /run/systemd/transient /etc/systemd/system.control)
    {
        find "${dropins[@]}" | sort
        find "${dropins[@]}" -type f -exec grep -H '' {} + | sort
        find /sys/fs/cgroup \( -name cpuset.cpus -o -name cpu.weight -o -name cgroup.subtree_control \) |
            sort | xargs grep -H '' /dev/null
    } >"$1" 2>/dev/null
}
