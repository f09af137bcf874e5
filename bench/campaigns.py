"""What campaigns cost: overhead of a round, the lab's forwarder, and schedules of rounds.

    python bench/campaigns.py [--result DIR]

Writes `CAMPAIGNS.md`. Root only, for the labs. With the result of a campaign that has many rounds
of its cases, it also simulates on them how soon an interval is narrow, against a fixed schedule.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import numpy as np

from busmark.analysis import summarise
from busmark.stats import Spread
from busmark.store import Result
from busmark.store.atomic import write_text
from machine import machine, now

HERE = Path(__file__).resolve().parent
PARTICIPANTS = (2, 5, 14, 40)
OVERHEAD = """
name = "Overhead of a round"
[measure]
duration_s = 0.5
warmup_s = 0.1
[lab]
nodes = 4
[matrix]
adapter = ["tcp", "cyclonedds"]
test = "throughput"
rate_hz = 100.0
size = 64
placement = "free"
subscribers = [1, 4, 13, 39]
reader_on = "n2+n3+n4"
[rounds]
min = 7
[criteria]
min_samples = 1
"""
FORWARDER = """
name = "Forwarder"
[measure]
duration_s = 0.5
warmup_s = 0.1
[lab]
nodes = 2
[matrix]
adapter = "udp"
test = "latency"
size = 1336
placement = "different"
link.delay = ["", "1us"]
[[also]]
adapter = "tcp"
test = "throughput"
size = 65472
[rounds]
min = 7
[criteria]
min_samples = 1
"""
TARGET = 0.02
FEWEST_ROUNDS, MOST_ROUNDS = 3, 400
REPEATS = 400
FIXED_ROUNDS = 20

Table = list[tuple[str, ...]]


def campaign(text: str, folder: Path) -> Result:
    """Runs a scenario."""
    scenario, out = folder / "scenario.toml", folder / "result"
    scenario.write_text(text)
    command = [str(HERE.parent / ".venv/bin/busmark"), "run", str(scenario), "--out", str(out)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise click.ClickException(done.stderr[-2000:] or done.stdout[-2000:])
    return Result(out)


def overhead(result: Result) -> Iterator[tuple[str, ...]]:
    """Median time of a round beyond warm-up and measuring, by adapter and participants."""
    yield "adapter", "participants", "overhead of a round, s", "of it discovery, s", "for each, ms"
    rows = result.cases.filter(result.cases["status"] == "ok").to_dicts()
    for adapter in dict.fromkeys(row["adapter"] for row in rows):
        for participants in PARTICIPANTS:
            own = [
                r for r in rows if r["adapter"] == adapter and r["subscribers"] + 1 == participants
            ]
            if own:
                total = statistics.median(row["overhead_s"] for row in own)
                known = [row["discovery_s"] for row in own if row["discovery_s"] is not None]
                found = f"{statistics.median(known):.3f}" if known else "—"
                each = f"{total / participants * 1e3:.1f}"
                yield adapter, str(participants), f"{total:.3f}", found, each


def forwarder(result: Result) -> Iterator[tuple[str, ...]]:
    """What the forwarder adds to a way, and what it carries."""
    yield "", "without", "through the forwarder (delay 1 µs)"
    cases = {(c.test, bool(c.params["link_delay"])): c for c in summarise(result).cases}
    halves = [cases["latency", delayed].rtt_2 for delayed in (False, True)]
    goodputs = [cases["throughput", delayed].goodput for delayed in (False, True)]
    yield (
        "UDP, 1400 B: median RTT/2, µs",
        *(f"{h.median.value / 1e3:.1f}" if h else "—" for h in halves),
    )
    yield "TCP: goodput, Mbit/s", *(f"{g.value:,.0f}" if g else "—" for g in goodputs)


@dataclass(frozen=True)
class Recorded:
    """The rounds of one case."""

    values: np.ndarray[Any, np.dtype[np.float64]]
    inside: np.ndarray[Any, np.dtype[np.float64]]
    round_s: float
    fixed_s: float


def recorded(result: Result) -> list[Recorded]:
    """Cases with rounds enough to draw from."""
    found = []
    for case in summarise(result).cases:
        rows = [
            row for row in result.cases.to_dicts()
            if row["case"] == case.id and row["status"] == "ok" and row["statistic_value"]
        ]  # fmt: skip
        if len(rows) < FIXED_ROUNDS or case.precision is None or case.precision.fixed_s is None:
            continue
        found.append(
            Recorded(
                np.array([row["statistic_value"] for row in rows]),
                np.array([row["statistic_variance"] for row in rows]),
                case.precision.spent_s / len(rows),
                case.precision.fixed_s,
            )
        )
    return found


def simulate(case: Recorded, rng: np.random.Generator) -> tuple[int, bool, bool]:
    """Rounds drawn until the interval is narrow; whether it, and that of a fixed number of rounds,
    hold the mean of all recorded ones."""
    drawn = rng.integers(0, case.values.size, MOST_ROUNDS)
    truth = float(case.values.mean())

    def holds(count: int) -> tuple[float | None, bool]:
        spread = Spread.of(case.values[drawn[:count]], case.inside[drawn[:count]])
        return spread.relative_half_width(), abs(spread.mean - truth) <= spread.half_width()

    for count in range(FEWEST_ROUNDS, MOST_ROUNDS + 1):
        width, held = holds(count)
        if width is not None and width <= TARGET:
            break
    return count, held, holds(FIXED_ROUNDS)[1]


def schedules(result: Result) -> Iterator[tuple[str, ...]]:
    """Time and coverage of rounds until ±2 %, against 20 rounds of 2,000 samples."""
    yield "", "until ±2 %", "20 rounds of 2,000 samples"
    cases, rng = recorded(result), np.random.default_rng(1)
    if not cases:
        yield "no case has 20 rounds and a target", "—", "—"
        return
    runs = [[simulate(case, rng) for _ in range(REPEATS)] for case in cases]
    ours_s = sum(
        statistics.fmean(count for count, _, _ in own) * case.round_s
        for case, own in zip(cases, runs, strict=True)
    )
    fixed_s = sum(case.fixed_s for case in cases)
    held, fixed_held = (
        statistics.fmean(run[which] for own in runs for run in own) for which in (1, 2)
    )
    rounds = statistics.median(count for own in runs for count, _, _ in own)
    yield "rounds, median", f"{rounds:.0f}", str(FIXED_ROUNDS)
    yield f"time of {len(cases)} cases, s", f"{ours_s:.0f}", f"{fixed_s:.0f}"
    yield "time, share of the fixed schedule's", f"{ours_s / fixed_s:.2f}", "1"
    yield "intervals that hold the mean of all rounds", f"{held:.1%}", f"{fixed_held:.1%}"


def markdown(rows: Table) -> str:
    """A table."""
    head, *body = rows
    lines = [head, tuple("---" for _ in head), *body]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


@click.command()
@click.option(
    "--result", type=click.Path(path_type=Path), help="A campaign with 20 rounds or more."
)
@click.option("--out", type=click.Path(path_type=Path), default=HERE / "CAMPAIGNS.md")
def main(result: Path | None, out: Path) -> None:
    """Runs and writes."""
    begun = now()
    parts = [
        "# What campaigns cost",
        f"On {begun}, {machine()['cpu_model']}, Linux, by `bench/campaigns.py`.",
    ]
    for title, text, table, goal in (
        ("Overhead of a round", OVERHEAD, overhead,
         "One publisher, the rest subscribers, on four nodes of a lab. Goal: 0.5 s at most."),
        ("The lab's forwarder", FORWARDER, forwarder,
         "Goal: 30 µs added at most, and 1 Gbit/s carried."),
    ):  # fmt: skip
        with tempfile.TemporaryDirectory(prefix="busmark-bench-") as folder:
            parts += [f"## {title}", goal, markdown(list(table(campaign(text, Path(folder)))))]
    if result:
        parts += [
            "## Rounds until the interval is narrow",
            "Simulated on recorded rounds, drawn with replacement. Goal: a fifth of the time at "
            "equal or better coverage.",
            markdown(list(schedules(Result(result)))),
        ]
    write_text(out, "\n\n".join(parts) + "\n")
    print(f"written: {out}", file=sys.stderr)


if __name__ == "__main__":
    main()
