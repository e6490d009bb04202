# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=bash
# What every part of the harness uses: messages, the cache folder and its lock, retries, the host's packages.

cache=${PLACERD_VM_CACHE:-${XDG_CACHE_HOME:-/var/cache}/placerd-vm}
work= # this run's own folder below the cache, removed at the end

say() { printf 'vm: %s\n' "$*" >&2; }

die() {
    say "$*"
    exit 1
}

host_codename() (
    . /etc/os-release
    echo "$VERSION_CODENAME"
)

host_check() {
    local reason=
    ((EUID == 0)) || reason="this needs root (root file system, packages)"
    command -v apt-get >/dev/null || reason="this needs apt-get"
    [[ $(uname -m) == x86_64 ]] || reason="this needs an x86_64 machine"
    [[ -z $reason ]] || { say "$reason"; exit 77; }
}

# The lock makes the second of two runs wait: two guests at once disturb what each other measures.
cache_lock() {
    mkdir -p "$cache"
    exec {lock_fd}>"$cache/lock"
    if ! flock --nonblock "$lock_fd"; then
        say "waiting for another run to end"
        # In the background, as bash takes no signal while it waits for a command in the foreground.
        flock "$lock_fd" &
        guest_pid=$! # killed at the end as a guest would be
        wait "$guest_pid"
        guest_pid=
    fi
    # Left over by runs that were killed; nobody else is at work while we hold the lock.
    rm -rf "$cache"/work.*
}

run_end() {
    local status=$?
    guest_kill
    [[ -z $work ]] || rm -rf "$work"
    exit "$status"
}

# A mirror that answers with an error now may well answer in a moment.
retry() {
    local attempt
    for attempt in 1 2 3 4; do
        "$@" && return
        say "attempt $attempt failed: $*"
        sleep $((attempt * 5))
    done
    return 1
}

# A mirror may also hang without an answer, hence the time limit.
apt_get() {
    DEBIAN_FRONTEND=noninteractive timeout --foreground 600 \
        apt-get --quiet=2 --option APT::Update::Error-Mode=any "$@"
}

package_is_installed() { [[ $(dpkg-query --show --showformat='${db:Status-Status}' "$1" 2>/dev/null) == installed ]]; }

host_packages_install() {
    local package missing=()
    for package in qemu-system-x86 mmdebstrap debian-archive-keyring busybox-static kmod cpio e2fsprogs xz-utils zstd \
        gcc libc6-dev; do
        package_is_installed "$package" || missing+=("$package")
    done
    # Without lists apt does not tell mirror_of its sources.
    [[ ${#missing[@]} == 0 && -n $(mirror_of "$(host_codename)") ]] ||
        retry apt_get update || say "the package lists are not complete, going on with them"
    ((${#missing[@]})) || return 0
    say "installing ${missing[*]}"
    retry apt_get --yes --no-install-recommends --option DPkg::Lock::Timeout=300 install "${missing[@]}" \
        >"$work/apt.log" 2>&1 || { tail "$work/apt.log" >&2; die "packages could not be installed"; }
}

# mirror_of SUITE: the mirror of the host's own sources that has it. apt itself reads them, whatever their format.
mirror_of() {
    local suite
    suite=$(host_codename)
    [[ $1 != *-security ]] || suite+=-security
    # shellcheck disable=SC2016 # apt's variables
    apt-get indextargets --format '$(CODENAME) $(REPO_URI)' 'Created-By: Packages' 'Component: main' 'Origin: Debian' |
        awk -v suite="$suite" '$1 == suite { print $2; exit }'
}

# source_lines SUITE...: what a sources.list needs for them; a host without a security mirror does without.
source_lines() {
    local suite uri
    for suite; do
        uri=$(mirror_of "$suite")
        [[ -n $uri ]] || { say "no mirror for $suite in the apt sources, going on without"; continue; }
        echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $uri $suite main"
    done
}

# The host's way to the network (proxies, time-outs), without its hooks and lists.
apt_acquire_settings() { apt-config dump | grep '^Acquire::'; }
