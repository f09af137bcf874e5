"""Whole results, as small as they can be with everything in them that a result may hold, so that
hundreds of thousands of damaged copies can be looked at."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from busmark.plugins.imports.read import import_results
from busmark.store import checksum
from busmark.store.columns import polars_schema
from busmark.store.result import file_stem

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python" / "tests"))

from synthetic_campaign import Builder, samples_around  # type: ignore[import-not-found]  # noqa: E402

IMPORTS = ROOT / "python" / "busmark" / "plugins" / "imports" / "tests" / "files"
PUBLISHED = IMPORTS.parent / "published"
IMPORTED = ("ddsperf_ping.txt", "sockperf_ping_pong.txt", "omb.json")
SAMPLES = 12

CAPACITY = {"confirm": 3, "confidence": 0.95, "max_loss": 0.01, "max_p99_us": 0, "keeps_up": 0.98}
SCENARIO = {
    "name": "a campaign",
    "question": "which?",
    "rounds": {"target": 0.05, "min": 2},
    "capacity": CAPACITY,
}


def make(folder: Path) -> list[Path]:
    """Make a result of each kind. Some come more than once, for the one that is damaged is drawn
    from all alike."""
    made = {
        name: _built(folder / name, fill, **DOCUMENT.get(name, {}))
        for name, fill in MEASURED.items()
    }
    imported = {
        name: _imported(folder / f"import{number}", name) for number, name in enumerate(IMPORTED)
    }
    often = [made[name] for name in ("pings", "pings", "pair", "stream", "batches", "capacity")]
    return [*often, *often, made["whole"], *imported.values()]


def _built(directory: Path, fill: Callable[[Builder], None], **scenario: str) -> Path:
    build = Builder(directory)
    fill(build)
    finished: Path = build.finish(scenario=SCENARIO | scenario)
    return finished


def _pings(build: Builder, adapter: str = "udp", rounds: int = 2, name: str = "") -> str:
    rng = np.random.default_rng(1)
    case: str = build.case(name or f"0-latency-{adapter}", adapter=adapter, statistic="median")
    for number in range(rounds):
        build.pings(case, number, samples_around(12_000, SAMPLES, rng), lost=number)
        build.rows[-1] |= {"statistic_value": 12_000.0, "statistic_variance": 100.0}
    return case


def _latency(build: Builder) -> None:
    build.system(_pings(build), 0)
    _finding(build, "0-latency-udp")


def _pair(build: Builder) -> None:
    """Add a floor, two adapters that are compared, and a case that cannot run."""
    for adapter in ("null", "udp", "tcp"):
        _pings(build, adapter, rounds=1)
    build.case("4-unsupported", status="unsupported", reason="no such transport", adapter="udp")


STREAM: dict[str, Any] = {"test": "throughput", "size": 1024, "link_rate": "100mbit"}


def _stream(build: Builder) -> None:
    name = build.case("1-throughput-tcp", adapter="tcp", qos={"history": "keep_all"}, **STREAM)
    build.stream(name, 0, 10_000.0, 1024, lost=5, probes=SAMPLES)
    build.system(name, 0)
    build.row(name, 1, "failed", reason="the worker died")


def _batches(build: Builder) -> None:
    name = build.case("1-batches-udp", adapter="udp", batch=10, **STREAM)
    build.stream(name, 0, 10_000.0, 1024, probes=0, batches=2, batches_unacknowledged=1)
    lines = [True, True, False]
    table = pl.DataFrame(
        {
            "writer": [1] * 3,
            "reader": [2] * 3,
            "number": [0, 1, 2],
            "expected": [10] * 3,
            "start_ns": [0, 2_000_000, 4_000_000],
            "duration_ns": [1_000_000, 1_100_000, None],
            "received": [10, 9, 4],
            "bytes": [10_240, 9_216, 4_096],
            "ended": lines,
            "acknowledged": lines,
            "samples_acknowledged": [10, 9, 4],
            "waited_ns": [0, 10_000, None],
            "writing_ns": [500_000] * 3,
        }
    )
    key = {"case": name, "round": 0, "flow": "batches"}
    table = table.with_columns(pl.lit(value).alias(column) for column, value in key.items())
    folder = build.directory / "batches"
    folder.mkdir(parents=True, exist_ok=True)
    checksum.write(
        table.select(*polars_schema("batches")), folder / f"{file_stem(name, 0)}.parquet"
    )


def _capacity(build: Builder) -> None:
    name = build.case("3-capacity-udp", test="capacity", rate_hz=None, size=256)
    for number, rate in enumerate((1000.0, 8000.0, 4000.0)):
        build.row(
            name,
            number,
            rate_hz=rate,
            sent=2000,
            expected=2000,
            received=1990,
            lost=10,
            senders=1,
            mbit_per_s=3.0,
            written_per_s=rate,
            bracket_low_hz=900.0,
            bracket_high_hz=9000.0,
            sustained_hz=4000.0,
            confirmed=1,
            p99_ns=9000.0,
            shortfall="lost 0.5 %" if number == 1 else None,
        )


def _whole(build: Builder) -> None:
    """Add all of these together, and several writers."""
    for fill in (_latency, _stream, _batches, _capacity):
        fill(build)
    _pings(build, "null")
    paced = build.case("2-throughput-udp", rate_hz=1000.0, publishers=2, writers=1, **STREAM)
    build.stream(paced, 0, 1000.0, 1024, lost=5, probes=SAMPLES)
    build.case("4-unsupported", status="unsupported", reason="no such transport", adapter="udp")


def _finding(build: Builder, case: str) -> None:
    build.findings.append(
        {
            "id": "cpu-governor",
            "severity": "warning",
            "title": "t",
            "cause": "c",
            "evidence": "e",
            "remedy": "r",
            "cases": [case],
        }
    )


DOCUMENT = {"batches": {"document": "middlemeasure-2010"}}
"""Keys of a scenario whose result is compared with a paper."""

MEASURED: dict[str, Callable[[Builder], None]] = {
    "pings": _latency,
    "pair": _pair,
    "stream": _stream,
    "batches": _batches,
    "capacity": _capacity,
    "whole": _whole,
}


def _imported(directory: Path, name: str) -> Path:
    import_results([IMPORTS / name], directory)
    return directory
