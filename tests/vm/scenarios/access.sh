#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Who may ask and who may change: an ordinary user, polkit, root where no bus runs; and what a pause does to a trial.
# shellcheck source=../guest/placerd.sh
# shellcheck disable=SC2016,SC2034 # conditions are evaluated by check
. "$(dirname "$VM_LIB")/placerd.sh"

rule=/etc/polkit-1/rules.d/50-placerd.rules
started=$(date +%s.%N)
journal() { journalctl --sync && journalctl --quiet -u placerd.service --since="@$started" --output=cat "$@"; }
as_user() { setpriv --reuid=ordinary --regid=ordinary --init-groups "$@"; }

# exits CODE TEXT COMMAND...: that is how it ends, and TEXT is in what it says.
exits() {
    local code=0
    "${@:3}" >said 2>&1 </dev/null || code=$?
    cat said
    [[ $code == "$1" ]] && grep -qF -- "$2" said
}

is_paused() { [[ $(placerctl status --json | jq .paused) == true ]]; }
paused_property() { busctl get-property org.placerd1 /org/placerd1 org.placerd1.Manager Paused; }
is_on_trial() { [[ $(phase svc.service) =~ ^(settling|after)$ ]] && ! is_unset svc.service; }
is_active() { [[ $(property "$1" ActiveState) == active ]]; }

policy() {
    configure '[placerd]' min-age=1s cpu-budget=100% interval=500ms before=15 settle=2 after=20 \
        '[svc.service]' "mode=$1" metric-file=$METRIC
}

useradd --no-create-home ordinary
metric_follows_pin svc.service &
metric=$!
write_unit svc.service "$HACKBENCH"
systemctl start svc.service
policy observe
placerd_start

# An ordinary user, and what polkit says of him.
check "a user may look" as_user placerctl status
check "a user may have it explained" wait_for 20 exits 0 'svc.service (/system.slice/svc.service)' as_user placerctl explain svc.service
check "polkit knows the action" eval 'pkaction --action-id org.placerd1.manage --verbose | grep -q "implicit active: *auth_admin_keep"'
check "a user may not pause" exits 1 'polkit wants a password for this (org.placerd1.manage)' as_user placerctl pause
check "a user may not undo" exits 1 'polkit wants a password' as_user placerctl undo --all
check "nor call the bus himself" exits 1 'Access denied' as_user busctl call org.placerd1 /org/placerd1 org.placerd1.Manager Pause
check "it is not paused" eval '! is_paused'
systemctl stop polkit.service
systemctl mask --runtime --quiet polkit.service
check "without polkit a user is told so" exits 1 'there is no polkit here' as_user placerctl pause
check "root needs no polkit" exits 0 'placerd goes on' placerctl resume
systemctl unmask --runtime --quiet polkit.service

cat >$rule <<'END'
polkit.addRule(function(action, subject) {
    if (action.id == "org.placerd1.manage" && subject.user == "ordinary")
        return polkit.Result.YES;
});
END
check "a rule lets the user pause" wait_for 10 exits 0 'Paused: nothing is changed or tried' as_user placerctl pause
check "it is paused" is_paused
check "the user's undo works" exits 0 'nothing to undo' as_user placerctl undo --all
check "the user may resume" exits 0 'placerd goes on' as_user placerctl resume
uid=$(id -u ordinary)
check "the journal says who paused" eval '[[ $(journal MESSAGE_ID=3fcb57f3282a406d9b95bdd6f726e5c1 PLACERD_ASKED_BY_UID=$uid | wc -l) == 1 ]]'
check "and who resumed" eval '[[ $(journal MESSAGE_ID=f733552495fd4e058ccda414376c2103 PLACERD_ASKED_BY_UID=$uid | wc -l) == 1 ]]'
rm $rule
check "without the rule it is over" wait_for 10 exits 1 'polkit' as_user placerctl pause

# A pause in the middle of a trial.
policy act
systemctl reload placerd.service
check "a trial is under way" wait_for 120 is_on_trial
check "root pauses, and the trial is broken off" exits 0 '1 trial was broken off and undone' placerctl pause
check "its change is undone" is_unset svc.service
check "its outcome is inconclusive" has_outcome svc.service inconclusive
check "a second pause changes nothing" exits 0 "until 'placerctl resume'." placerctl pause
check "status says so" exits 0 "Paused: nothing is changed or tried until 'placerctl resume'." placerctl status
check "so does the target" equal "$(ask svc.service .why)" paused
check "so does the service's status" eval 'property placerd.service StatusText | grep -q "; paused$"'
check "so does the bus" equal "$(paused_property)" 'b true'
check "a reload keeps it" systemctl reload placerd.service
sleep 20
check "it is still paused" is_paused
check "verdicts go on" has_verdict svc.service churn
check "nothing was tried" eval 'is_unset svc.service && [[ $(phase svc.service) == watching ]]'
check "resumed" exits 0 'placerd goes on' placerctl resume
check "the bus says so" equal "$(paused_property)" 'b false'
check "it is tried again at once" wait_for 60 is_on_trial
if wait_for 90 has_any_outcome svc.service && wait_for 60 has_outcome svc.service kept; then
    pinned=$(property svc.service AllowedCPUs)
    check "a kept pin survives a pause" eval 'placerctl pause && sleep 5 && equal "$pinned" "$(property svc.service AllowedCPUs)"'
    check "why says that it is not tried again" eval '[[ $(ask svc.service .why) == *"; paused: not tried again" ]]'
    systemctl set-property --runtime svc.service AllowedCPUs=0-1
    check "overridden while paused, it is let go" wait_for 20 has_outcome svc.service overridden
    systemctl set-property --runtime svc.service AllowedCPUs=
else
    skip "a kept pin survives a pause" "no pin was kept: $(ask svc.service .outcome.text)"
fi

# Where no bus runs.
systemctl restart placerd.service
check "a restart ends a pause" eval '! is_paused'
check "with a bus there is no private socket" eval '[[ ! -e /run/placerd/private ]]'
systemctl stop dbus.socket dbus.service
check "the bus is away" eval '! is_active dbus.service && ! busctl status'
systemctl restart placerd.service
check "without a bus placerd runs" is_active placerd.service
check "the private socket is root's" equal "$(stat -c '%U %a %F' /run/placerd/private)" 'root 600 socket'
check "root may look" exits 0 '' placerctl status --all
check "and undo" exits 0 undo placerctl undo --all
check "a user is told why not" exits 3 "no system bus runs, and its private socket is for root alone" as_user placerctl status
systemctl stop placerd.service
check "stopped, the socket is gone" eval '[[ ! -e /run/placerd/private ]]'
check "and root is told" exits 3 'placerd does not run (no system bus, and no private socket)' placerctl status
placerd_start
systemctl start dbus.socket dbus.service
check "the bus is back, and root still finds placerd" exits 0 '' placerctl status --all
check "a user is still told why not" exits 3 'it is not on the system bus' as_user placerctl status
systemctl restart placerd.service
check "restarted, placerd is on the bus" exits 0 '' as_user placerctl status --all
check "and the private socket is gone" eval '[[ ! -e /run/placerd/private ]]'
placerd_stop
kill $metric
