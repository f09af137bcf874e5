"""What reports cost: time and memory from raw latencies to all statistics and the page.

    python bench/reports.py [--rounds N] [--big]

Makes a result of 10 million latencies in 100 cases (and with `--big` one of 100 million), has
Busmark and the plain script `plain_report.py` make their statistics of it, one after the other, and
writes `REPORTS.md`. The plain script is spared the larger one, which would take it a
quarter of an hour. Also checks that a report written again has the same bytes.
"""

from __future__ import annotations

import json
import os
import statistics
import sys
import tempfile
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import click
import numpy as np
import polars as pl

from busmark import files
from busmark.store import checksum
from busmark.store.columns import polars_schema
from busmark.store.result import file_stem
from machine import machine, now

HERE = Path(__file__).resolve().parent
CASES, ROUNDS = 100, 5
SIZES = (64, 256, 1024, 4096, 16384)
COMPARED = 10
"""Millions of latencies of the result that the plain script reads too."""

LIMITS = {10: (5.0, 1.0), 100: (40.0, 2.0)}
"""By millions of latencies: seconds that estimates may take, and GiB."""

PAGE_S = 5.0
"""Limit of the page of a result that was analysed."""

KEPT = ("estimates.parquet", "series.parquet")
"""Files in which a result keeps its analysis."""

SHOW_S = 1.0
"""Limit of the first screen of a result that was analysed."""

RATIO = 5
"""Factor by which it is to be faster than the plain script."""


@dataclass(frozen=True)
class Cost:
    """Cost of one process."""

    seconds: float
    cpu_s: float
    peak_gib: float


def generate(directory: Path, millions: int) -> None:
    """Write a result in the real format: 20 adapters, 5 sizes, heavy-tailed, autocorrelated."""
    rng = np.random.default_rng(1)
    samples = millions * 1_000_000 // CASES // ROUNDS
    cases: list[dict[str, Any]] = []
    rows: list[dict[str, Any]] = []
    for number in range(CASES):
        adapter, size = f"adapter{number // len(SIZES):02d}", SIZES[number % len(SIZES)]
        case = f"{number:03d}-latency-{adapter}-{size}B"
        params = {
            "test": "latency",
            "adapter": adapter,
            "transport": "udp",
            "profile": "default",
            "payload": "octet",
            "size": size,
            "wait": "listener",
            "placement": "same",
            "arrivals": "closed",
            "rate_hz": None,
            "qos": {},
            "settings": {},
            "duration_s": 2.0,
            "warmup_s": 0.5,
        }
        cases.append({"id": case, "status": "planned", "reason": None, "params": params})
        for turn in range(ROUNDS):
            rtt = latencies(rng, samples, 20e3 * (1 + 0.1 * (number // 5)) + size)
            write_round(directory, case, turn, rtt)
            row: dict[str, Any] = dict.fromkeys(polars_schema("cases"))
            row |= {k: v for k, v in params.items() if k in row and k != "qos"}
            row |= {
                "case": case,
                "round": turn,
                "attempt": 0,
                "status": "ok",
                "order": len(rows),
                "qos": "{}",
                "measured_s": 2.0,
                "warmup_s": 0.5,
                "overhead_s": 0.1,
                "started_utc": "2026-01-01T00:00:00Z",
                "samples": samples,
                "sent": samples,
                "lost": 0,
                "median_ns": float(np.median(rtt)),
                "ended": "duration",
            }
            rows.append(row)
    names = dict.fromkeys(case["params"]["adapter"] for case in cases)
    manifest = {
        "busmark_version": "0.1.0",
        "created_utc": "2026-01-01T00:00:00Z",
        "finished_utc": "2026-01-01T01:00:00Z",
        "command": "busmark run big.toml",
        "seed": 1,
        "cookie": "00c0ffee00c0ffee",
        "scenario": {"name": f"{millions} million latencies"},
        "scenario_text": "",
        "cases": cases,
        "hosts": {"": {}},
        "findings": [],
        "adapters": {name: {"name": name, "title": name} for name in names},
    }
    (directory / "manifest.json").write_text(json.dumps(manifest))
    pl.DataFrame(rows, schema=polars_schema("cases"), infer_schema_length=None).write_parquet(
        directory / "cases.parquet"
    )


def latencies(
    rng: np.random.Generator, count: int, median_ns: float
) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """Draw round trips in ns as they are seen: two modes, a heavy tail, slow waves."""
    body = rng.lognormal(np.log(median_ns), 0.05, count)
    body *= 1 + 0.02 * np.sin(np.arange(count) / 500)
    body[rng.random(count) < 0.1] *= 1.4
    slow = rng.random(count) < 0.002
    body[slow] *= 1 + rng.pareto(1.5, int(slow.sum()))
    return np.rint(body).astype(np.int64)


def write_round(
    directory: Path, case: str, number: int, rtt: np.ndarray[tuple[int], np.dtype[np.int64]]
) -> None:
    """Write the samples of a round as the controller stores them."""
    sent = 1_000_000 + np.concatenate(([0], np.cumsum(rtt + 500)[:-1]))
    known = {
        "seq": np.arange(rtt.size),
        "writer": np.ones(rtt.size, dtype=np.int64),
        "intended_ns": sent,
        "sent_ns": sent,
        "written_ns": sent + rtt // 8,
        "echo_delivered_ns": sent + rtt // 2 - 500,
        "echo_read_ns": sent + rtt // 2 - 400,
        "echo_sent_ns": sent + rtt // 2,
        "delivered_ns": sent + rtt - 100,
        "read_ns": sent + rtt,
        "flags": np.zeros(rtt.size, dtype=np.int64),
        "answers": np.ones(rtt.size, dtype=np.int64),
    }
    constants = {"case": case, "round": number, "role": "pinger", "size": 64}
    frame = pl.DataFrame(known).with_columns(pl.lit(v).alias(k) for k, v in constants.items())
    schema = polars_schema("samples")
    absent = [pl.lit(None, dtype=t).alias(n) for n, t in schema.items() if n not in frame.columns]
    folder = directory / "samples"
    folder.mkdir(parents=True, exist_ok=True)
    frame = frame.with_columns(absent).select(
        pl.col(name).cast(kind) for name, kind in schema.items()
    )
    path = folder / f"{file_stem(case, number)}.parquet"
    checksum.write(frame, path, compression="lz4", statistics=False)


def cost(*command: str | Path) -> Cost:
    """Run a command, which must succeed, and return its cost."""
    begin = time.monotonic()
    quiet = [(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)]
    arguments = [str(part) for part in command]
    pid = os.posix_spawn(command[0], arguments, os.environ, file_actions=quiet)
    _, status, used = os.wait4(pid, 0)
    seconds = time.monotonic() - begin
    if status:
        raise click.ClickException(f"{' '.join(map(str, command))}: status {status}")
    return Cost(seconds, used.ru_utime + used.ru_stime, used.ru_maxrss / 2**20)


def median(costs: list[Cost]) -> Cost:
    """Return the median of each figure by itself."""
    return Cost(
        *(
            statistics.median(getattr(c, name) for c in costs)
            for name in ("seconds", "cpu_s", "peak_gib")
        )
    )


def measure(millions: int, rounds: int) -> list[str]:
    """Measure both sides in turn, `rounds` times, and return the rows of the table."""
    with tempfile.TemporaryDirectory(prefix="busmark-bench-") as name:
        folder = Path(name)
        result, out = folder / "result", folder / "report"
        generate(result, millions)
        busmark = HERE.parent / ".venv/bin/busmark"
        ours: list[Cost] = []
        drawn: list[Cost] = []
        shown: list[Cost] = []
        plain: list[Cost] = []
        pages = set()
        for _ in range(rounds):
            for kept in KEPT:
                (result / kept).unlink(missing_ok=True)
            ours.append(cost(busmark, "show", result))
            drawn.append(cost(busmark, "report", result, "--out", out))
            pages.add((out / "report.html").read_bytes())
            shown.append(cost(busmark, "show", result))
            if millions == COMPARED:
                plain.append(cost(sys.executable, HERE / "plain_report.py", result))
        size = (out / "report.html").stat().st_size / 2**20
    if len(pages) != 1:
        raise click.ClickException("the report written again has other bytes")
    page_s, show_s = median(drawn).seconds, median(shown).seconds
    own = replace(median(ours), seconds=median(ours).seconds - show_s)
    limit_s, limit_gib = LIMITS[millions]
    against, judged = "not run | | ", ""
    if plain:
        other = median(plain)
        ratio = other.seconds / own.seconds
        against = f"{other.seconds:.1f} ({other.cpu_s:.1f}) | {other.peak_gib:.2f} | {ratio:.1f}"
        judged = f", {RATIO} ×: {met(ratio >= RATIO)}"
    return [
        f"| {millions} million | {own.seconds:.1f} ({own.cpu_s:.1f}) | {own.peak_gib:.2f} | "
        f"{page_s:.1f} | {show_s:.2f} | "
        f"{against} | {size:.1f} | estimates in {limit_s:.0f} s: {met(own.seconds <= limit_s)}, "
        f"{limit_gib:.0f} GiB: {met(own.peak_gib <= limit_gib)}, page in {PAGE_S:.0f} s: "
        f"{met(page_s <= PAGE_S)}, first screen in {SHOW_S:g} s: {met(show_s <= SHOW_S)}{judged} |"
    ]


def met(fact: bool) -> str:
    """Return the word for a target in the table."""
    return "met" if fact else "missed"


@click.command()
@click.option("--rounds", default=3, show_default=True, help="Each, in turn.")
@click.option("--big", is_flag=True, help="Also 100 million latencies, once.")
@click.option("--out", type=click.Path(path_type=Path), default=HERE / "REPORTS.md")
def main(rounds: int, big: bool, out: Path) -> None:
    """Measure the costs and write the table."""
    host = machine()
    lines = [
        "# What reports cost",
        "",
        f"{now()}, {host['cpu_model']}, {host['cpus_online']} CPUs, {host['kernel']}.",
        "",
        "From raw latencies in Parquet, in 100 cases of 5 rounds, to all statistics: "
        "the first `busmark show` less a later one, against `plain_report.py`, the same "
        "statistics with pandas and scipy as one would write them down. Medians of interleaved "
        "runs; in brackets CPU time of all threads. *Page* and *show*: `busmark report` and "
        "`busmark show` from the estimates that lie in the result, as they do when a campaign has "
        "ended.",
        "",
        "| latencies | estimates, s | GiB | page, s | show, s | plain, s | GiB | ratio | page, MiB "
        "| targets |",
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |",
        *measure(10, rounds),
        *(measure(100, 1) if big else []),
        "",
    ]
    files.write(out, "\n".join(lines))
    click.echo("\n".join(lines))


if __name__ == "__main__":
    main()
