# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=bash disable=SC2154 # the options are variables of run
# Boots the guest, shows its progress as it comes, sees how it ended, and counts.
#
# The first serial port is the console. On the second the runner in the guest (guest/run-scenarios) writes lines:
#   = boot STATE          the runner runs, systemd's state is STATE
#   = start NAME          a scenario begins
#   ok - TEXT, not ok - TEXT, skip - TEXT # REASON, # TEXT
#   = end NAME            it ended, its results are on the disk
#   = done                all is on the disk
# Results come on a raw disk as one tar after another.

guest_pid=
progress_fd=
partial=          # of a progress line
current=guest     # the scenario that runs, or what is printed in its place
started=0         # when it did
outcome=          # of a boot: empty while it runs, then done, panic, hang or ended
passed=0 failed=0 skipped=0
ended=()          # scenarios that ran to their end

boot_seconds=300  # 64 CPUs take 75 on two idle CPUs
spare_seconds=120 # around a scenario's own limit: results are written, a busy guest is slow

guest_run_twice_if_lost() {
    [[ -n $out ]] || { out=$cache/results/$kernel_label; rm -rf "$out"; }
    mkdir -p "$out"
    guest_run "$out"
    if [[ $outcome != 'done' ]]; then
        say "the guest was lost: $(lost_reason "$out"); running it again once, its logs are in $out/lost"
        mkdir -p "$out/lost"
        find "$out" -mindepth 1 -maxdepth 1 ! -name lost -exec mv -t "$out/lost" {} +
        guest_run "$out"
    fi
    [[ $outcome == 'done' ]] || report_lost
}

guest_run() {
    local dir=$1
    passed=0 failed=0 skipped=0 ended=() current=guest outcome='' partial=''
    truncate --size=2G "$work/results.img"
    : >"$dir/console.log"
    : >"$dir/progress.log"
    exec {progress_fd}<"$dir/progress.log"
    qemu_command -serial "file:$dir/console.log" -serial "file:$dir/progress.log" -monitor none
    # If this script is killed outright, the guest must not live on.
    setpriv --pdeathsig KILL "${qemu[@]}" </dev/null >"$dir/qemu.log" 2>&1 &
    guest_pid=$!
    guest_watch "$dir"
    guest_kill
    exec {progress_fd}<&-
    results_unpack "$dir"
}

guest_shell() {
    say "the console of the guest follows; Ctrl-D ends it, Ctrl-A X kills it"
    truncate --size=2G "$work/results.img"
    qemu_command -serial mon:stdio -serial null
    # Its warnings of what the emulated CPU lacks would drown the console.
    setpriv --pdeathsig KILL "${qemu[@]}" 2>"$work/qemu.log" || { tail "$work/qemu.log" >&2; die "qemu failed"; }
}

qemu_command() {
    # shellcheck disable=SC2054 # qemu's commas
    qemu=(qemu-system-x86_64 -nodefaults -no-user-config -display none -no-reboot
        # Several threads race when the guest's kernel patches its own code: it panics now and then.
        -accel tcg,thread=single
        # This CPU has the cache leaves that give each socket an L3 domain, and threads.
        -cpu EPYC -smp "$smp" -m "$memory"
        -kernel "$kernel_dir/vmlinuz" -initrd "$work/initramfs.cpio"
        -append "console=ttyS0 quiet oops=panic panic=-1 psi=1 schedstats=enable systemd.show_status=false $append"
        -drive "file=$rootfs_image,if=virtio,format=raw,snapshot=on,cache=unsafe"
        -drive "file=$work/payload.tar,if=virtio,format=raw,readonly=on"
        -drive "file=$work/results.img,if=virtio,format=raw,cache=unsafe")
    numa_arguments
    qemu+=("$@")
}

# The sockets in equal parts to $numa nodes, the memory too.
numa_arguments() {
    local sockets node socket
    [[ -n $numa ]] || return 0
    sockets=$(sed -n 's/.*sockets=\([0-9]*\).*/\1/p' <<<"$smp")
    ((numa > 0 && ${sockets:-0} % numa == 0)) || usage_error "--numa must divide the number of sockets in --smp"
    for ((node = 0; node < numa; node++)); do
        qemu+=(-object "memory-backend-ram,id=memory$node,size=$((memory / numa))M"
            -numa "node,nodeid=$node,memdev=memory$node")
        for ((socket = node * sockets / numa; socket < (node + 1) * sockets / numa; socket++)); do
            qemu+=(-numa "cpu,node-id=$node,socket-id=$socket")
        done
    done
}

guest_kill() {
    [[ -n $guest_pid ]] || return 0
    kill -KILL "$guest_pid" 2>/dev/null || true
    wait "$guest_pid" 2>/dev/null || true
    guest_pid=
}

guest_watch() {
    local dir=$1 alive=yes
    deadline=$((SECONDS + boot_seconds))
    while [[ -z $outcome ]]; do
        kill -0 "$guest_pid" 2>/dev/null || alive=
        progress_read
        if grep --quiet 'Kernel panic' "$dir/console.log"; then
            # The rest of the trace is still being printed.
            sleep 2
            outcome=panic
        elif [[ -z $alive && -z $outcome ]]; then
            outcome=ended
        elif ((SECONDS > deadline)); then
            outcome=hang
        fi
        [[ -n $outcome ]] || sleep 0.3
    done
}

progress_read() {
    local line
    while IFS= read -r line <&"$progress_fd"; do
        progress_line "${partial}${line%$'\r'}"
        partial=
    done
    partial+=$line
}

progress_line() {
    case $1 in
    '= boot '*) say "booted in about $((SECONDS - deadline + boot_seconds)) s (${1#= boot })" ;;
    '= start '*) current=${1#= start } started=$SECONDS deadline=$((SECONDS + timeout + spare_seconds)) ;;
    '= end '*)
        say "$current took $((SECONDS - started)) s"
        ended+=("${1#= end }") current=guest deadline=$((SECONDS + spare_seconds))
        ;;
    '= done') outcome='done' ;;
    'ok - '* | 'not ok - '* | 'skip - '* | '# '*) report_line "$1" ;;
    esac
}

report_line() {
    case $1 in
    'ok - '*) passed=$((passed + 1)) ;;
    'not ok - '*) failed=$((failed + 1)) ;;
    'skip - '*) skipped=$((skipped + 1)) ;;
    esac
    printf '%s %s: %s\n' "$kernel_label" "$current" "$1"
}

# Twice lost: every scenario that did not get to its end has failed.
report_lost() {
    local file reason
    reason=$(lost_reason "$out")
    for file in "${scenarios[@]}"; do
        current=$(basename "$file" .sh)
        [[ " ${ended[*]} " == *" $current "* ]] || report_line "not ok - the guest was lost: $reason"
    done
}

lost_reason() {
    case $outcome in
    panic) grep --max-count=1 --only-matching 'Kernel panic.*' "$1/console.log" ;;
    hang) echo "no progress for longer than allowed" ;;
    *) echo "it ended early; $(grep --max-count=1 -v -e 'warning: ' -e '^Please ' "$1/qemu.log")" ;;
    esac
}

report_summary() {
    say "logs and results are in $out"
    echo "$passed passed, $failed failed, $skipped skipped"
    [[ -z $summary ]] || echo "$passed $failed $skipped" >>"$summary"
    ((failed == 0))
}

# What the guest did not come to write are zeros, and the last tar may be cut off: take what is there.
results_unpack() {
    tar --extract --ignore-zeros --no-same-owner --file="$work/results.img" --directory="$1" 2>/dev/null || true
    rm -f "$work/results.img"
}
