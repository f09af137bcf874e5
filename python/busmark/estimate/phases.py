"""Figures of each phase of rounds in the middle of which something changed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from busmark.model.figure import Figure, mean_over_rounds, over_rounds
from busmark.model.figures import Estimated, Found, estimated
from busmark.model.quantities import parts
from busmark.model.traffic import Phase
from busmark.stats import SHARE
from busmark.store.columns import ASKING, TIMED
from busmark.store.samples import latency_ns, measured

SAMPLE_COLUMNS = ("role", "flow", "writer", "reader", "flags", "intended_ns", "read_ns", "phase")

OF_PAIR = ("flow", "role", "writer", "reader")


@dataclass(frozen=True, slots=True)
class RoundTables:
    """Tables that a round recorded."""

    samples: pl.DataFrame
    intervals: pl.DataFrame
    changes: pl.DataFrame | None
    one_clock: bool = True


def phases(rounds: Sequence[RoundTables]) -> Iterator[Estimated]:
    """Yield the figures of the phases of the rounds that count, flow by flow, in order; none if
    nothing changed."""
    lines = [each.changes for each in rounds if each.changes is not None]
    if not lines:
        return
    changes = pl.concat(lines)
    numbers = [0, *sorted(changes["phase"].unique())]
    pings = [_pings(each.samples) for each in rounds]
    rates = [_rates(each.intervals) for each in rounds]
    came = [each.samples.filter(pl.col("read_ns").is_not_null()) for each in rounds]
    # A change is stamped by the clock of an end: with several, nothing is known of the others.
    firsts = [
        (each.changes if each.one_clock else None, own)
        for each, own in zip(rounds, came, strict=True)
    ]
    flows = list(
        dict.fromkeys(name for table in (*pings, *rates) for name in table["flow"] if name)
    )
    for flow in flows:
        for number in numbers:
            phase = _phase(number, flow, changes)
            begin = estimated([(parts.PHASE_BEGIN, phase.begin_s)], "phase", phase.name)
            yield from (replace(row, reason=phase.change) for row in begin)
            after = (parts.FIRST_AFTER, _first_after(number, flow, firsts))
            own = [*_figures(phase, pings, rates), after]
            yield from estimated(own, "phase", phase.name)


def _pings(samples: pl.DataFrame) -> pl.DataFrame:
    """Select the pings and probes of the measured time whose phase is known."""
    return measured(samples, *ASKING).filter(pl.col("phase").is_not_null())


def _rates(intervals: pl.DataFrame) -> pl.DataFrame:
    """Return the rate of each writer, and of each writer at each reader, in each phase. The last
    interval of each is left out, for it is not whole."""
    last = pl.col("start_ns").max().over(OF_PAIR)
    return (
        intervals.filter(pl.col("phase").is_not_null() & (pl.col("start_ns") < last))
        .group_by(*OF_PAIR, "phase", maintain_order=True)
        .agg(
            (pl.col("samples").sum() * 1e9 / pl.col("duration_ns").sum()).alias("rate"),
            pl.col("samples").sum(),
        )
    )


def _phase(number: int, flow: str, changes: pl.DataFrame) -> Phase:
    began = changes.filter(pl.col("phase") == number)
    words = began.unique(["flow", "change"], maintain_order=True)
    # A link belongs to no flow, and a case has one service mostly.
    each = [
        what if what.startswith(("link = ", "server = ")) else f"{what} of {of}"
        for of, what in words.select("flow", "change").rows()
    ]
    return Phase(
        phase=number,
        flow=flow,
        change="; ".join(dict.fromkeys(each)) or None,
        begin_s=0.0 if began.is_empty() else float(began["asked_ns"][0]) / 1e9,
    )


def _figures(phase: Phase, pings: Sequence[pl.DataFrame], rates: Sequence[pl.DataFrame]) -> Found:
    here = (pl.col("flow") == phase.flow) & (pl.col("phase") == phase.phase)
    own = [table.filter(here) for table in pings]
    asked = [table.height for table in own]
    lost = [table["read_ns"].null_count() for table in own]
    shares = [gone / sent for gone, sent in zip(lost, asked, strict=True) if sent]
    yield parts.PHASE_LATENCY, _median(own)
    yield parts.PHASE_ASKED, sum(asked)
    yield parts.LOST, sum(lost)
    yield parts.PHASE_LOSS, mean_over_rounds(shares, "1", sum(asked), within=SHARE)
    # In intervals that are wholly within the phase.
    within = [table.filter(here) for table in rates]
    yield parts.WRITE_RATE, _rate(within, "transmitter")
    yield parts.READ_RATE, _rate(within, "receiver") or _rate(within, "client")


def _median(rounds: Sequence[pl.DataFrame]) -> Figure | None:
    """Return half the median round trip of a typical round, or its median response time; None where
    one falls among the lost."""
    found = []
    for table in rounds:
        if not table.height:
            continue
        trips = latency_ns(table).cast(pl.Float64).fill_null(np.inf)
        median = float(np.median(trips.to_numpy()))
        if not np.isfinite(median):
            return None
        found.append(median if "client" in table["role"] else median / 2)
    back = sum(table.height - table["read_ns"].null_count() for table in rounds)
    return over_rounds(found, "ns", back)


def _rate(rounds: Sequence[pl.DataFrame], role: str) -> Figure | None:
    own = [table.filter(pl.col("role") == role) for table in rounds]
    known = [table for table in own if table.height]
    count = sum(int(table["samples"].sum()) for table in known)
    return over_rounds([float(table["rate"].sum()) for table in known], "1/s", count)


def _first_after(
    number: int, flow: str, rounds: Sequence[tuple[pl.DataFrame | None, pl.DataFrame]]
) -> Figure | None:
    """Return the time (ns) from the change until the last reader had received something."""
    found = []
    for changes, came in rounds:
        began = None if changes is None else changes.filter(pl.col("phase") == number)
        if began is None or began.is_empty():
            return None
        since: int = began["taken_ns"].min()  # type: ignore[assignment]
        own = came.filter((pl.col("flow") == flow) & (pl.col("read_ns") >= since))
        # Echoes of a stream's probes are few and far between: its readers tell, who time all of it
        # or some; only pings have nobody else.
        role = next((r for r in (TIMED, "receiver", "pinger", "client") if r in own["role"]), None)
        if role is None:
            return None
        each = own.filter(pl.col("role") == role)
        each = each.group_by("writer", "reader").agg(pl.col("read_ns").min())
        found.append(float(each["read_ns"].max() - since))  # type: ignore[operator]
    return over_rounds(found, "ns", len(found)) if found else None
