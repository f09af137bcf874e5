#!/bin/sh
# Builds the adapter in adapters/NAME into target/release, after installing what it needs. An adapter
# whose middleware no package manager offers, and which is not here, is left out with its reason.
set -eu
name=$1
cd "$(dirname "$0")/.."
folder=adapters/$name
output=$PWD/target/release

if [ -f "$folder/debian.txt" ]; then
    # shellcheck disable=SC2046  # a list of words
    packaging/system.sh $(grep -v '^#' "$folder/debian.txt")
fi
if [ -f "$folder/requirements.txt" ]; then
    [ ! -f "$folder/notice" ] || echo "$name: $(cat "$folder/notice")"
    .venv/bin/python -m pip install -q --no-deps --require-hashes -r "$folder/requirements.txt"
fi
# A list of wheels, with the lists that it includes.
wheels() {
    cat "$1"
    sed -n 's/^-r //p' "$1" | while read -r list; do wheels "$(dirname "$1")/$list"; done
}
# Python wheels of a native library, which two versions of may be needed: a folder of their own for each adapter.
if [ -f "$folder/wheels.txt" ] && ! wheels "$folder/wheels.txt" | cmp -s - "target/middleware/$name/wheels.txt"; then
    rm -rf "target/middleware/$name"
    if .venv/bin/python -m pip install -q --no-deps --require-hashes --ignore-installed \
        --no-warn-script-location --prefix "target/middleware/$name" -r "$folder/wheels.txt"; then
        wheels "$folder/wheels.txt" >"target/middleware/$name/wheels.txt"
    else
        rm -rf "target/middleware/$name"
    fi
fi
if [ -f "$folder/Cargo.toml" ]; then
    cd "$folder"
    # Optional features too: a type of the user's can then be built without a network.
    cargo fetch -q --locked
    # Cargo does not see the files that CMake reads while it builds a crate of the registry.
    if [ -f cmake-crate ]; then
        read -r crate from <cmake-crate
        sum=$(cat "${from:-.}"/*.cmake | sha256sum)
        stamp=$output/../cmake/$(basename "${from:-$name}").sum
        if [ "$sum" != "$(cat "$stamp" 2>/dev/null)" ]; then
            cargo clean -q --release --locked -p "$crate"
            mkdir -p "$(dirname "$stamp")"
            cargo build --release --locked
            echo "$sum" >"$stamp"
        fi
    fi
    exec cargo build --release --locked
fi

log=$PWD/target/cmake/$name.log
mkdir -p target/cmake "$output"
# What was configured for a checkout elsewhere is of no use here.
if ! grep -qsx "CMAKE_HOME_DIRECTORY:INTERNAL=$PWD/$folder" "target/cmake/$name/CMakeCache.txt"; then
    rm -rf "target/cmake/$name"
fi
# No path of this checkout in the library: the same sources make the same file everywhere.
if ! cmake -S "$folder" -B "target/cmake/$name" -DCMAKE_BUILD_TYPE=Release \
    -DCMAKE_CXX_FLAGS="${CXXFLAGS:-} -ffile-prefix-map=$PWD=." \
    -DCMAKE_LIBRARY_OUTPUT_DIRECTORY="$output" >"$log" 2>&1; then
    if [ -f "$folder/optional" ]; then
        said=$(awk '/^CMake Error/ {said = 1; next} said && /^$/ {exit} said' "$log" | tr -s ' \n' ' ' | sed 's/ $//')
        echo "$name: left out:$said; $(cat "$folder/optional")"
        rm -rf "$output/libbusmark_$(echo "$name" | tr - _).so" "target/cmake/$name"
        exit 0
    fi
    cat "$log" >&2
    exit 1
fi
if ! cmake --build "target/cmake/$name" --parallel 2 >>"$log" 2>&1; then
    cat "$log" >&2
    exit 1
fi
