#!/bin/sh
# Run what the oracles rest on into the folder $1: the scenarios beside this file, and packs of documents, shortened.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
short="--set measure.duration_s=0.1 --set measure.warmup_s=0.01 --set measure.max_samples=200 --set rounds.min=2 --set rounds.max=2 --set criteria.min_repetitions=1"

campaign() { # name, then what `busmark run` is given
    name=$1
    shift
    busmark run "$@" --out "$folder/$name"
}

folder=$1
for scenario in "$here"/scenarios/*.toml; do
    campaign "$(basename "$scenario" .toml)" "$scenario"
done
campaign closed-loop-again "$here/scenarios/closed-loop.toml"
campaign streams-again "$here/scenarios/streams.toml"
# shellcheck disable=SC2086 # the options are words
for pack in "openddsbench-latency openddsbench-2010/latency-quick --only udp" \
    "openddsbench openddsbench-2010/quick --only cyclonedds-udp-10000B" \
    "determinism pother-2008/determinism-quick" \
    "pother-discovery pother-2008/discovery-quick --only cyclonedds" \
    "pother-throughput pother-2008/throughput-quick" \
    "perftest perftest-2023/quick --only -64B" \
    "xrce xrce-2022/quick" \
    "secured secured-2023/quick --only cyclonedds-udp-64B"; do
    campaign $pack $short --set criteria.min_samples=1
done
