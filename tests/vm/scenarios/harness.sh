#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# The guest itself, without placerd: a service that churns over all caches gains when it is kept to one by hand.
# shellcheck source=../guest/lib.sh
. "$VM_LIB"

domain=$(cpu_list_of_llc 0)
check "the machine has several last-level caches" number "$(cpu_lists_of_llcs | wc -l)" '>' 1

write_unit svc.service "/usr/bin/hackbench -g 1 -f 4 -l 10000000 -s 100"
tree_snapshot before.tree
affinity_snapshot before.affinity
check "the service starts" systemctl start svc.service
sleep 3

read -r free_switches free_migrations _ < <(measure svc.service 10)
check "AllowedCPUs=$domain is taken" systemctl set-property --runtime svc.service AllowedCPUs="$domain"
check "the cgroup has it" equal "$domain" "$(cat "$(cgroup_of svc.service)/cpuset.cpus.effective")"
read -r pinned_switches pinned_migrations _ < <(measure svc.service 10)
check "AllowedCPUs is unset" systemctl set-property --runtime svc.service AllowedCPUs=

note "free: $free_switches switches/s, $free_migrations migrate; on $domain: $pinned_switches/s, $pinned_migrations"
gain=$(ratio "$pinned_switches" "$free_switches")
calm=$(ratio "$free_migrations" "$pinned_migrations")
check "switches per second x $gain, more than 1.5" number "$gain" '>' 1.5
check "migrations per switch $calm times fewer, at least 5" number "$calm" '>=' 5

affinity_snapshot after.affinity
tree_snapshot after.tree
