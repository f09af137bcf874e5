"""Latency of one case from the pinger's raw samples."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import polars as pl

from busmark.analysis.clocks import aligned
from busmark.analysis.figures import FloatArray, distribution, halved, over_rounds
from busmark.analysis.model import Latency, Leg
from busmark.analysis.series import CaseSeries, RoundValues, curve, middle_round, timeline

WARM_UP = 1
"""Bit of `flags`: the sample was sent before the measurement began."""

LEGS = (
    ("write", "T1→T2 at the pinger: the call of write", "written_ns", "sent_ns"),
    ("transport", "T2→T3: from write's return to the announcement at the ponger",
     "echo_delivered_ns", "written_ns"),
    ("read", "T3→T4: from the announcement to the ponger's hands",
     "echo_read_ns", "echo_delivered_ns"),
    ("turn-round", "from the ponger's hands to the sending of the pong",
     "echo_sent_ns", "echo_read_ns"),
)  # fmt: skip
"""Name, meaning, later and earlier stamp of the parts of a ping's way."""

OWN = tuple(leg for leg in LEGS if leg[0] in ("write", "read", "turn-round"))
"""Those within one host."""

THERE = ("there", "", "echo_read_ns", "sent_ns")
BACK = ("back", "", "read_ns", "echo_sent_ns")


@dataclass(slots=True)
class PingRound:
    """One round without its warm-up; times in ns, arrays in order of recording."""

    number: int
    latency: FloatArray
    """Of the pings that came back, from their intended sending."""
    start: FloatArray
    lost_start: FloatArray
    """Intended sending of those that did not."""
    medians: dict[str, float] = field(default_factory=dict)
    """Median of each leg for which there are stamps."""
    bound_ns: float = 0.0
    """How far legs between hosts may be off."""

    @property
    def sent(self) -> int:
        """Pings sent."""
        return int(self.latency.size + self.lost_start.size)


def measured(samples: pl.DataFrame, role: str) -> pl.DataFrame:
    """Samples of this role, without the warm-up."""
    flags = pl.col("flags").fill_null(0)
    return samples.filter((pl.col("role") == role) & ((flags & WARM_UP) == 0))


def ping_round(number: int, samples: pl.DataFrame, *, one_clock: bool) -> PingRound:
    """Reduce the raw samples of a round; legs between hosts are as good as their clocks agree."""
    by_one = aligned(samples, one_clock=one_clock)
    rows = measured(by_one.samples, "pinger").with_columns(
        pl.coalesce("intended_ns", "sent_ns").alias("start")
    )
    rows = rows.drop_nulls("start")
    back = rows.filter(pl.col("read_ns").is_not_null())
    gone = rows.filter(pl.col("read_ns").is_null())
    legs = (*LEGS, THERE, BACK) if by_one.bound_ns is not None else OWN
    medians = {name: _median(back, late, early) for name, _, late, early in legs}
    return PingRound(
        number=number,
        latency=_floats(back, pl.col("read_ns") - pl.col("start")),
        start=_floats(back, pl.col("start")),
        lost_start=_floats(gone, pl.col("start")),
        medians={name: value for name, value in medians.items() if value is not None},
        bound_ns=by_one.bound_ns or 0.0,
    )


def _floats(rows: pl.DataFrame, expression: pl.Expr) -> FloatArray:
    values: FloatArray = rows.select(expression.cast(pl.Float64)).to_series().to_numpy()
    return values


def _median(rows: pl.DataFrame, late: str, early: str) -> float | None:
    value = rows.select((pl.col(late) - pl.col(early)).median()).item()
    return None if value is None else float(value)


def latency(rounds: list[PingRound], *, open_loop: bool, seed: int) -> Latency:
    """Estimates over the counted rounds."""
    whole = distribution([r.latency for r in rounds], "round_trip", seed)
    count = sum(int(r.latency.size) for r in rounds)
    bound = max((r.bound_ns for r in rounds), default=0.0)
    own = {name for name, *_ in OWN}

    def leg(name: str, meaning: str, *, signed: bool) -> Leg | None:
        median = over_rounds([r.medians.get(name) for r in rounds], "ns", count, signed=signed)
        if median is None:
            return None
        return Leg(name=name, meaning=meaning, median=median, bound_ns=0 if name in own else bound)

    legs = [leg(name, meaning, signed=True) for name, meaning, _, _ in LEGS]
    return Latency(
        arrivals="open" if open_loop else "closed",
        sent=sum(r.sent for r in rounds),
        lost=sum(int(r.lost_start.size) for r in rounds),
        round_trip=whole,
        half_round_trip=halved(whole),
        one_way_there=leg("there", "from just before write to the ponger's hands", signed=False),
        one_way_back=leg("back", "from the pong's sending to the pinger's hands", signed=False),
        legs=[found for found in legs if found],
    )


def series(rounds: list[PingRound], detail: int) -> CaseSeries:
    """Plots of the case, all in RTT/2."""
    kept = [r for r in rounds if r.latency.size]
    medians = {r.number: float(np.median(r.latency)) / 2 for r in kept}
    middle = middle_round(medians)
    shown = next((r for r in kept if r.number == middle), None)
    return CaseSeries(
        curve=curve([r.latency / 2 for r in kept], "half_round_trip"),
        timeline=timeline(
            shown.number, shown.start, shown.latency / 2, shown.lost_start,
            "half_round_trip", detail,
        ) if shown else None,
        medians=RoundValues(
            rounds=list(medians), values=list(medians.values()), unit="ns"
        ) if medians else None,
    )  # fmt: skip
