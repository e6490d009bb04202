# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=bash disable=SC2154 # the options are variables of run
# Packs what changes from run to run into one tar: placerd as just built, the load program, the runner, the scenarios.
# It is a disk of the guest; the initramfs unpacks it over the root file system before systemd starts.

payload_build() {
    local tree=$work/payload link
    mkdir -p "$tree"/usr/{bin,sbin,lib}
    # Installed files must go through the guest's merged /usr, not replace it.
    for link in bin sbin lib; do
        ln -s "usr/$link" "$tree/$link"
    done
    payload_add_placerd "$tree"
    payload_add_load "$tree"
    payload_add_harness "$tree"
    tar --create --file="$work/payload.tar" --owner=0 --group=0 --directory="$tree" .
}

payload_add_placerd() {
    if [[ ! -d $build ]]; then
        say "no build folder $build, the guest runs without placerd"
        return
    fi
    meson install -C "$build" --no-rebuild --destdir "$1" >"$work/install.log" 2>&1 ||
        { tail "$work/install.log" >&2; die "meson install failed in $build"; }
}

payload_add_load() {
    mkdir -p "$1/usr/lib/placerd-vm"
    gcc -std=gnu11 -O2 -Wall -Wextra -pthread -static -o "$1/usr/lib/placerd-vm/latency-load" \
        "$here/load/latency-load.c"
}

payload_add_harness() {
    local lib=$1/usr/lib/placerd-vm units=$1/etc/systemd/system file service=vm-scenarios.service
    [[ -z $shell ]] || service=vm-shell.service
    mkdir -p "$lib/scenarios" "$units/multi-user.target.wants"
    cp "$here"/guest/*.sh "$here/guest/run-scenarios" "$lib/"
    # All of them, so that --shell has them too.
    cp "$here"/scenarios/*.sh "$lib/scenarios/"
    cp "$here/guest/$service" "$units/"
    ln -s "../$service" "$units/multi-user.target.wants/$service"
    for file in "${scenarios[@]}"; do
        cp "$file" "$lib/scenarios/"
        basename "$file" .sh >>"$lib/list"
    done
    echo "$timeout" >"$lib/timeout"
}
