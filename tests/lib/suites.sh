# shellcheck shell=bash disable=SC2154 # the checkout is a variable of run
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# For tests/run: builds, runs meson's suites, and adds up what passed. To be sourced after setup.sh, with $checkout set.

passed=0 failed=0 skipped=0

count_anew() { passed=0 failed=0 skipped=0; }

add_up() {
    passed=$((passed + $1)) failed=$((failed + $2)) skipped=$((skipped + $3))
}

# For add_summary of another process.
write_summary() { echo "$passed $failed $skipped" >"$1"; }

# add_summary FILE STATUS: of a script that appends "PASSED FAILED SKIPPED" to FILE and ends with STATUS.
add_summary() {
    local counts
    counts=$(tail -n 1 "$1")
    if [[ $2 -eq 77 ]]; then
        counts="0 0 1"
    elif [[ -z $counts ]] || { [[ $2 -ne 0 ]] && [[ $counts == *" 0 "* ]]; }; then
        counts="0 1 0" # it did not come as far as counting
    fi
    # shellcheck disable=SC2086 # three numbers
    add_up $counts
}

# Builds with warnings as errors: one more that passed or failed. build DIR [MESON-OPTION...]
build() {
    if setup_build "$checkout/$1" --werror "${@:2}"; then
        add_up 1 0 0
    else
        setup_say "$1 does not build"
        add_up 0 1 0
        return 1
    fi
}

# meson's own log has one JSON object a line and test.
count_suite() {
    python3 - "$1/meson-logs/testlog.json" <<'END'
import collections, json, sys
n = collections.Counter(json.loads(line)["result"] for line in open(sys.argv[1]))
good = n.pop("OK", 0) + n.pop("EXPECTEDFAIL", 0)
skipped = n.pop("SKIP", 0)
print(good, sum(n.values()), skipped)
END
}

# suites DIR [ARGUMENT...]: runs tests and adds them up; says nothing of those that pass.
suites() {
    local dir=$checkout/$1 log counts names
    shift
    log=$(mktemp)
    rm -f "$dir/meson-logs/testlog.json"
    setup_say "testing in $(basename "$dir")"
    meson test -C "$dir" --no-rebuild --print-errorlogs "$@" >"$log" 2>&1 </dev/null ||
        grep -vE '^ *[0-9]+/[0-9]+ .* (OK|SKIP) |^(ninja|Ok|Expected|Unexpected|Timeout|Fail|Skipped)' "$log" || true
    counts=$(count_suite "$dir") || counts="0 1 0"
    # shellcheck disable=SC2086 # three numbers
    add_up $counts
    names=$(sed -n 's|.* / \(.*[^ ]\)  *SKIP .*|\1|p' "$log" | paste -sd ' ')
    setup_say "    ${counts/ */} passed, $(cut -d' ' -f2 <<<"$counts") failed, ${counts##* } skipped${names:+ ($names)}"
    rm -f "$log"
}
