#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# placerctl from outside: exit codes, the verbs that need no daemon, and the others against a stand-in for it on a bus
# of our own. Whoever runs the tests has no placerd on that bus.
#
# usage: ctl-cli.sh PLACERCTL FAKE-PLACERD SOURCE-ROOT

set -u
placerctl=$1
fake=$2
source_root=$3
scenes=$source_root/tests/scenes
tmp=$(mktemp -d)
bus_pid='' fake_pid=''
failures=0
export DBUS_SYSTEM_BUS_ADDRESS="unix:path=$tmp/bus" TERM=xterm

end() {
        [[ -n $fake_pid ]] && kill "$fake_pid" 2>/dev/null
        [[ -n $bus_pid ]] && kill "$bus_pid" 2>/dev/null
        rm -rf "$tmp"
}
trap end EXIT

fail() {
        echo "FAILED: $*"
        failures=$((failures + 1))
}

# expect CODE ARGUMENT...: runs placerctl; its output is in $tmp/out, its complaints in $tmp/err.
expect() {
        local want=$1 code
        shift
        "$placerctl" "$@" >"$tmp/out" 2>"$tmp/err" </dev/null
        code=$?
        ((code == want)) || fail "placerctl $*: exit code $code, not $want: $(cat "$tmp/err")"
        if ((want == 0)) && [[ -s $tmp/err ]]; then
                fail "placerctl $*: complains: $(cat "$tmp/err")"
        elif ((want != 0)) && ! [[ -s $tmp/err ]]; then
                fail "placerctl $*: says nothing"
        fi
}

says() {
        grep -qF -- "$1" "$tmp/out" || fail "no '$1' in: $(cat "$tmp/out")"
}

complains() {
        grep -qF -- "$1" "$tmp/err" || fail "no '$1' in: $(cat "$tmp/err")"
}

usage_errors() {
        expect 2
        expect 2 no-such-verb
        expect 2 --no-such-option
        expect 2 explain
        expect 2 explain one two
        expect 2 undo
        expect 2 undo svc.service --all
        expect 2 pause now
        expect 2 resume now
        expect 2 record
        expect 2 record --seconds 0 "$tmp/r"
        expect 2 record --seconds 1x "$tmp/r"
        expect 2 record --interval 60001 "$tmp/r"
        expect 2 topology --xml a --root b
        expect 2 topology --xml
}

plain_options() {
        expect 0 --help
        says 'check-config'
        says 'Exit codes: 0 done, 1 refused or failed, 2 usage, 3 placerd does not run, or can'\''t be asked'
        expect 0 --version
        grep -Eq '^placerctl [0-9]+\.[0-9]+' "$tmp/out" || fail '--version names no version'
}

no_daemon() {
        expect 3 status
        complains 'placerd does not run'
        expect 3 status svc.service
        expect 3 explain svc.service
        expect 3 advise
        expect 3 undo --all
        expect 3 pause
        expect 3 resume
}

check_config() {
        printf '[svc.service]\nmode=act\n' >"$tmp/good.conf"
        printf '[svc.service]\n\nmode=perhaps\n' >"$tmp/bad.conf"
        printf '[kubepods.slice]\nmode=act\n' >"$tmp/foreign.conf"

        expect 0 check-config "$tmp/good.conf"
        says '1 policy'
        expect 1 check-config "$tmp/bad.conf"
        complains "$tmp/bad.conf:3: "
        expect 1 check-config "$tmp/foreign.conf"
        complains "$tmp/foreign.conf:1: "
        expect 1 check-config "$tmp/absent.conf"
        complains 'absent.conf'
}

topology() {
        expect 0 topology --xml "$scenes/topology.xml"
        says 'llc      4-7  (4 CPUs'
        expect 0 topology --xml "$scenes/topology.xml" --json
        says '"level":"llc","cpus":"0-3"'
        expect 1 topology --xml "$tmp/good.conf"
        expect 1 topology --xml "$tmp/absent.xml"
}

# A machine that moves on while it is recorded: a link that points to one frame after the other.
recording_and_replay() {
        (
                # shellcheck source=tests/scenes/frames.sh
                . "$scenes/frames.sh"
                recording "$tmp/machine"
                service svc.service 4
                for _ in {1..6}; do
                        second
                        ran svc.service 3300 1250 2400 1800 270
                        frame
                done
        )
        ln -s machine/frames/0000 "$tmp/root"
        (
                for n in 1 2 3 4 5; do
                        sleep 0.2
                        ln -sfn "machine/frames/000$n" "$tmp/root"
                done
        ) &
        expect 0 record "$tmp/recording" --root "$tmp/root" --seconds 1 --interval 200 --json
        wait $!
        says '"unit":"svc.service"'
        mv "$tmp/out" "$tmp/recorded"
        expect 0 replay "$tmp/recording" --json
        cmp "$tmp/recorded" "$tmp/out" || fail 'record and replay print different lines'

        expect 1 record "$tmp/recording" --root "$tmp/root" --seconds 1
        complains "$tmp/recording: Directory not empty"
        expect 1 replay "$tmp/absent"
        complains "$tmp/absent"
}

start_bus() {
        cat >"$tmp/bus.conf" <<EOF
<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-BUS Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig><listen>unix:path=$tmp/bus</listen><policy context="default">
<allow user="*"/><allow own="*"/><allow send_destination="*"/><allow eavesdrop="true"/></policy></busconfig>
EOF
        chmod 755 "$tmp"
        bus_pid=$(dbus-daemon --config-file="$tmp/bus.conf" --fork --nopidfile --print-pid=1)
        [[ -n $bus_pid ]] || fail 'no bus'
}

# start_fake [FOLDER]: on the bus, or on a private socket in the folder.
start_fake() {
        : >"$tmp/fake"
        "$fake" "$@" >"$tmp/fake" &
        fake_pid=$!
        for _ in {1..100}; do
                grep -q ready "$tmp/fake" && return
                sleep 0.1
        done
        fail 'the stand-in is not ready'
}

status() {
        local long=a-very-long-name-of-a-unit-that-no-terminal-has-room-for-beside-other-columns@instance-0123456789.service

        expect 0 status
        says 'TARGET'
        says 'STATE/WHY'
        says "$long"
        says 'AllowedCPUs=0-3'
        says 'churn (treated)'
        says 'x16.1 (774 us against 48 us outside)'
        # Fresh install: the three lines that switch it on.
        says '# /etc/placerd.conf.d/local.conf'
        says "[$long]"
        says 'mode=act'
        says 'Off: sched_schedstats (kernel.sched_schedstats is 0), taskstats (needs CAP_NET_ADMIN)'
        ! grep -q 'process-events' "$tmp/out" || fail 'a word about a source that is on'
        ! grep -q $'\033' "$tmp/out" || fail 'colour in a pipe'

        expect 0 status svc.service
        says 'Policy: [svc.service] in /etc/placerd.conf:12'
        says 'AllowedCPUs from unset to 0-3, kept'
        says 'Wait: x16.1 (774 us against 48 us outside), measured on threads of 5 other groups'
        says 'Why: kept: migrations fell to a fourteenth'
        expect 0 status --json
        says '"interval_usec":1000000'
        says '{"name":"taskstats","on":false,"why":"needs CAP_NET_ADMIN"}'
        says '{"name":"process-events","on":true}'
        expect 1 status absent.service
        complains 'absent.service'
}

words_of_the_daemon() {
        expect 0 explain svc.service
        says 'Changed: AllowedCPUs of svc.service from unset to 0-3'
        says 'To undo it: placerctl undo svc.service'
        expect 0 explain svc.service --json
        says '"explain":"svc.service'
        expect 0 advise
        says 'systemctl set-property --runtime a-very-long-name'
        expect 0 undo svc.service
        says '1 change undone'
        expect 0 undo --all --json
        says '{"undone":1}'
        expect 1 undo absent.service
}

pause_and_resume() {
        expect 0 pause
        says "Paused: nothing is changed or tried until 'placerctl resume'; 1 trial was broken off and undone."
        expect 0 status
        says "Paused: nothing is changed or tried until 'placerctl resume'."
        expect 0 status --json
        says '"paused":true'
        expect 0 pause --json
        says '{"paused":true,"broken_off":1}'
        expect 0 resume
        says 'placerd goes on.'
        expect 0 resume --json
        says '{"paused":false}'
        expect 0 status
        ! grep -q Paused "$tmp/out" || fail 'status says that it is paused after a resume'
}

stop_fake() {
        kill "$fake_pid"
        wait "$fake_pid" 2>/dev/null
        fake_pid=''
}

# Where no bus runs; what a killed daemon leaves of its socket is in nobody's way.
private_socket() {
        local round
        export PLACERD_PRIVATE_SOCKET="$tmp/private"
        chmod 755 "$tmp"

        expect 3 status
        complains 'placerd does not run (no system bus, and no private socket)'
        for round in first second; do
                start_fake "$tmp"
                [[ $(stat -c %a "$tmp/private") == 600 ]] || fail "$round: the socket's mode is not 600"
                expect 0 status svc.service
                says 'AllowedCPUs from unset to 0-3, kept'
                expect 0 undo svc.service
                says '1 change undone'
                expect 0 pause
                expect 0 status --json
                says '"paused":true'
                expect 1 status absent.service
                not_for_nobody
                stop_fake
                expect 3 status
        done
        unset PLACERD_PRIVATE_SOCKET
}

not_for_nobody() {
        local code
        ((EUID == 0)) && setpriv --reuid=65534 --regid=65534 --clear-groups test -x "$placerctl" 2>/dev/null || return
        setpriv --reuid=65534 --regid=65534 --clear-groups "$placerctl" status >"$tmp/out" 2>"$tmp/err"
        code=$?
        ((code == 3)) || fail "another user on the private socket: exit code $code"
        complains "placerd can't be asked: no system bus runs, and its private socket is for root alone"
}

private_socket_beside_a_bus() {
        start_fake "$tmp"
        PLACERD_PRIVATE_SOCKET="$tmp/private" expect 0 status svc.service
        stop_fake
        expect 3 status
        complains 'nobody has its name on the bus'
}

# On a terminal there is colour, unless it is not wanted.
colour() {
        command -v script >/dev/null || return
        script -qec "'$placerctl' status --no-pager" /dev/null >"$tmp/out" </dev/null
        grep -q $'\033\[3[0-9]m' "$tmp/out" || fail "no colour on a terminal: $(cat -v "$tmp/out")"
        NO_COLOR=1 script -qec "'$placerctl' status --no-pager" /dev/null >"$tmp/out" </dev/null
        ! grep -q $'\033\[3[0-9]m' "$tmp/out" || fail 'colour although NO_COLOR is set'
        # Through the pager, which leaves by itself where all fits.
        script -qec "stty rows 200 cols 200; '$placerctl' explain svc.service" /dev/null >"$tmp/out" </dev/null
        says 'To undo it:'
}

usage_errors
plain_options
no_daemon
check_config
topology
recording_and_replay
private_socket
if command -v dbus-daemon >/dev/null; then
        start_bus
        no_daemon
        start_fake
        status
        if ((EUID == 0)); then
                words_of_the_daemon
                pause_and_resume
        fi
        colour
        # The bus came up after placerd.
        stop_fake
        private_socket_beside_a_bus
else
        echo 'no dbus-daemon: the verbs that ask the daemon are not tested'
fi
((failures == 0))
