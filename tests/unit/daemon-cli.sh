#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The command line of placerd, from outside: exit statuses and the one line that goes with each.
# Usage: daemon-cli.sh PLACERD

set -u

placerd=$1
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
failed=0

# try NAME STATUS PATTERN ARGUMENT...: runs placerd, and looks at its status and at its output as a whole. An empty
# pattern is "no output". Whatever it says to an error must fit on one line.
try() {
        name=$1 want=$2 pattern=$3
        shift 3
        timeout 60 "$placerd" "$@" >"$scratch/out" 2>&1 </dev/null
        status=$?
        if [ "$status" -ne "$want" ]; then
                echo "FAILED $name: status $status, not $want"
                sed 's/^/    /' "$scratch/out"
                failed=1
        elif [ -z "$pattern" ] && [ -s "$scratch/out" ]; then
                echo "FAILED $name: it should be silent"
                sed 's/^/    /' "$scratch/out"
                failed=1
        elif ! grep -Eq -e "$pattern" "$scratch/out" && [ -n "$pattern" ]; then
                echo "FAILED $name: nothing matches '$pattern'"
                sed 's/^/    /' "$scratch/out"
                failed=1
        elif [ "$want" -ne 0 ] && [ "$(wc -l <"$scratch/out")" -ne 1 ]; then
                echo "FAILED $name: more than one line"
                sed 's/^/    /' "$scratch/out"
                failed=1
        else
                echo "ok $name"
        fi
}

try version 0 '^placerd [0-9]+\.[0-9]+\.[0-9]+$' --version
try help 0 '--check-config' --help
try help-short 0 '--check-config' -h
try unknown-option 2 '^placerd: unknown option: --nonsense' --nonsense
try unknown-short-option 2 '^placerd: unknown option: -x' -x
try missing-argument 2 '^placerd: an argument is missing: --config' --config
try empty-argument 2 '^placerd: an empty name' --root ''
try superfluous-argument 2 '^placerd: no argument is expected: something' something
try two-actions 2 '^placerd: only one of' --once --check-config
try restore-elsewhere 2 '^placerd: --restore takes neither' --restore --root "$scratch"

# Configuration.
printf '[placerd]\ninterval=500ms\n\n[nginx.service]\nmode=act\n' >"$scratch/good.conf"
printf '[placerd]\ninterval=1s\nintervall=2s\n' >"$scratch/unknown-key.conf"
printf '[placerd]\n\ninterval=1h\n' >"$scratch/out-of-range.conf"
: >"$scratch/empty.conf"
try check-good 0 '' --check-config --config "$scratch/good.conf"
try check-empty 0 '' --check-config --config "$scratch/empty.conf"
try check-unknown-key 78 '/unknown-key\.conf:3: ' --check-config --config "$scratch/unknown-key.conf"
try check-out-of-range 78 '/out-of-range\.conf:3: ' --check-config --config "$scratch/out-of-range.conf"
try check-missing 78 '/none\.conf: ' --check-config --config "$scratch/none.conf"
try start-with-a-bad-one 78 '/unknown-key\.conf:3: ' --config "$scratch/unknown-key.conf"

# The configuration below another root.
mkdir -p "$scratch/root/etc/placerd.conf.d"
printf '[placerd]\ninterval=2s\n' >"$scratch/root/etc/placerd.conf"
try check-root 0 '' --root "$scratch/root" --check-config
printf '[web.service]\nmode=perhaps\n' >"$scratch/root/etc/placerd.conf.d/50-web.conf"
try check-root-folder 78 'placerd\.conf\.d/50-web\.conf:2: ' --root "$scratch/root" --check-config

# Machines that can't be watched.
try missing-root 1 "$scratch/none: No such file or directory" --root "$scratch/none" --once
mkdir -p "$scratch/bare/proc"
try root-without-cgroups 69 'cgroup' --root "$scratch/bare" --once
# The very host, where its cpu controllers are of cgroup v1 or there is no cgroup2 at all. A daemon on a host that can be
# watched would go on running, so that is not started here.
if ! grep -q ' - cgroup2 ' /proc/self/mountinfo ||
   grep -Eq ' - cgroup .*[ ,](cpu|cpuset)(,|$)' /proc/self/mountinfo; then
        try this-host 69 'cgroup' --dry-run
        try this-host-once 69 'cgroup' --once
else
        echo "skipped this-host: it has cgroup2"
fi

exit "$failed"
