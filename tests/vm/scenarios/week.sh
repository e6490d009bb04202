#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# A week of an administrator's work at random while placerd acts on everything: what is left is the administrator's.
#
# The same steps are taken twice: once without placerd, one right after the other, which gives the reference; then over
# week.seconds with placerd. Both are words for the kernel's command line, as is week.seed:
#   tests/vm/run --timeout 6000 --append 'week.seconds=3600 week.seed=7' week
# shellcheck source=../guest/placerd.sh
. "$(dirname "$VM_LIB")/placerd.sh"
set -o pipefail
shopt -s extglob

# word NAME DEFAULT: from the kernel's command line.
word() { sed -n "s/.*\b$1=\([0-9]*\).*/\1/p" /proc/cmdline | grep . || echo "$2"; }

seconds=$(word week.seconds 150)
seed=$(word week.seed 195602917) # the week that found most; others are for runs by hand
limit=6 # changes-per-hour: the default
chosen=(week-churn week-starving week-batch week-throttled week-saturated week-idle)
units=("${chosen[@]}" week-late)
heavy=' week-starving week-batch week-saturated '

# count_words: of one a line, as "2 kill, 3 start".
count_words() { sort | uniq -c | awk '{ printf "%s%d %s", sep, $1, $2; sep = ", " }'; }

# ---- the steps: "PAUSE ACTION UNIT [ASSIGNMENT]", of a seed and a length

# In the shell itself: a subshell would draw the same numbers again.
any() { REPLY=${*:RANDOM % $# + 1:1}; }

# What an administrator does to a unit that is on. Only what was set is unset again.
step_on() {
    local unit=$1 action=set what
    any set set set reload kill stop daemon-reload
    action=$REPLY
    # A machine that is full all day is not one on which much can be tried.
    [[ $heavy != *" $unit "* || $((RANDOM % 2)) -eq 0 ]] || action=stop
    case $action in
    stop)
        on=${on/ $unit / }
        [[ $unit != week-saturated ]] || assigned=${assigned// week-saturated:*([^ ]) /} # it goes with the unit
        ;;
    set)
        any CPUWeight AllowedCPUs
        what=$REPLY
        if [[ $assigned == *" $unit:$what "* && $((RANDOM % 2)) -eq 0 ]]; then
            REPLY=
        elif [[ $what == CPUWeight ]]; then
            any 20 50 200 400
        else
            any 0-3 4-7 0-5 1-2
        fi
        assigned+=" $unit:$what "
        action="set $unit $what=$REPLY"
        any runtime runtime persistent
        echo "$pause ${action/set/set-$REPLY}"
        return
        ;;
    esac
    echo "$pause $action $unit"
}

steps_make() {
    local left=$seconds on=' ' assigned=' ' pause unit
    RANDOM=$seed
    # What is to be cured runs alone at first.
    echo "0 start week-churn" && on+=' week-churn '
    echo "0 start week-idle" && on+=' week-idle '
    pause=40
    while ((left -= pause, left > 0)); do
        any "${chosen[@]}" week-churn
        unit=$REPLY
        if [[ $on == *" $unit "* ]]; then
            step_on "$unit"
        else
            echo "$pause start $unit"
            on+=" $unit "
        fi
        pause=$((RANDOM % 10 + 2))
    done
    # One that nobody has touched, and room for it: its change is in force when placerd is stopped.
    for unit in week-churn $heavy; do
        [[ $on != *" $unit "* ]] || echo "1 stop $unit"
    done
    echo "1 start week-late"
}

# ---- the units

# load NAME COMMAND: what its unit runs. In the reference all only sleep: what is compared does not depend on that, and
# in a busy guest a step takes seconds.
load() {
    printf '#!/bin/sh\nexec %s\n' "$2" >"$RESULTS/$1"
    chmod +x "$RESULTS/$1"
}

loads_asleep() {
    local unit
    for unit in "${units[@]}"; do
        load "$unit" 'sleep infinity'
    done
}

loads_busy() {
    load week-churn "$HACKBENCH"
    load week-late "$HACKBENCH"
    load week-starving "$LATENCY_LOAD --threads 6 --loops 80"
    load week-batch "$LATENCY_LOAD --spin 16"
    load week-throttled "$LATENCY_LOAD --spin 4"
    load week-saturated "$LATENCY_LOAD --spin 16"
}

# week-saturated has no file, it is started as a transient unit.
units_write() {
    local unit more
    for unit in week-churn week-starving week-batch week-throttled week-idle week-late; do
        more=()
        [[ $unit != week-throttled ]] || more=(CPUQuota=50%)
        write_unit "$unit.service" "$RESULTS/$unit" ExecReload=/bin/true Restart=always RestartSec=500ms \
            StartLimitInterval=0 "${more[@]}" # the reference starts and kills faster than is usual
    done
}

is_active() { [[ $(property "$1" ActiveState) == active ]]; }
is_another() { [[ $(property "$1" MainPID) != "$2" ]] && is_active "$1"; }

# step ACTION UNIT [ASSIGNMENT]: returns when it has taken effect.
step() {
    local unit=$2.service pid
    case $1 in
    start)
        if [[ $2 == week-saturated ]]; then
            start_transient "$unit" "$RESULTS/$2"
        else
            systemctl start "$unit"
        fi
        ;;
    stop | reload) [[ "$1 $2" == 'reload week-saturated' ]] || systemctl "$1" "$unit" ;;
    kill)
        [[ $2 != week-saturated ]] || return 0 # it would be gone for good
        pid=$(property "$unit" MainPID)
        systemctl kill --signal=KILL "$unit"
        WAIT_STEP=0.5 wait_for 60 is_another "$unit" "$pid"
        ;;
    set-runtime) systemctl set-property --runtime "$unit" "$3" ;;
    set-persistent) systemctl set-property "$unit" "$3" ;;
    daemon-reload) systemctl daemon-reload ;;
    esac
}

# steps_take LOG [paced]: all of them, each with the machine's time in the log. Returns the number of those that failed.
steps_take() {
    local pause action unit assignment bad=0
    while read -r pause action unit assignment <&9; do
        [[ -z ${2:-} ]] || sleep "$pause"
        echo "$(cut -d ' ' -f 1 /proc/uptime) $action $unit $assignment" >>"$1"
        step "$action" "$unit" "$assignment" || { echo "failed: $action $unit $assignment" && bad=$((bad + 1)); }
    done 9<steps
    return "$bad"
}

# each VERB: of those that are on. All at rest, a snapshot takes a second and not a minute; nothing moves by that.
each() {
    local unit
    for unit in "${units[@]}"; do
        ! is_active "$unit.service" || systemctl "$1" "$unit.service"
    done
}

# ---- what is compared

# masks: where the threads of each unit may run; nobody's threads have an affinity of their own.
masks() {
    local unit tid
    for unit in "${units[@]}"; do
        is_active "$unit.service" || { echo "$unit: off" && continue; }
        for tid in $(thread_ids "$(cgroup_of "$unit.service")"); do
            sed -n "s/^Cpus_allowed_list:/$unit:/p" "/proc/$tid/status" 2>/dev/null
        done | sort -u
    done
}

properties() {
    local unit
    for unit in "${units[@]}"; do
        systemctl show --property=Id,ActiveState,CPUWeight,StartupCPUWeight,AllowedCPUs,CPUQuotaPerSecUSec \
            --property=NeedDaemonReload "$unit.service"
    done
}

state_snapshot() {
    tree_snapshot "$1.tree"
    masks >"$1.masks"
    properties >"$1.properties"
}

# The kernel refuses to empty a populated cgroup's cpuset.cpus; placerd names what stays, and it must be all CPUs. Where
# it was named, it is taken for the empty one that it stands for.
residues_away() {
    local cgroup value all
    all=0-$(($(nproc) - 1))
    journal -u placerd.service --output=cat |
        sed -n 's/.*cpuset.cpus of \([^ ]*\) stays \([^ ]*\) .*/\1 \2/p' | sort -u >residues
    while read -r cgroup value; do
        [[ $value != "$all" ]] || sed -i "s|^\(/sys/fs/cgroup$cgroup/cpuset.cpus:\)$all$|\1|" "$1.tree"
    done <residues
}

# units_forget: all that the steps have made, without a trace.
units_forget() {
    local unit
    for unit in "${units[@]}"; do
        systemctl stop "$unit.service" 2>/dev/null
    done
    units_remove
    rmdir /{run,etc}/systemd/system.control /run/systemd/transient 2>/dev/null
    : >"$VM_UNITS"
    systemctl daemon-reload
}

# ---- placerd while it runs

is_changed() { [[ $(ask "$1" '.change // empty') ]]; }

sample() {
    local pid
    while sleep 10; do
        pid=$(property placerd.service MainPID)
        echo "$(awk '/^VmRSS:/ { print $2 }' "/proc/$pid/status") $(find "/proc/$pid/fd" -type l | wc -l) $pid"
    done >samples
}

# thirds COLUMN: the medians of the first and the last third of the samples, without the first ones, in which what is
# kept of the past fills up.
thirds() {
    local n third
    n=$(($(wc -l <samples) - 4))
    third=$((n / 3))
    tail -n "$n" samples | head -n "$third" | cut -d ' ' -f "$1" | sort -n | sed -n "$(((third + 1) / 2))p"
    tail -n "$third" samples | cut -d ' ' -f "$1" | sort -n | sed -n "$(((third + 1) / 2))p"
}

# journal MATCH...: of this scenario's placerd.
journal() {
    journalctl --sync
    journalctl --quiet --since="@$started" "$@"
}

# What placerd wrote: "SECONDS TARGET", a line for each change and each undo.
writes_of_placerd() {
    journal --output=json MESSAGE_ID=693f27ddfa3b451296ed33fd43ed3729 + MESSAGE_ID=b398401a789f4a50b967dfc24eac6e91 |
        jq -r 'select(.PLACERD_TARGET) | "\(.__REALTIME_TIMESTAMP | tonumber / 1000000 | floor) \(.PLACERD_TARGET)"' |
        sort -k 2,2 -k 1,1n
}

# Fails where a target has more than the limit in any hour.
within_limit() {
    awk -v limit=$limit '
        { n = ++count[$2]; when[$2, n] = $1 }
        n > limit && $1 - when[$2, n - limit] < 3600 {
            print $2 ": " limit + 1 " within " $1 - when[$2, n - limit] " s"
            bad = 1
        }
        END { exit bad }' "$1"
}

# ---- the scenario

note "week.seed=$seed week.seconds=$seconds"
steps_make >steps
note "$(wc -l <steps) steps: $(cut -d ' ' -f 2 steps | count_words)"

units_forget # the folders that earlier scenarios left
tree_snapshot start.tree
loads_asleep
units_write
check "without placerd every step is taken" steps_take reference.log
sleep 2
state_snapshot reference
units_forget
tree_snapshot again.tree
check "the reference leaves nothing behind" same start.tree again.tree

metric_follows_pin week-churn.service &
METRIC=$METRIC.late metric_follows_pin week-late.service &
configure '[placerd]' min-age=1s cpu-budget=100% interval=500ms before=15 settle=2 after=20 weight-interval=10s \
    '[week-*.service]' mode=act '[week-churn.service]' mode=act metric-file=$METRIC \
    '[week-late.service]' mode=act metric-file=$METRIC.late
loads_busy
units_write
affinity_snapshot before.affinity
started=$(date +%s)
check "placerd starts" placerd_start
sample &
check "with placerd every step is taken" steps_take placerd.log paced
check "a change is in force when it is stopped" wait_for 120 is_changed week-late.service
placerctl status
kill %3
stopped=$(date +%s) # what the stop undoes is not limited
placerd_stop
sleep 2
each freeze
writes_of_placerd | awk -v stopped="$stopped" '$1 < stopped' >writes
state_snapshot placerd
residues_away placerd
affinity_snapshot after.affinity

changes=$(journal --output=cat MESSAGE_ID=693f27ddfa3b451296ed33fd43ed3729 | wc -l)
outcomes=$(journal --output=json MESSAGE_ID=35838de543ac480eb20c8ca44db7f716 |
    jq -r .PLACERD_OUTCOME | count_words)
note "placerd made $changes changes ($outcomes); residues: $(wc -l <residues)"
check "placerd changed something" number "$changes" '>' 0
check "drop-ins and cgroups are as without placerd" same reference.tree placerd.tree
check "properties are as without placerd" same reference.properties placerd.properties
check "the units' threads may run where they would without placerd" same reference.masks placerd.masks
check "everybody else's threads may run where they could" affinity_changes before.affinity after.affinity
check "no target was written to more than $limit times in an hour" within_limit writes

read -r -d '' rss_first rss_last < <(thirds 1)
read -r -d '' fds_first fds_last < <(thirds 2)
note "$(wc -l <samples) samples: $rss_first, then $rss_last KiB of memory; $fds_first, then $fds_last descriptors"
check "it was one process all the time" equal 1 "$(cut -d ' ' -f 3 samples | sort -u | wc -l)"
check "its memory is flat" number "$rss_last" '<=' "$(awk "BEGIN { print $rss_first * 1.05 + 256 }")"
# The connection to the service manager is opened with the first plan, and a tick under way has a few files open.
check "its descriptors are flat" number "$fds_last" '<=' "$((fds_first + 4))"
kill %1 %2
each thaw
units_forget
