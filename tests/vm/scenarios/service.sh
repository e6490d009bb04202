#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# The service itself: readiness, sandbox, bus, reload, journal, and what becomes of it when it is killed, fails for good,
# is disabled, or meets a bad configuration. What it finds and changes is tested elsewhere.
# shellcheck source=../guest/placerd.sh
# shellcheck disable=SC2016,SC2034 # conditions are evaluated by check
. "$(dirname "$VM_LIB")/placerd.sh"

show() { property placerd.service "$1"; }
is_show() { [[ $(show "$1") == "$2" ]]; }
started=$(date +%s.%N)
journal() { journalctl --quiet -u placerd.service --since="@$started" --output=cat "$@"; }
said() { journalctl --sync && journal | grep -q -e "$1"; }
describe() { busctl call org.placerd1 /org/placerd1 org.placerd1.Manager "$@"; }
as_nobody() { setpriv --reuid=65534 --regid=65534 --clear-groups "$@"; }
refused_to_nobody() { ! as_nobody busctl call org.placerd1 /org/placerd1 org.placerd1.Manager "$@" >out 2>&1 && grep -qi 'access denied' out; }
pid() { show MainPID; }

check "systemd has nothing to say to the units" systemd-analyze verify --man=no placerd.service placerd-restore.service
check "nothing is enabled by the installation" eval '! systemctl is-enabled placerd.service'
check "asking does not start it" eval '! describe Describe 2>/dev/null; is_show ActiveState inactive'

configure '[placerd]' interval=200ms cpu-budget=100%
check "it starts" placerd_start
check "it says what it does" eval 'show StatusText | grep -Eq "^[0-9]+ targets?, 0 changes, every 200ms"'
check "its threads have no more rights than the unit names" \
    equal "$(awk '$1 == "CapBnd:" { print $2 }' "/proc/$(pid)/status")" 0000000000801000
check "it is watched" eval '[[ $(show WatchdogUSec) == 1min && $(show NotifyAccess) == main ]]'
check "nothing in its journal is worse than a notice" eval '[[ -z $(journal --priority=warning) ]]'

check "root may ask" eval 'describe Describe | grep -q targets'
check "anyone may ask" as_nobody busctl call org.placerd1 /org/placerd1 org.placerd1.Manager Describe
check "not anyone may undo" refused_to_nobody Undo s svc.service
check "not anyone may undo all" refused_to_nobody UndoAll
check "root may undo all" equal "$(describe UndoAll)" 'u 0'
check "an unknown target is an error" eval 'describe DescribeTarget s none.service 2>&1 | grep -qi "no target"'
check "it can be introspected" eval 'busctl introspect org.placerd1 /org/placerd1 | grep -q "\.Decision *signal *sss"'

configure '[placerd]' interval=400ms cpu-budget=100%
check "a reload succeeds" systemctl reload placerd.service
check "the new configuration is in force" wait_for 5 eval 'show StatusText | grep -q "every 400ms"'
configure '[placerd]' interval=1h
systemctl reload placerd.service
check "a bad configuration is told with its line" wait_for 5 said '/etc/placerd.conf:2: '
check "the old one stays in force" eval 'show StatusText | grep -q "every 400ms"'
check "it is still active" is_show ActiveState active
check "the entry has its number" eval '[[ -n $(journal MESSAGE_ID=398509268f5f4aa9ba66e034a56fb5a7) ]]'

before=$(pid)
kill -9 "$before"
# With the bad configuration it can't come back.
check "a bad configuration at the start ends it for good" wait_for 20 is_show ActiveState failed
check "with the status that says so" is_show ExecMainStatus 78
check "once, not in a loop" equal "$(show NRestarts)" 1

configure '[placerd]' interval=200ms cpu-budget=100%
check "it starts again" placerd_start
before=$(pid)
kill -9 "$before"
check "after a kill it comes back by itself" wait_for 20 eval 'is_show ActiveState active && [[ $(pid) != "$before" ]]'
check "a second one is refused" eval '! timeout 10 placerd 2>second; grep -q "Another placerd" second'
check "so is --restore beside it" eval '! placerd --restore 2>third; grep -q "placerd is running" third'
check "it stops" placerd_stop
check "without a failure" is_show Result success
check "nothing is left in the runtime folder but an empty ledger" eval '! grep -q target /run/placerd/ledger.json 2>/dev/null'

# Disabled there is no alias, enabled there is.
systemctl enable --quiet placerd.service
check "enabled, asking starts it" eval 'describe Describe >/dev/null && is_show ActiveState active'
systemctl disable --quiet --now placerd.service
check "disabled, it does not" eval '! describe Describe 2>/dev/null; is_show ActiveState inactive'

# A change, with its journal entries; then a failure for good, which must not leave it.
metric_follows_pin /system.slice/svc.service &
cpuset_ready
write_unit svc.service "$HACKBENCH"
systemctl start svc.service
sleep 1
at_rest svc.service machine_snapshot before svc.service
cpuset_file svc.service >before.cpuset
keep_a_pin "the service"
journalctl --sync
for id in fcfa7dd3a4894402925c822a94031a4a 693f27ddfa3b451296ed33fd43ed3729 35838de543ac480eb20c8ca44db7f716; do
    entries=$(journal PLACERD_UNIT=svc.service MESSAGE_ID=$id | wc -l)
    check "an entry of $id, but not one a tick ($entries)" eval '((entries >= 1 && entries <= 4))'
done
check "fields of the change" eval '[[ $(journal --output=json PLACERD_UNIT=svc.service MESSAGE_ID=693f27ddfa3b451296ed33fd43ed3729 |
    head -n 1 | jq -r "[.PLACERD_TARGET, .PLACERD_VERDICT, .PLACERD_ARM, .PLACERD_FROM] | join(\" \")") == "/system.slice/svc.service churn pin unset" ]]'
journalctl --update-catalog # what a package's trigger does
check "the catalog explains it" eval 'journalctl --quiet -x PLACERD_UNIT=svc.service | grep -q "This is a trial"'
pinned=$(property svc.service AllowedCPUs)

kill -9 "$(pid)"
check "killed and back, the pin is still there" eval 'wait_for 20 is_show ActiveState active && equal "$pinned" "$(property svc.service AllowedCPUs)"'
check "and is adopted" wait_for 40 is_in_phase svc.service kept
configure '[placerd]' interval=1h
kill -9 "$(pid)"
check "failed for good" wait_for 30 is_show ActiveState failed
check "placerd-restore.service undoes it" wait_for 20 is_unset svc.service
sleep 1
at_rest svc.service machine_snapshot after svc.service
machine_is_back before after svc.service "failed for good"
kill %1
