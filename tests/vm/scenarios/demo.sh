#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# The main job as a story to read: a churning service, placerd enabled, the cure, before and after. For tests/demo.
# shellcheck source=../guest/placerd.sh
. "$(dirname "$VM_LIB")/placerd.sh"

say() { note "$*"; }

# show COMMAND...: the command and what it prints, as on a terminal.
show() {
    local line
    say ""
    say "\$ $*"
    while IFS= read -r line; do
        say "  $line"
    done < <("$@" 2>&1)
}

# wait_shown SECONDS TEXT COMMAND...: tells what the target is doing while it waits.
wait_shown() {
    local end=$((SECONDS + $1)) text=$2
    shift 2
    until "$@"; do
        ((SECONDS < end)) || return 1
        say "  ... $text: $(ask svc.service '"\(.phase) \(.phase_ticks // 0) of \(.phase_ticks_total // 0) ticks, verdict \(.verdict)"')"
        sleep 5
    done
}

say ""
say "A machine with $(nproc) CPUs in $(cpu_lists_of_llcs | wc -l) last-level caches ($(cpu_lists_of_llcs | paste -sd ' ')), kernel $(uname -r)."
say "svc.service runs hackbench: eight processes in pairs that wake each other up."
write_unit svc.service "$HACKBENCH"
systemctl start svc.service
machine_snapshot before svc.service
sleep 3
read -r free_switches free_migrations _ < <(measure svc.service 10)
say "Measured over 10 s from the kernel's own counters: $free_switches switches/s, $(awk "BEGIN { printf \"%.1f\", $free_migrations * 100 }") % of them to another CPU."

say ""
say "Three lines in /etc/placerd.conf (and a unit this young allowed), then the service is switched on:"
act_on svc.service
show cat /etc/placerd.conf
show systemctl enable --now placerd.service
wait_shown 60 "looking" has_verdict svc.service churn
show placerctl status
show placerctl explain svc.service

say ""
say "Now the trial: 20 ticks before, a change, 30 ticks after."
wait_shown 120 "trial" has_any_outcome svc.service
show placerctl status
show placerctl explain svc.service
check "the change was kept" equal kept "$(outcome svc.service)"
read -r pinned_switches pinned_migrations _ < <(measure svc.service 10)

say ""
say "                     free        placed"
say "$(printf 'switches per second  %-10s  %s' "$free_switches" "$pinned_switches")"
say "$(printf 'share that migrates  %-10s  %s' "$(awk "BEGIN { printf \"%.1f %%\", $free_migrations * 100 }")" "$(awk "BEGIN { printf \"%.1f %%\", $pinned_migrations * 100 }")")"
cost=$(property placerd.service CPUUsageNSec)
up=$(awk '{ print $1 }' /proc/uptime)
say "placerd itself used $((cost / 1000000)) ms of CPU time (the machine is up for $up s) and $(($(property placerd.service MemoryCurrent) / 1024)) KiB of memory."
check "more switches than before" number "$(ratio "$pinned_switches" "$free_switches")" '>' 1

say ""
say "And away with it:"
show systemctl disable --now placerd.service
sleep 1
show systemctl show -p AllowedCPUs svc.service
machine_snapshot after svc.service
machine_is_back before after svc.service "after the stop"
