# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# For the scripts of this folder: where they look, and how they say what they found. Each checks one thing, prints one
# line a violation as FILE:LINE: ..., and fails where there was one; 77 is "skipped" for meson.

set -euo pipefail
cd "${PLACERD_SOURCE_ROOT:-$(dirname "${BASH_SOURCE[0]}")/../..}"

skip() {
        echo "skipped: $*"
        exit 77
}

need() {
        command -v "$1" >/dev/null || skip "there is no $1 here"
}

# Files of the project, by git's patterns ('*.c', 'tests/lint/*'): those that git tracks or would, or, where the
# sources are no clone, those that are there. safe.directory: the suite runs as root over other people's clones.
files() {
        if git -c safe.directory='*' rev-parse --git-dir >/dev/null 2>&1; then
                git -c safe.directory='*' ls-files --cached --others --exclude-standard -- "$@" | sort -u
        else
                local pattern
                for pattern in "$@"; do
                        find . -path './build*' -prune -o -type f -path "./$pattern" -printf '%P\n'
                done | sort -u
        fi | while IFS= read -r file; do
                [ -e "$file" ] && printf '%s\n' "$file" # one that is deleted, but not committed yet
        done || true
}

# A check over nothing must not pass.
some() {
        [ $# -gt 0 ] || {
                echo "nothing to look at: the check is broken"
                exit 1
        }
}

violations=0
violation() {
        echo "$*"
        violations=$((violations + 1))
}

finish() {
        [ "$violations" -eq 0 ] || {
                echo "$violations found"
                exit 1
        }
}
