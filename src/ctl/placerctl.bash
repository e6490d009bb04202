# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later

# Completion for placerctl. Targets are asked of the daemon, which is not started by that; where it does not run there
# are none to offer.

_placerctl_targets() {
        placerctl status --all --json 2>/dev/null | grep -o '"unit": *"[^"]*"' | cut -d'"' -f4
}

_placerctl() {
        local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}
        local verbs='status explain advise undo pause resume check-config topology record replay'
        local options='--help --version --json --no-pager --all --config --xml --root --seconds --interval'
        local word verb=''

        case $prev in
        --config | --xml)
                mapfile -t COMPREPLY < <(compgen -f -- "$cur")
                return
                ;;
        --root)
                mapfile -t COMPREPLY < <(compgen -d -- "$cur")
                return
                ;;
        --seconds | --interval)
                COMPREPLY=()
                return
                ;;
        esac

        if [[ $cur == -* ]]; then
                mapfile -t COMPREPLY < <(compgen -W "$options" -- "$cur")
                return
        fi

        for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
                [[ $word == -* ]] && continue
                verb=$word
                break
        done

        case $verb in
        '')
                mapfile -t COMPREPLY < <(compgen -W "$verbs" -- "$cur")
                ;;
        status | explain | undo)
                mapfile -t COMPREPLY < <(compgen -W "$(_placerctl_targets)" -- "$cur")
                ;;
        check-config)
                mapfile -t COMPREPLY < <(compgen -f -- "$cur")
                ;;
        record | replay)
                mapfile -t COMPREPLY < <(compgen -d -- "$cur")
                ;;
        esac
}

complete -F _placerctl placerctl
