"""Campaigns for what draws: one that has data for every kind of drawing, and one of odd cases."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from synthetic_campaign import Builder, samples_around

from busmark.store import polars_schema

LAB: dict[str, Any] = {
    "writer_on": "n1", "reader_on": "n2", "link_rate": "100mbit", "placement": "free",
    "topics": 1, "publishers": 1, "writers": 1, "readers": 1, "subscribers": 1,
    "topology": "one_way",
}  # fmt: skip
HOSTILE = "a'b\"c `date` @x {y}_z^2 \\ $q$ %d #1\n<&>"
"""What a label may hold, and gnuplot, mathematics and markup would take for something else."""


def everything(directory: Path) -> Path:
    """Write latency of two adapters and a pair of both, with a floor, at three sizes, and of a
    layer over a library at two; throughput at full speed, and at four rates over links; a search
    for capacity; discovery among others; many endpoints that find each other."""
    build = Builder(directory)
    rng = np.random.default_rng(5)
    for size in (64, 1024, 8192):
        case = build.case(f"null-{size}", adapter="null", size=size)
        build.pings(case, 0, samples_around(260, 300, rng, 0.0))
        for adapter, micros in (("udp", 14.0), ("cyclonedds", 16.0)):
            case = build.case(f"{adapter}-{size}", adapter=adapter, transport=adapter, size=size)
            for number in range(3):
                median = (micros + size / 4000) * 1e3
                build.pings(
                    case,
                    number,
                    samples_around(median, 400, rng),
                    lost=number,
                    **_captured(400, size + 100 + number),
                )
                build.system(case, number)
    build.cases[-1]["params"]["peer"] = "udp"
    for adapter, micros in (("fastdds3", 15.0), ("rmw", 16.5)):
        for size in (64, 1024):
            case = build.case(
                f"{adapter}-{size}", adapter=adapter, transport="shm", size=size,
                placement="different",
            )  # fmt: skip
            for number in range(3):
                build.pings(case, number, samples_around(micros * 1e3, 400, rng))
                build.system(case, number)
    for size in (64, 1024):
        case = build.case(f"flood-{size}", test="throughput", size=size)
        for number in range(2):
            build.stream(case, number, 50_000, size, **_captured(9000, size + 80 - number))
            build.system(case, number)
    _over_links(build)
    _discovered(build, rng)
    _met(build, rng)
    criterion = {
        "confirm": 2, "confidence": 0.9, "max_loss": 0.0, "max_p99_us": 0.0, "keeps_up": 0.98,
    }  # fmt: skip
    scenario = {"name": "Everything", "capacity": criterion}
    return build.finish(scenario=scenario)


def _captured(samples: int, bytes_each: int) -> dict[str, int]:
    """Return the wire costs of a round with a capture."""
    return {
        "wire_samples": samples, "wire_packets": 2 * samples, "wire_bytes": samples * bytes_each,
        "wire_control_bytes": 66 * samples, "wire_repeated_bytes": 0,
    }  # fmt: skip


def _discovered(build: Builder, rng: np.random.Generator) -> None:
    for existing in (0, 100, 400, 1600):
        case = build.case(
            f"new-{existing}", test="discovery", new="writer", creates="entity", size=40,
            existing=existing, rate_hz=1000.0,
        )  # fmt: skip
        for number in range(3):
            times = 1e6 * max(existing, 50) ** 0.5 * rng.lognormal(0.0, 0.05, 3)
            build.row(
                case, number, repetitions=30, undiscovered=0, creation_ns=times[0],
                peer_match_ns=times[1], first_sample_ns=times[2],
            )  # fmt: skip


def _met(build: Builder, rng: np.random.Generator) -> None:
    """Add endpoints of a stream that found each other before and after the last was created."""
    folder = build.directory / "matches"
    folder.mkdir()
    for topics in (6, 24):
        case = build.case(f"met-{topics}", test="throughput", size=64, topics=topics)
        for number in range(3):
            build.stream(case, number, 50_000, 64)
            build.system(case, number)
            times = np.sort(rng.normal(0, 2e6, 2 * topics)).astype(int).tolist()
            rows = [
                {
                    "case": case, "round": number, "participant": "a", "topic": f"t{place // 2}",
                    "endpoint": ("writer", "reader")[place % 2], "counterparts": 1,
                    "matched_ns": at, "matched_least_ns": at if place else None,
                }
                for place, at in enumerate(times)
            ]  # fmt: skip
            pl.DataFrame(rows, schema=polars_schema("matches")).write_parquet(
                folder / f"{case}.r{number:03d}.parquet"
            )


def _over_links(build: Builder) -> None:
    tcp = build.case("tcp", test="throughput", adapter="tcp", size=65536, **LAB)
    build.stream(tcp, 0, 95e6 / (65536 * 8), 65536)
    _without_probes(build.directory, tcp, 0)
    for rate in (1000.0, 4000.0, 8000.0, 16000.0):
        case = build.case(f"at-{rate:g}", test="throughput", size=1000, rate_hz=rate, **LAB)
        for number in range(2):
            build.stream(case, number, min(rate, 7500.0), 1000)
            _without_probes(build.directory, case, number)
    case = build.case("search", test="capacity", size=1000, **LAB)
    for number, rate in enumerate((4000.0, 16000.0, 8000.0, 7000.0)):
        passed = rate < 7500
        build.row(
            case, number, rate_hz=rate, written_per_s=rate, expected=2000, received=2000, sent=2000,
            lost=0, mbit_per_s=min(rate, 7500.0) * 8e-3, confirmed=2 if number == 3 else 0,
            shortfall=None if passed else "readers received 94 %", sustained_hz=7000.0,
            bracket_low_hz=7000.0, bracket_high_hz=8000.0, senders=1,
        )  # fmt: skip


def odd(directory: Path) -> Path:
    """Write one sample, all samples equal, no finished round, only losses, a label that means
    something to gnuplot, and a round whose file is gone."""
    build = Builder(directory)
    one = build.case("one", adapter="udp")
    build.pings(one, 0, np.array([20_000.0]))
    equal = build.case("equal", adapter="tcp")
    for number in range(2):
        build.pings(equal, number, np.full(50, 30_000.0))
    odd_name = build.case("name", adapter="fastdds")
    build.pings(odd_name, 0, np.array([10_000.0, 12_000.0, 11_000.0]))
    lost = build.case("lost", adapter="cyclonedds")
    build.pings(lost, 0, np.array([20_000.0]), lost=1)
    failed = build.case("failed", adapter="zenoh")
    build.row(failed, 0, "failed", reason="the responder ended with signal 11")
    gone = build.case("gone", adapter="uds")
    for number in range(2):
        build.pings(gone, number, np.array([9000.0, 9500.0, 9100.0]))
    adapters = {
        name: {"name": name, "title": HOSTILE if name == "fastdds" else name}
        for name in ("udp", "tcp", "fastdds", "cyclonedds", "zenoh", "uds")
    }
    build.finish(adapters=adapters)
    (directory / "samples" / "gone.r001.parquet").unlink()
    return directory


def _without_probes(directory: Path, case: str, number: int) -> None:
    path = directory / "samples" / f"{case}.r{number:03d}.parquet"
    pl.read_parquet(path).clear().write_parquet(path)
