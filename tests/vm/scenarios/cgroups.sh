#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Who owns a cgroup writes it: a tree made by hand beside systemd's and one below a Delegate=yes unit by their files,
# through libcgroup; a unit that a policy names by its path through systemd all the same.
# shellcheck source=../guest/placerd.sh
. "$(dirname "$VM_LIB")/placerd.sh"

mount=/sys/fs/cgroup
all=0-$(($(nproc) - 1))
handmade=('[handmade]' 'match=/foo/*')
quick=(min-age=1s cpu-budget=100% interval=500ms)

# ---- cgroups by hand, as their owner makes them

# load_in PATH: hackbench in that cgroup.
load_in() {
    # shellcheck disable=SC2086 # a command line
    (echo $BASHPID >"$mount$1/cgroup.procs" && exec $HACKBENCH) >/dev/null 2>&1 &
}

load_end() { echo 1 >"$mount$1/cgroup.kill"; wait_for 10 grep -q 'populated 0' "$mount$1/cgroup.events"; }

cpus_of() { cat "$mount$1/cpuset.cpus"; }
cpus_for() { cat "$mount$1/cpuset.cpus.effective"; }

# pin_is_one_llc TEXT PATH: read back where the kernel has it.
pin_is_one_llc() {
    check "$1: cpuset.cpus is one whole L3 domain ($(cpus_of "$2"))" grep -qx -- "$(cpus_of "$2")" <(cpu_lists_of_llcs)
    check "$1: and so is what it may use" equal "$(cpus_of "$2")" "$(cpus_for "$2")"
}

before() { affinity_snapshot before.affinity; tree_snapshot before.tree; }

# Emptied, or where the kernel refuses that (up to 6.12), all that the parent has, which means the same and is said.
is_free() { [[ -z $(cpus_of "$1") || $(cpus_of "$1") == "$all" ]]; }
residue_is_said() { [[ -z $(cpus_of "$1") ]] || journalctl -u placerd.service | grep -q "cpuset.cpus of $1 stays $all"; }
tree_but() { grep -v "$1/cpuset.cpus:" "$2"; }

# back TEXT PATH
back() {
    check "$1: cpuset.cpus is free again" wait_for 20 is_free "$2"
    sleep 1
    affinity_snapshot after.affinity
    tree_snapshot after.tree
    tree_but "$2" before.tree >before.others
    tree_but "$2" after.tree >after.others
    check "$1: it may use all CPUs again" equal "$all" "$(cpus_for "$2")"
    check "$1: every thread's affinity is back" affinity_changes before.affinity after.affinity
    check "$1: all else in the tree is as before" same before.others after.others
    check "$1: what the kernel keeps, if anything, is named" residue_is_said "$2"
}

follow() {
    [[ -z ${metric:-} ]] || kill "$metric"
    metric_follows_pin "$1" &
    metric=$!
}

# ---- what placerd opens for writing: of cgroups, whatever folder it is relative to

cgroups_written() { opened_for_writing | grep -E 'sys/fs/cgroup|\.(slice|service|scope)|name="(cgroup|cpu|cpuset)\.'; }

# only_written TEXT PATH: and nothing else.
only_written() {
    cgroups_written >written
    check "$1: the tracer sees cpuset.cpus of $2 written" grep -q "\"$mount$2/cpuset.cpus\"" written
    check "$1: nothing else of the tree was opened for writing" eval "! grep -v '\"$mount$2/cpuset.cpus\"' written"
    tracer_forget
}

# ---- a tree beside systemd's

controllers=$(<$mount/cgroup.subtree_control)
check "the kernel can tell who opens what for writing" tracer_start
mkdir -p $mount/foo/a $mount/foo/off/x
echo '+cpuset +cpu' >$mount/cgroup.subtree_control
echo '+cpuset +cpu' >$mount/foo/cgroup.subtree_control
load_in /foo/a
follow /foo/a
sleep 1
before

configure '[placerd]' "${quick[@]}"
placerd_start
advised() { placerctl advise | grep -qx "echo [0-9,-]* >$mount/foo/a/cpuset.cpus"; }
check "what is advised can be pasted" wait_for 60 advised
placerd_stop

keep_a_pin "by hand" /foo/a "${handmade[@]}"
pin_is_one_llc "by hand" /foo/a
check "by hand: explain names the file" eval 'placerctl explain /foo/a | grep -q "^Changed: cpuset.cpus of /foo/a from unset to "'
pinned=$(cpus_of /foo/a)
systemctl daemon-reload
check "by hand: it is still there after a daemon-reload" equal "$pinned" "$(cpus_of /foo/a)"
systemctl restart placerd.service
check "by hand: a restart adopts it" wait_for 20 is_in_phase /foo/a kept
placerctl undo /foo/a
back "by hand, placerctl undo" /foo/a
placerd_stop

keep_a_pin "by hand, again" /foo/a "${handmade[@]}"
configure '[placerd]' interval=500ms
systemctl kill --kill-whom=main --signal=KILL placerd.service
sleep 2
systemctl is-active --quiet placerd.service || placerd_start
back "by hand, kill -9 and no policy" /foo/a
placerd_stop
load_end /foo/a
only_written "by hand" /foo/a

# ---- the owner's controllers

load_in /foo/off/x
configure '[placerd]' "${quick[@]}" '[off]' 'match=/foo/off/*' mode=act
placerd_start
check "a controller that is off is not switched on" wait_for 60 is_refused /foo/off/x "the cpuset controller is not on in /foo/off"
placerd_stop
load_end /foo/off/x

# ---- values that a killed placerd left: an empty cgroup's cpuset, and a weight in mid-ramp

ledger_entry() { # SERIAL ARM FORMER TO FILE_FROM
    printf '{"serial":%s,"cgroup_id":%s,"applied_usec":1,"arm":"%s","target":"/foo/b","unit":null,"invocation":null,' \
        "$1" "$(stat -c %i $mount/foo/b)" "$2"
    printf '"from":null,"former":%s,"to":"%s","file_from":"%s","effective_from":null,"verdict":null,"reason":null,' \
        "$3" "$4" "$5"
    printf '"residue":null,"drop_in_existed":false,"drop_in_dir_existed":false,"drop_in_place_existed":true,'
    printf '"kept":false,"masks":[]}'
}
mkdir $mount/foo/b
echo 0-1 >$mount/foo/b/cpuset.cpus
echo 150 >$mount/foo/b/cpu.weight
mkdir -p /run/placerd
printf '{"placerd-ledger":1,"boot_id":"%s","next_serial":3,"changes":[%s,%s]}' \
    "$(</proc/sys/kernel/random/boot_id)" "$(ledger_entry 1 pin null 0-1 '')" \
    "$(ledger_entry 2 weight '"150"' 200 100)" >/run/placerd/ledger.json
check "a ledger of both arms is restored" /usr/sbin/placerd --restore
check "the cpuset of an empty cgroup is empty again" equal '' "$(cpus_of /foo/b)"
check "its weight is unset" equal 100 "$(<$mount/foo/b/cpu.weight)"
check "the ledger is empty" equal 0 "$(jq '.changes | length' /run/placerd/ledger.json)"
tracer_forget

rmdir $mount/foo/off/x $mount/foo/off $mount/foo/a $mount/foo/b $mount/foo
for controller in cpu cpuset; do
    grep -qw $controller <<<"$controllers" || echo -$controller >$mount/cgroup.subtree_control
done

# ---- below a unit with Delegate=yes

cat >/run/deleg.sh <<END
#!/bin/bash
cd $mount/system.slice/deleg.service || exit 1
mkdir load
echo \$\$ >load/cgroup.procs
echo '+cpuset +cpu' >cgroup.subtree_control
exec $HACKBENCH
END
write_unit deleg.service '/bin/bash /run/deleg.sh' Delegate=yes
systemctl start deleg.service
inner=/system.slice/deleg.service/load
follow $inner
sleep 1
before
keep_a_pin "delegated" $inner '[delegated]' 'match=/system.slice/deleg.service/*'
pin_is_one_llc "delegated" $inner
check "delegated: the unit itself has no AllowedCPUs" is_unset deleg.service
placerd_stop
back "delegated, stopped" $inner
only_written "delegated" $inner
systemctl stop deleg.service

# ---- a unit, by its path

write_unit svc.service "$HACKBENCH"
systemctl start svc.service
follow /system.slice/svc.service
sleep 1
machine_snapshot before svc.service
cpuset_file svc.service >before.cpuset
keep_a_pin "a unit by its path" svc.service '[by-path]' match=/system.slice/svc.service
check "a unit by its path: AllowedCPUs is what cpuset.cpus is" equal "$(property svc.service AllowedCPUs)" "$(cpuset_file svc.service)"
placerd_stop
sleep 1
machine_snapshot after svc.service
machine_is_back before after svc.service "a unit by its path"
check "a unit by its path: placerd opened no cgroup for writing" eval "! cgroups_written"
tracer_stop
kill "$metric"
