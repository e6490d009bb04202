# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# For tests/run and tests/demo: what a fresh Debian machine lacks. To be sourced, after set -e.

# What placerd and its tests are built from: the same names on Debian 12 and 13. The guests' needs are tests/vm/run's own.
# xz-utils for a recording, procps for the kill of the unit.
setup_build_packages=(
    gcc meson ninja-build pkgconf git ca-certificates
    libcgroup-dev libhwloc-dev libinih-dev libjansson-dev libnl-genl-3-dev libsmartcols-dev libsystemd-dev libcmocka-dev
    systemd dbus xz-utils procps
)

# What looks at the code, beside what builds it.
# shellcheck disable=SC2034 # for tests/run
setup_lint_packages=(clang clang-format clang-tidy cppcheck mandoc shellcheck strace)

# One line on standard error for each step, with the time that has passed.
setup_say() {
    printf '[%3d:%02d] %s\n' $((SECONDS / 60)) $((SECONDS % 60)) "$*" >&2
}

# Runs a command without its output, which is shown only when it fails.
setup_quietly() {
    local log status=0
    log=$(mktemp)
    "$@" >"$log" 2>&1 </dev/null || status=$?
    [[ $status -eq 0 ]] || {
        printf 'failed (%d): %s\n' "$status" "$*"
        tail -n 60 "$log"
    } >&2
    rm -f "$log"
    return "$status"
}

setup_installed() {
    # shellcheck disable=SC2016 # dpkg-query's own fields
    dpkg-query -W -f '${db:Status-Status}\n' "$1" 2>/dev/null | grep -qx installed
}

# Mirrors fail now and then, and another apt may hold the lock.
setup_apt() {
    local try
    for try in 1 2 3; do
        setup_quietly env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=300 -o Acquire::Retries=3 \
            "$@" && return
        setup_say "apt-get $1 failed, attempt $try of 3"
        sleep $((try * 10))
    done
    return 1
}

# setup_packages [PACKAGE...]: installs what is needed to build, and these.
# shellcheck disable=SC2120 # tests/demo needs no others
setup_packages() {
    local package missing=()
    for package in "${setup_build_packages[@]}" "$@"; do
        setup_installed "$package" || missing+=("$package")
    done
    ((${#missing[@]})) || return 0
    [[ $(id -u) -eq 0 ]] || {
        echo "These packages are missing, and only root can install them: ${missing[*]}" >&2
        return 1
    }
    setup_say "installing ${#missing[@]} packages"
    setup_apt update
    setup_apt install -y --no-install-recommends "${missing[@]}"
}

# setup_build DIR [MESON-OPTION...]: configures where that was not done yet, and builds.
setup_build() {
    local build=$1
    shift
    setup_say "building in $(basename "$build")"
    if [[ ! -e $build/build.ninja ]]; then
        setup_quietly meson setup "$@" "$build" "$(dirname "${BASH_SOURCE[0]}")/../.."
    fi
    setup_quietly ninja --quiet -C "$build"
}
