# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Writes recordings by hand: 8 CPUs in two L3 domains, services of a few threads each, one frame a second. A scene's
# NAME.make sources nothing, it just says for each second what happened in it:
#
#   service svc.service 8            once, before the first frame: a service with 8 threads
#   quota svc.service 50000          cpu.max, microseconds in 100000 (optional)
#   second                           starts a frame
#   ran svc.service RUN DELAY SLICES SWITCHES MIGRATIONS [PERIODS THROTTLED THROTTLED-USEC]
#                                    what happened since the frame before, summed over its threads; milliseconds
#   frame                            writes it
#
# Afterwards a scene may take files away from $frames_dir. Everything that is not said is 0; the counters start
# somewhere, as on a real machine.

declare -A n_threads first_tid run delay slices switches migrations periods throttled throttled_usec quota_usec
declare -a services=()
declare -i n_frames=0 seconds=0 machine_busy_ms=0
frames_dir=''
ruler=-------------------------------------------------------------------

recording() {
        frames_dir=$1/frames
        mkdir -p "$frames_dir"
        # shellcheck disable=SC2154 # the script that sources this sets it
        cp "$scenes/topology.xml" "$1/topology.xml"
}

service() {
        services+=("$1")
        n_threads[$1]=$2
        first_tid[$1]=$((${#services[@]} * 1000))
        run[$1]=5000 delay[$1]=100 slices[$1]=1000 switches[$1]=900 migrations[$1]=50
        periods[$1]=0 throttled[$1]=0 throttled_usec[$1]=0
}

quota() {
        quota_usec[$1]=$2
}

second() {
        seconds+=1
}

ran() {
        run[$1]=$((run[$1] + $2)) delay[$1]=$((delay[$1] + $3)) slices[$1]=$((slices[$1] + $4))
        switches[$1]=$((switches[$1] + $5)) migrations[$1]=$((migrations[$1] + $6))
        periods[$1]=$((periods[$1] + ${7:-0})) throttled[$1]=$((throttled[$1] + ${8:-0}))
        throttled_usec[$1]=$((throttled_usec[$1] + ${9:-0}))
        machine_busy_ms+=$2
}

# All folders with one process: a fork a frame.
make_folders() {
        local at=$1 name tid folders=("$1/proc/pressure" "$1/proc/sys/kernel" "$1/sys/devices/system/cpu")

        for name in "${services[@]}"; do
                folders+=("$at/sys/fs/cgroup/system.slice/$name")
                for ((tid = first_tid[$name]; tid < first_tid[$name] + n_threads[$name]; tid++)); do
                        folders+=("$at/proc/${first_tid[$name]}/task/$tid")
                done
        done
        mkdir -p "${folders[@]}"
}

machine_files() {
        local at=$1 cpu busy=$((machine_busy_ms / 80)) total=$((seconds * 100 + 1000))

        printf 'monotonic_usec %d\n' $((seconds * 1000000 + 5000000)) >"$at/clock"
        printf '6.12.0-scene\n' >"$at/proc/sys/kernel/osrelease"
        printf '0\n' >"$at/proc/sys/kernel/sched_schedstats"
        printf '0-7\n' >"$at/sys/devices/system/cpu/online"
        printf 'some avg10=0.00 avg60=0.00 avg300=0.00 total=%d\n' $((seconds * 1000)) >"$at/proc/pressure/cpu"
        {
                printf 'cpu  %d 0 0 %d 0 0 0 0 0 0\n' $((busy * 8)) $(((total - busy) * 8))
                for cpu in {0..7}; do
                        printf 'cpu%d %d 0 0 %d 0 0 0 0 0 0\n' "$cpu" "$busy" $((total - busy))
                done
        } >"$at/proc/stat"
        {
                printf 'version 16\ntimestamp 4294898230\n'
                for cpu in {0..7}; do
                        printf 'cpu%d 0 0 0 0 0 0 %d 0 %d\n' "$cpu" $((machine_busy_ms * 125000)) $((seconds * 1000))
                done
        } >"$at/proc/schedstat"
}

cgroup_files() {
        local at=$1 controllers=$2

        printf '%s\n' "$controllers" >"$at/cgroup.controllers"
        printf '%s\n' "$controllers" >"$at/cgroup.subtree_control"
        printf 'domain\n' >"$at/cgroup.type"
        printf '0-7\n' >"$at/cpuset.cpus.effective"
        : >"$at/cgroup.procs"
        : >"$at/cgroup.threads"
}

service_files() {
        local root=$1 name=$2 at=$1/sys/fs/cgroup/system.slice/$2 tid n=${n_threads[$2]} pid=${first_tid[$2]}

        cgroup_files "$at" 'cpuset cpu'
        : >"$at/cgroup.subtree_control"
        : >"$at/cpuset.cpus"
        printf 'member\n' >"$at/cpuset.cpus.partition"
        printf '100\n' >"$at/cpu.weight"
        printf '0\n' >"$at/cpu.idle"
        printf '%s 100000\n' "${quota_usec[$name]:-max}" >"$at/cpu.max"
        printf 'usage_usec %d\nuser_usec 0\nsystem_usec 0\nnr_periods %d\nnr_throttled %d\nthrottled_usec %d\n' \
                $((run[$name] * 1000)) "${periods[$name]}" "${throttled[$name]}" "${throttled_usec[$name]}" \
                >"$at/cpu.stat"
        printf 'throttled_usec %d\n' "${throttled_usec[$name]}" >"$at/cpu.stat.local"
        printf 'some avg10=0.00 avg60=0.00 avg300=0.00 total=%d\n' $((delay[$name] * 100)) >"$at/cpu.pressure"
        printf '%d\n' "$pid" >"$at/cgroup.procs"

        for ((tid = pid; tid < pid + n; tid++)); do
                printf '%d\n' "$tid" >>"$at/cgroup.threads"
                thread_files "$root/proc/$pid/task/$tid" "$name" "$tid"
        done
        printf '0::/system.slice/%s\n' "$name" >"$root/proc/$pid/cgroup"
        thread_stat "$pid" >"$root/proc/$pid/stat"
}

thread_stat() {
        printf '%d (worker) S 1 1 1 0 -1 4194560 0 0 0 0 0 0 0 0 20 0 1 0 400 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 17 %d 0 0\n' \
                "$1" $(($1 % 8))
}

# Each thread has its share of the sum.
thread_files() {
        local at=$1 name=$2 tid=$3 n=${n_threads[$2]}

        printf '%d %d %d\n' $((run[$name] * 1000000 / n)) $((delay[$name] * 1000000 / n)) $((slices[$name] / n)) \
                >"$at/schedstat"
        printf '%s\nse.nr_migrations : %d\nnr_switches : %d\nnr_voluntary_switches : %d\nnr_involuntary_switches : %d\n' \
                "worker ($tid, #threads: $n)"$'\n'"$ruler" $((migrations[$name] / n)) $((switches[$name] / n)) \
                $((switches[$name] * 3 / 4 / n)) $((switches[$name] / n - switches[$name] * 3 / 4 / n)) >"$at/sched"
        thread_stat "$tid" >"$at/stat"
        printf 'Name:\tworker\nTgid:\t%d\nPid:\t%d\nCpus_allowed_list:\t0-7\nvoluntary_ctxt_switches:\t%d\n' \
                "${first_tid[$name]}" "$tid" $((switches[$name] * 3 / 4 / n)) >"$at/status"
        printf 'nonvoluntary_ctxt_switches:\t%d\n' $((switches[$name] / n - switches[$name] * 3 / 4 / n)) \
                >>"$at/status"
}

frame() {
        local at name
        printf -v at '%s/%04d' "$frames_dir" "$n_frames"

        make_folders "$at"
        machine_files "$at"
        cgroup_files "$at/sys/fs/cgroup" 'cpuset cpu memory'
        printf 'usage_usec %d\nuser_usec 0\nsystem_usec 0\n' $((machine_busy_ms * 1000)) >"$at/sys/fs/cgroup/cpu.stat"
        cgroup_files "$at/sys/fs/cgroup/system.slice" 'cpuset cpu'
        : >"$at/sys/fs/cgroup/system.slice/cpuset.cpus"
        printf 'usage_usec %d\n' $((machine_busy_ms * 1000)) >"$at/sys/fs/cgroup/system.slice/cpu.stat"
        for name in "${services[@]}"; do
                service_files "$at" "$name"
        done
        n_frames+=1
}
