# What Busmark does on a node. The controller sends these functions to a shell there and calls them, one
# at a time. POSIX, and besides: head -c, gzip, readlink, sha256sum, test -O.
umask 077

# Whether nobody but this user and root can change a folder or put another in its place: every folder
# on the way down to it is theirs and closed to others, or sticky. A group of one's own, which has
# the user's number, is no other.
busmark_only_ours() { # PHYSICAL-PATH
    at=$1
    while :; do
        # shellcheck disable=SC2046  # mode, links, owner and group
        set -- $(ls -ldn "$at" 2>/dev/null)
        case ${3:-none} in 0 | "$user") ;; *) return 1 ;; esac
        case $1 in
        l* | -*) return 1 ;;
        ?????????[tT]*) ;;
        ????????w*) return 1 ;;
        ?????w*) case $4 in 0 | "$user") ;; *) return 1 ;; esac ;;
        esac
        [ "$at" != / ] || return 0
        at=${at%/*}
        at=${at:-/}
    done
}

# Closes a folder to others, from within: whoever swaps a link for it meanwhile changes nothing, for
# what is entered is what was looked at.
busmark_close() ( # PHYSICAL-PATH
    CDPATH='' cd -P -- "$1" && [ "$(pwd -P)" = "$1" ] && [ -O . ] && chmod 700 .
)

# Where programs are kept between runs, if that is safe, takes files and lets them be executed: some
# homes are mounted without execution, some containers have none. Else they go with this shell. No
# link is followed below the user's own folder.
busmark_choose_cache() { # TOKEN
    home=
    [ ! -d "${HOME:-}" ] || home=$HOME/.cache
    home=${XDG_CACHE_HOME:-$home}
    if [ -n "$home" ] && mkdir -p "$home" && home=$(CDPATH='' cd -P -- "$home" && pwd -P); then
        cache=${home%/}/busmark/nodes
        mkdir -p "$cache" && busmark_only_ours "${cache%/*}" && busmark_close "$cache" &&
            busmark_only_ours "$cache" &&
            busmark_executes "$cache/.try.$1" && return
    fi 2>/dev/null
    cache=$run/cache
    [ -n "$run" ] && mkdir "$cache" && busmark_executes "$cache/.try.$1" && return
    cache=
}

busmark_executes() { # FILE
    echo '#!/bin/sh' > "$1" && chmod 700 "$1" && "$1"
    set -- $? "$1"
    rm -f "$2"
    return "$1"
}

# What a broken transfer left, and what nobody has used for a month. Nodes may share the folder: whose
# a part is cannot be told, only that no byte has come for an hour.
busmark_tidy_cache() {
    find "$cache" -type f \( -name '.part.*' -o -name '.try.*' \) -mmin +60 -exec rm -f {} + 2>/dev/null
    find "$cache" -type d -name '????????????????*' -mtime +30 -exec rm -rf {} + 2>/dev/null
}

# A folder for sockets and pipes, whose paths must be short. It goes with this shell; its name tells
# whose it was, so that what a killed shell left is found. Containers may share the folder and not
# the process numbers: whose they are is part of the name. A folder that is there already is not
# taken: whoever made it may be another user.
busmark_make_run() { # TOKEN
    numbers=$(readlink /proc/self/ns/pid)
    numbers=${numbers#*[}
    numbers=$(CDPATH='' cd -P -- "${TMPDIR:-/tmp}" && pwd -P)/busmark-node-${numbers%]}
    for old in "$numbers"-*-*; do
        owner=${old#"$numbers"-}
        [ -O "$old" ] && [ ! -d "/proc/${owner%%-*}" ] && rm -rf "$old"
    done
    run=$numbers-$$-$1
    mkdir "$run" 2>/dev/null || { run=; return; }
    trap 'rm -rf "$run"' EXIT
    busmark_only_ours "$run" || { rm -rf "$run"; run=; }
}

# The token is this shell's alone. Process numbers are not: others that use the cache may be on
# another machine, or in another container.
busmark_open() { # TOKEN
    token=$1
    for tool in chmod df env find grep gzip head id ls mkdir mv readlink rm sha256sum touch uname; do
        command -v "$tool" >/dev/null || echo "missing $tool"
    done
    user=$(id -u)
    busmark_make_run "$1"
    busmark_choose_cache "$1"
    echo "system $(uname -s)"
    echo "machine $(uname -m)"
    echo "run $run"
    echo "cache $cache"
    [ -n "$cache" ] || return 0
    busmark_tidy_cache
    df -Pk "$cache" | { read -r _; read -r _ _ _ free _; echo "free_kib $free"; }
}

# Whether a file has the content that its folder is named after.
busmark_whole() { # HASH/NAME
    [ -f "$cache/$1" ] && [ ! -L "$cache/$1" ] && [ ! -L "$cache/${1%/*}" ] || return
    read -r sum _ <<SUM
$(sha256sum "$cache/$1")
SUM
    [ "$sum" = "${1%%/*}" ]
}

# Which of these files the cache does not have, whole. Another shell may be sending the same one.
busmark_missing() { # HASH/NAME ...
    for file; do
        if busmark_whole "$file"; then touch "$cache/${file%/*}"; else
            [ -d "$cache/${file%/*}" ] && [ ! -L "$cache/${file%/*}" ] || rm -f "$cache/${file%/*}"
            [ ! -d "$cache/$file" ] || rm -rf "${cache:?}/$file"
            echo "$file"
        fi
    done
}

# Takes a file that is not to outlive this shell, such as a private key, from standard input.
busmark_keep() { # NAME BYTES
    mkdir -p "$run/kept" || exit 1
    echo send
    head -c "$2" > "$run/kept/$1" || exit 1
}

# Takes a file, compressed, from standard input. Whatever goes wrong ends the shell: the rest of the
# bytes must not be taken for commands.
busmark_put() { # HASH/NAME BYTES
    mkdir -p "$cache/${1%/*}" || exit 1
    part=$cache/${1%/*}/.part.$token
    echo send
    head -c "$2" | gzip -dc > "$part" && chmod 700 "$part" && mv "$part" "$cache/$1" &&
        busmark_whole "$1" && return
    rm -f "$part"
    exit 1
}

# Lines of these files, each after its path and a colon; what cannot be read is left out.
busmark_read() { # FILE ...
    grep -s '' "$@" /dev/null
    return 0
}

# Ends workers of ours that are still there.
busmark_end() { # PID ...
    for pid; do
        case $(readlink "/proc/$pid/exe") in "$cache"/*) kill -9 "$pid" ;; esac
    done 2>/dev/null
    return 0
}
