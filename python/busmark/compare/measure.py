"""What the rounds of a case say, figure by figure, ready to be held against another case."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from busmark import stats
from busmark.analysis.case import capacity, latency, throughput
from busmark.analysis.case.distribution import knows
from busmark.analysis.case.variation import Timed
from busmark.analysis.figures import (
    CONFIDENCE,
    FloatArray,
    Quantity,
    figure,
)
from busmark.analysis.one_case import SAMPLE_COLUMNS
from busmark.analysis.pairwise.measured import STATISTICS, CaseMeasured, Figures, Measured
from busmark.analysis.pairwise.rows import of_rounds
from busmark.analysis.read.rounds import Row
from busmark.analysis.words.text import count, percent_text, plural
from busmark.compare.sides import Side, SideCase
from busmark.compare.stated import stated_latencies
from busmark.errors import UserError
from busmark.store import Result


def measured(side: Side, case: SideCase) -> CaseMeasured:
    """Reads the case's rounds; one that cannot be read is left out, with a notice."""
    rows, problems = case.good, []
    figures: Figures = {}
    samples: dict[str, dict[int, FloatArray]] = {}
    if case.test == "capacity":
        figures |= _capacity(side, case)
    elif case.test != "discovery":
        read = {}
        for row in case.good:
            try:
                read[row["round"]] = round_latencies(side.result, case.id, row)
            except UserError as error:
                problems.append(str(error).partition("\n")[0])
        rows = [row for row in rows if row["round"] in read]
        of_probes = case.test == "throughput"
        if of_probes:
            figures |= of_rounds(case.test, case.params, rows, of_stream=True)
        numbers = [row["round"] for row in rows]
        sampled = any(each.values.size for found in read.values() for each in found.values())
        stated = {} if sampled else stated_latencies(side, case, numbers)
        step = side.result.manifest.hosts.get("", {}).get("clock_step_ns")
        figures |= stated or _stepped(_of_latencies(read, optional=of_probes), read, step)
        for number, found in read.items():
            for name, each in found.items():
                if each.series.size:
                    samples.setdefault(name, {})[number] = each.series
    figures |= of_rounds(case.test, case.params, rows, of_stream=False)
    seconds = sum(row["measured_s"] or 0.0 for row in rows)
    return CaseMeasured(figures, len(rows), seconds, problems, samples)


@dataclass(frozen=True, slots=True)
class RoundLatencies:
    """Latencies of one round, ns."""

    quantity: Quantity
    values: FloatArray
    """In order of sending; in the place of each lost sample stands the latest of the others."""
    lost: int
    """0 where that is not known."""
    known: FloatArray
    """Those that came back alone."""
    series: FloatArray
    """As `values`, but infinity in the place of each lost sample."""

    @classmethod
    def of(
        cls, quantity: Quantity, back: Timed, gone: FloatArray | None, factor: float = 1.0
    ) -> RoundLatencies:
        """Latencies from what came back, times `factor`, and from when the rest was to be sent, as
        far as that is known."""
        known = back.latency * factor
        if gone is None or not gone.size:
            return cls(quantity, known, 0, known, known)
        latest = float(known.max()) if known.size else 0.0
        series = stats.with_lost(back.start, known, gone, np.inf)
        values = np.where(np.isfinite(series), series, latest)
        return cls(quantity, values, int(gone.size), known, series)


Latencies = dict[str, RoundLatencies]
"""By the quantity as `--fail-if` names it."""


def round_latencies(result: Result, case: str, row: Row) -> Latencies:
    """The latencies of a round, read from its samples.

    Raises:
        UserError: they cannot be read.
    """
    samples: pl.DataFrame = result.samples(case, row["round"], SAMPLE_COLUMNS)
    # An older Busmark knew one machine only.
    one_clock = row["one_clock"] is not False
    if row["test"] == "throughput":
        probes = throughput.probe_round(row["round"], samples, one_clock=one_clock, row=row)
        return {
            "latency": RoundLatencies.of("one_way", probes.one_way, probes.lost),
            "round_trip": RoundLatencies.of("round_trip", probes.round_trip, probes.unanswered),
        }
    pings = latency.ping_round(row["round"], samples, one_clock=one_clock)
    return {"latency": RoundLatencies.of("half_round_trip", pings.back, pings.lost_start, 0.5)}


def _of_latencies(read: Mapping[int, Latencies], *, optional: bool) -> Figures:
    """Every statistic of every latency; `optional`: a latency without samples is not told."""
    names = dict.fromkeys(name for of_round in read.values() for name in of_round)
    figures: Figures = {}
    for name in names:
        quantity = next(of_round[name].quantity for of_round in read.values())
        rounds = {n: of_round[name] for n, of_round in read.items() if of_round[name].values.size}
        if any(each.known.size for each in rounds.values()):
            # Sorted once, for all percentiles.
            ready = {number: stats.Round.of(each.values) for number, each in rounds.items()}
            # What was lost has no mean.
            back = {n: stats.Round.of(each.known) for n, each in rounds.items() if each.known.size}
            figures |= {
                f"{statistic}.{name}": _among_lost(rounds, statistic, quantity)
                or _statistic(back if statistic == "mean" else ready, statistic, quantity)
                for statistic in STATISTICS
            }
        elif not optional:
            missing = Measured(None, latency=quantity, reason="no sample came back in any round")
            figures |= {f"{statistic}.{name}": missing for statistic in STATISTICS}
    if not read and not optional:
        missing = Measured(None, latency="half_round_trip", reason="no round could be read")
        figures |= {f"{statistic}.latency": missing for statistic in STATISTICS}
    return figures


def _stepped(figures: Figures, read: Mapping[int, Latencies], step_ns: float | None) -> Figures:
    """With the step of the machine's clock, as it was recorded; half of it in half a round trip."""
    quantities = {
        name: one.quantity for of_round in read.values() for name, one in of_round.items()
    }

    def own(figure: str) -> float:
        halved = quantities.get(figure.rpartition(".")[2]) == "half_round_trip"
        return (step_ns or 0.0) * (0.5 if halved else 1.0)

    return {name: replace(each, step_ns=own(name)) for name, each in figures.items()}


def _among_lost(
    rounds: Mapping[int, RoundLatencies], name: str, quantity: Quantity
) -> Measured | None:
    """What there is instead of a statistic that falls among the lost in some round."""
    each, statistic = rounds.values(), STATISTICS[name]
    if not any(stats.among_lost(statistic, int(one.known.size), one.lost) for one in each):
        return None
    share = sum(one.lost for one in each) / sum(one.values.size for one in each)
    reason = f"lost: {percent_text(share)}; the {name} falls among the lost"
    return Measured(None, latency=quantity, reason=reason, lost=True)


def _statistic(rounds: Mapping[int, stats.Round], name: str, quantity: Quantity) -> Measured:
    statistic = STATISTICS[name]
    fewest = min(values.count for values in rounds.values())
    if isinstance(statistic, float) and not stats.supported(statistic, fewest):
        reason = f"a round has {plural(fewest, 'sample')}, {name} needs {count(needed(statistic))}"
        return Measured(None, latency=quantity, reason=reason)
    if isinstance(statistic, float) and not knows(list(rounds.values()), statistic):
        reason = (
            f"neighbouring samples are so alike that a round has fewer than "
            f"{stats.MIN_BEYOND} independent ones beyond {name}"
        )
        return Measured(None, latency=quantity, reason=reason)
    level = stats.reduce_rounds([rounds[number] for number in sorted(rounds)], statistic)
    return Measured(
        figure(stats.level_estimate(level, CONFIDENCE), "ns"),
        values=dict(zip(sorted(rounds), level.values.tolist(), strict=True)),
        level=level,
        latency=quantity,
    )


def needed(percent: float) -> int:
    """Samples that support a percentile above the median, see `stats.supported`."""
    return round(stats.MIN_BEYOND / (1 - percent / 100))


def _capacity(side: Side, case: SideCase) -> Figures:
    """The rate that was sustained; it has an interval of its own."""
    in_order = sorted(case.good, key=lambda row: row["order"])
    found = capacity.capacity(side.result.manifest.scenario, case.params, in_order)
    sustained = found.sustained if found else None
    reason = None if sustained else "the search found no rate"
    return {"goodput.throughput": Measured(sustained, reason=reason)}
