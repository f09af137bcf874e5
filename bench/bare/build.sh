#!/bin/sh
# Builds the bare loops into target/release. What they need is what the adapters need, which are built
# before. A loop over a middleware that is not here is left out: `make bench` then says so in its row.
set -eu
cd "$(dirname "$0")/../.."
output=$PWD/target/release
mkdir -p target/cmake "$output"

for folder in bench/bare/*/; do
    name=$(basename "$folder")
    if [ -f "$folder/Cargo.toml" ]; then
        (cd "$folder" && cargo build --release --locked)
        continue
    fi
    if [ ! -f "$output/libbusmark_$(echo "$name" | tr - _).so" ]; then
        echo "bare-$name: left out, as its adapter is"
        continue
    fi
    log=$PWD/target/cmake/bare-$name.log
    if ! { cmake -S "$folder" -B "target/cmake/bare-$name" -DCMAKE_BUILD_TYPE=Release \
        -DCMAKE_RUNTIME_OUTPUT_DIRECTORY="$output" &&
        cmake --build "target/cmake/bare-$name" --parallel 2; } >"$log" 2>&1; then
        cat "$log" >&2
        exit 1
    fi
done
