"""What the rounds of a case say, figure by figure, ready to be held against another case."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import polars as pl

from busmark import stats
from busmark.analysis import capacity, latency, throughput
from busmark.analysis.figures import (
    CONFIDENCE,
    Figure,
    FloatArray,
    Quantity,
    figure,
    over_rounds,
)
from busmark.analysis.rounds import Row
from busmark.analysis.summarise import SAMPLE_COLUMNS
from busmark.analysis.text import count, plural
from busmark.compare.sides import Side, SideCase
from busmark.compare.stated import stated_latencies
from busmark.errors import UserError

STATISTICS: dict[str, stats.Statistic] = {
    "median": "median", "mean": "mean", "p90": 90.0, "p99": 99.0, "p99.9": 99.9, "p99.99": 99.99,
}  # fmt: skip
"""Of latency; by the name that `--fail-if` uses."""

HEADLINES = ("goodput.throughput", "median.latency")
"""The figure whose verdict is that of a case: the first that it has."""

S_TO_NS = 1e9


@dataclass(frozen=True, slots=True)
class Measured:
    """One figure of a case on one side."""

    figure: Figure | None
    """With its own interval; None: there is none, and `reason` says why."""
    values: Mapping[int, float] = field(default_factory=dict)
    """By round."""
    level: stats.Level | None = None
    """Of latencies: both levels of variation."""
    counts: tuple[tuple[int, ...], tuple[int, ...]] | None = None
    """Of a share: hits and totals of each round."""
    latency: Quantity | None = None
    reason: str | None = None


Figures = dict[str, Measured]


@dataclass(slots=True)
class CaseMeasured:
    """All figures of a case."""

    figures: Figures
    rounds: int
    measured_s: float
    problems: list[str]
    """Rounds that could not be read."""

    def emptied(self) -> CaseMeasured:
        """Without the figures, for who needs the counts only."""
        return replace(self, figures={})


def measured(side: Side, case: SideCase, seed: int) -> CaseMeasured:
    """Reads the case's rounds; one that cannot be read is told and left out."""
    rows, problems = case.good, []
    figures: Figures = {}
    if case.test == "capacity":
        figures |= _capacity(side, case)
    else:
        read = {}
        for row in case.good:
            try:
                read[row["round"]] = _latencies(side, case, row)
            except UserError as error:
                problems.append(str(error).partition("\n")[0])
        rows = [row for row in rows if row["round"] in read]
        of_probes = case.test == "throughput"
        if of_probes:
            figures |= {"goodput.throughput": _goodput(case, rows)}
        figures |= _of_latencies(read, seed, optional=of_probes)
        figures |= _stated(side, case, rows, figures)
        figures |= {"loss": _loss(rows)}
    figures |= {"discovery": _discovery(rows)}
    seconds = sum(row["measured_s"] or 0.0 for row in rows)
    return CaseMeasured(figures, len(rows), seconds, problems)


Latencies = dict[str, tuple[Quantity, FloatArray]]
"""Of one round, ns, by the quantity as `--fail-if` names it."""


def _latencies(side: Side, case: SideCase, row: Row) -> Latencies:
    samples: pl.DataFrame = side.result.samples(case.id, row["round"], SAMPLE_COLUMNS)
    # An older Busmark knew one machine only.
    one_clock = row["one_clock"] is not False
    if case.test == "throughput":
        probes = throughput.probe_round(row["round"], samples, one_clock=one_clock)
        return {
            "latency": ("one_way", probes.one_way.latency),
            "round_trip": ("round_trip", probes.round_trip.latency),
        }
    pings = latency.ping_round(row["round"], samples, one_clock=one_clock)
    return {"latency": ("half_round_trip", pings.back.latency / 2)}


def _of_latencies(read: Mapping[int, Latencies], seed: int, *, optional: bool) -> Figures:
    """Every statistic of every latency; `optional`: a latency without samples is not told."""
    names = dict.fromkeys(name for of_round in read.values() for name in of_round)
    figures: Figures = {}
    for name in names:
        quantity = next(of_round[name][0] for of_round in read.values())
        rounds = {n: of_round[name][1] for n, of_round in read.items() if of_round[name][1].size}
        if rounds:
            # Sorted once, for all percentiles.
            ready = {number: stats.Round.of(values) for number, values in rounds.items()}
            figures |= {
                f"{statistic}.{name}": _statistic(ready, statistic, quantity, seed)
                for statistic in STATISTICS
            }
        elif not optional:
            missing = Measured(None, latency=quantity, reason="no sample came back in any round")
            figures |= {f"{statistic}.{name}": missing for statistic in STATISTICS}
    if not read and not optional:
        missing = Measured(None, latency="half_round_trip", reason="no round could be read")
        figures |= {f"{statistic}.latency": missing for statistic in STATISTICS}
    return figures


def _stated(side: Side, case: SideCase, rows: Sequence[Row], known: Figures) -> Figures:
    """Of an imported case without samples: one value for each run, hence no variation inside it."""
    measured = known.get("median.latency")
    told = stated_latencies(side, case, rows)
    if told is None or (measured is not None and measured.figure is not None):
        return {}
    quantity, values = told
    none = "the source does not state it, or of too few samples"
    return {
        f"{name}.latency": Measured(
            over_rounds(list(values.get(name, {}).values()), "ns", None),
            values=values.get(name, {}),
            latency=quantity,
            reason=None if name in values else none,
        )
        for name in STATISTICS
    }


def _statistic(
    rounds: Mapping[int, stats.Round], name: str, quantity: Quantity, seed: int
) -> Measured:
    statistic = STATISTICS[name]
    fewest = min(values.count for values in rounds.values())
    if isinstance(statistic, float) and not stats.supported(statistic, fewest):
        reason = f"a round has {plural(fewest, 'sample')}, {name} needs {count(needed(statistic))}"
        return Measured(None, latency=quantity, reason=reason)
    rng = np.random.default_rng(seed)
    level = stats.reduce_rounds(list(rounds.values()), statistic, stats.RESAMPLES, rng)
    return Measured(
        figure(stats.level_estimate(level, CONFIDENCE), "ns"),
        values=dict(zip(rounds, level.values.tolist(), strict=True)),
        level=level,
        latency=quantity,
    )


def needed(percent: float) -> int:
    """Samples that support a percentile above the median, see `stats.supported`."""
    return round(stats.MIN_BEYOND / (1 - percent / 100))


def _goodput(case: SideCase, rows: Sequence[Row]) -> Measured:
    """In Mbit/s; in samples/s where bodies are empty. The ratio is the same."""
    empty = not case.params.get("size")
    column, unit = ("samples_per_s", "1/s") if empty else ("mbit_per_s", "Mbit/s")
    return _per_round(rows, lambda row: row[column], unit, "received", "no round has a goodput")


def _discovery(rows: Sequence[Row]) -> Measured:
    def time(row: Row) -> float | None:
        value = row.get("discovery_s")
        return None if value is None else value * S_TO_NS

    return _per_round(rows, time, "ns", None, "the middleware does not tell when it has matched")


def _per_round(
    rows: Sequence[Row],
    value: Callable[[Row], float | None],
    unit: str,
    counted: str | None,
    otherwise: str,
) -> Measured:
    found = {row["round"]: v for row in rows if (v := value(row)) is not None}
    total = sum((row[counted] or 0) if counted else 1 for row in rows if row["round"] in found)
    mean = over_rounds(list(found.values()), unit, total)
    return Measured(mean, values=found, reason=None if mean else otherwise)


def _loss(rows: Sequence[Row]) -> Measured:
    counts = {
        row["round"]: (row["lost"], expected)
        for row in rows
        if (expected := row.get("expected") or row["sent"]) and row["lost"] is not None
    }
    if not counts:
        return Measured(None, reason="no round counts what is lost")
    lost, expected = zip(*counts.values(), strict=True)
    shares = {number: hits / of for number, (hits, of) in counts.items()}
    mean = over_rounds(list(shares.values()), "1", sum(expected))
    if mean is not None and mean.high is not None:
        mean = mean.model_copy(update={"high": min(1.0, mean.high)})
    return Measured(mean, values=shares, counts=(lost, expected))


def _capacity(side: Side, case: SideCase) -> Figures:
    """The rate that was sustained; it has an interval of its own."""
    in_order = sorted(case.good, key=lambda row: row["order"])
    found = capacity.capacity(side.result.manifest.scenario, case.params, in_order)
    sustained = found.sustained if found else None
    reason = None if sustained else "the search found no rate"
    return {"goodput.throughput": Measured(sustained, reason=reason)}
