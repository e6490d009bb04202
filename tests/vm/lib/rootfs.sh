# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=bash disable=SC2154 # the options are variables of run
# Builds the guest's root file system, without placerd, which payload.sh adds at every run. Its suite is the host's:
# binaries run on the suite they were built on. The image is kept in the cache, under a hash of suite and functions.

rootfs_image=

rootfs_packages() {
    # libkmod2: Debian 13's systemd only recommends it, but its units fail without.
    local packages=(systemd systemd-sysv dbus libsystemd0 libkmod2 libhwloc15 libnl-3-200 libnl-genl-3-200 libinih1
        libsmartcols1 libjansson4 polkitd rt-tests strace procps util-linux jq)
    case $1 in
    bookworm) packages+=(libcgroup2) ;;
    *) packages+=(libcgroup3) ;;
    esac
    local IFS=,
    echo "${packages[*]}"
}

rootfs_prepare() {
    local suite hash
    suite=$(host_codename)
    hash=$({ echo "$suite"; declare -f rootfs_packages rootfs_build rootfs_bootstrap rootfs_configure; } |
        sha256sum | cut -c 1-16)
    rootfs_image=$cache/rootfs-$suite-$hash.ext4
    [[ -f $rootfs_image && -z $refresh ]] || rootfs_build "$suite"
}

rootfs_build() {
    local suite=$1 sources
    say "building the root file system ($suite)"
    mapfile -t sources < <(source_lines "$suite" "$suite-security")
    apt_acquire_settings >"$work/acquire.conf"
    retry rootfs_bootstrap "$suite" "${sources[@]}" || die "the root file system could not be built"
    rootfs_configure "$work/rootfs"
    # The image is sparse; what is free is room for the scenarios' files. No run keeps it, so no file system journal.
    truncate --size=3G "$work/rootfs.ext4"
    mkfs.ext4 -q -F -O ^has_journal -d "$work/rootfs" "$work/rootfs.ext4"
    rm -rf "$work/rootfs" "$cache/rootfs-$suite"-*.ext4
    mv "$work/rootfs.ext4" "$rootfs_image"
}

rootfs_bootstrap() {
    rm -rf "$work/rootfs"
    timeout --foreground 1200 mmdebstrap --quiet --variant=minbase --mode=root --include="$(rootfs_packages "$1")" \
        --aptopt="$work/acquire.conf" --dpkgopt='path-exclude=/usr/share/man/*' \
        --dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-exclude=/usr/share/locale/*' \
        "$1" "$work/rootfs" "${@:2}"
}

rootfs_configure() {
    local root=$1 unit
    # With a machine-id it is not a first boot, which would enable every unit that is installed.
    echo 706c616365726400000000000000766d >"$root/etc/machine-id"
    echo guest >"$root/etc/hostname"
    rm -rf "$root/var/log/journal"
    mkdir -p "$root/etc/systemd/journald.conf.d"
    printf '[Journal]\nStorage=volatile\nRuntimeMaxUse=96M\nRateLimitBurst=0\n' \
        >"$root/etc/systemd/journald.conf.d/guest.conf"
    # What would wake up in the middle of a measurement, and the consoles, which are the harness's.
    for unit in apt-daily.timer apt-daily-upgrade.timer dpkg-db-backup.timer e2scrub_all.timer e2scrub_reap.service \
        fstrim.timer systemd-tmpfiles-clean.timer getty@tty1.service serial-getty@ttyS0.service; do
        ln -sf /dev/null "$root/etc/systemd/system/$unit"
    done
}
