# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=bash disable=SC2154 # the options are variables of run
# Fetches Debian's cloud kernels, with an apt configuration of its own, and makes the initramfs.
# A kernel folder in the cache holds: vmlinuz, version, modules/NN-name.ko (what mounting the disk needs, in order).

kernel_dir=
kernel_label= # what results are printed under

kernel_suites() {
    case $1 in
    6.1) echo bookworm bookworm-security ;;
    6.12) echo trixie trixie-security ;;
    7.x) echo trixie-backports ;;
    *) return 1 ;;
    esac
}

kernel_prepare() {
    local suites
    if suites=$(kernel_suites "$kernel"); then
        kernel_dir=$cache/kernels/$kernel kernel_label=$kernel
        [[ -d $kernel_dir && -z $refresh ]] || kernel_fetch "$suites"
    elif [[ -d $kernel ]]; then
        kernel_dir=$work/kernel
        kernel_import "$kernel" "$kernel_dir"
    elif [[ -f $kernel ]]; then
        kernel_dir=$work/kernel
        mkdir -p "$kernel_dir/modules"
        cp "$kernel" "$kernel_dir/vmlinuz"
        basename "$kernel" >"$kernel_dir/version"
    else
        usage_error "--kernel takes 6.1, 6.12, 7.x or a path, not '$kernel'"
    fi
    : "${kernel_label:=$(<"$kernel_dir/version")}"
    say "kernel $(<"$kernel_dir/version")"
}

kernel_fetch() {
    local suites package debs=$work/debs
    read -ra suites <<<"$1"
    say "fetching kernel $kernel from ${suites[*]}"
    apt_configure "$work/apt" "${suites[@]}"
    export APT_CONFIG=$work/apt/apt.conf
    retry apt_get update || die "no package lists for ${suites[*]}"
    mkdir -p "$debs/tree"
    for package in $(kernel_packages); do
        (cd "$debs" && retry apt_get download "$package") || die "$package could not be fetched"
    done
    unset APT_CONFIG
    for package in "$debs"/*.deb; do
        dpkg-deb -x "$package" "$debs/tree"
    done
    kernel_import "$debs/tree" "$work/kernel"
    mkdir -p "$cache/kernels"
    rm -rf "$kernel_dir"
    mv "$work/kernel" "$kernel_dir"
    rm -rf "$debs"
}

# apt_configure DIR SUITE...: lists, state, sources and cache in DIR; the host's stay untouched.
apt_configure() {
    local dir=$1
    shift
    mkdir -p "$dir"/{lists,archives}/partial
    source_lines "$@" >"$dir/sources.list"
    [[ -s $dir/sources.list ]] || die "no Debian mirror in the apt sources"
    {
        apt_acquire_settings
        printf '%s;\n' "Dir::State \"$dir\"" "Dir::Cache \"$dir\"" 'Dir::State::status "/dev/null"' \
            "Dir::Etc::SourceList \"$dir/sources.list\"" 'Dir::Etc::SourceParts "/dev/null"' \
            'Dir::Etc::Main "/dev/null"' 'Dir::Etc::Parts "/dev/null"' \
            'Dir::Etc::Preferences "/dev/null"' 'Dir::Etc::PreferencesParts "/dev/null"' \
            'APT::Sandbox::User "root"'
    } >"$dir/apt.conf"
}

# The current image by way of the meta package. From 7.1 on it is split: the image depends on its binary, its modules,
# and a base that says which modules are built in.
kernel_packages() {
    local image
    image=$(apt-cache depends linux-image-cloud-amd64 | awk '/ Depends: linux-image-[0-9]/ { print $2; exit }')
    [[ -n $image ]] || die "no linux-image-cloud-amd64 in the package lists"
    echo "$image"
    apt-cache depends "$image" | awk '/ Depends: linux-(base|binary|modules)-[0-9]/ { print $2 }'
}

# kernel_import TREE DIR: from an unpacked package to a kernel folder.
kernel_import() {
    local tree=$1 dir=$2 image modules version files file number=10
    image=$(find "$tree" -path '*/boot/vmlinuz-*' -o -path '*/lib/modules/*/vmlinuz' | head -n 1)
    modules=$(find "$tree" -path '*/lib/modules/*' -prune -type d | head -n 1)
    [[ -n $image && -n $modules ]] || die "no kernel and modules in $tree"
    version=$(basename "$modules")
    mkdir -p "$dir/modules"
    cp "$image" "$dir/vmlinuz"
    files=$(module_files "${modules%/lib/modules/*}" "$version") || die "$tree lacks a module for the disk"
    for file in $files; do
        module_unpack "$file" >"$dir/modules/$number-$(basename "${file%.ko*}").ko"
        number=$((number + 1))
    done
    echo "$version" >"$dir/version"
}

# module_files BASE VERSION: the files to insert, in order; what is built in is not among them.
module_files() {
    local module
    depmod --basedir "$1" "$2" || return
    for module in virtio_pci virtio_blk ext4; do
        modprobe --dirname "$1" --set-version "$2" --show-depends "$module" || return
    done | awk '$1 == "insmod" && !seen[$2]++ { print $2 }'
}

module_unpack() {
    case $1 in
    *.xz) xz --decompress --stdout "$1" ;;
    *.zst) zstd --decompress --stdout "$1" ;;
    *) cat "$1" ;;
    esac
}

initramfs_build() {
    local dir=$work/initramfs
    mkdir -p "$dir"/{bin,dev,root,modules}
    cp "$(command -v busybox)" "$dir/bin/busybox"
    install -m 755 "$here/guest/init" "$dir/init"
    cp "$kernel_dir"/modules/*.ko "$dir/modules/" 2>/dev/null || true
    (cd "$dir" && find . | cpio --quiet --create --format=newc) >"$work/initramfs.cpio"
}
