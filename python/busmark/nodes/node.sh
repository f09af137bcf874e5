# What Busmark does on a node. The controller sends these functions to a shell there and calls them, one
# at a time. POSIX, and besides: head -c, gzip, readlink, test -O.
umask 077

# Where programs are kept between runs: the first of these folders that takes files and lets them be
# executed. Some homes are mounted without execution, some containers have none.
busmark_choose_cache() { # TOKEN
    home=
    [ ! -d "${HOME:-}" ] || home=$HOME/.cache
    home=${XDG_CACHE_HOME:-$home}
    for cache in "${home:+$home/busmark}" "${TMPDIR:-/tmp}/busmark-cache-$(id -u)"; do
        [ -n "$cache" ] && mkdir -p "$cache" && [ -O "$cache" ] || continue
        busmark_executes "$cache/.try.$1" && return
    done 2>/dev/null
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
# the process numbers: whose they are is part of the name.
busmark_make_run() { # TOKEN
    numbers=$(readlink /proc/self/ns/pid)
    numbers=${numbers#*[}
    numbers=${TMPDIR:-/tmp}/busmark-node-${numbers%]}
    for old in "$numbers"-*-*; do
        owner=${old#"$numbers"-}
        [ -O "$old" ] && [ ! -d "/proc/${owner%%-*}" ] && rm -rf "$old"
    done
    run=$numbers-$$-$1
    trap 'rm -rf "$run"' EXIT
    mkdir "$run" 2>/dev/null || run=
}

# The token is this shell's alone. Process numbers are not: others that use the cache may be on
# another machine, or in another container.
busmark_open() { # TOKEN
    token=$1
    for tool in chmod df find grep gzip head id mkdir mv readlink rm touch uname; do
        command -v "$tool" >/dev/null || echo "missing $tool"
    done
    busmark_choose_cache "$1"
    busmark_make_run "$1"
    echo "system $(uname -s)"
    echo "machine $(uname -m)"
    echo "run $run"
    echo "cache $cache"
    [ -n "$cache" ] || return 0
    busmark_tidy_cache
    df -Pk "$cache" | { read -r _; read -r _ _ _ free _; echo "free_kib $free"; }
}

# Which of these files the cache does not have.
busmark_missing() { # HASH/NAME ...
    for file; do
        if [ -f "$cache/$file" ]; then touch "$cache/${file%/*}"; else echo "$file"; fi
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
    head -c "$2" | gzip -dc > "$part" && chmod 700 "$part" && mv "$part" "$cache/$1" && return
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
