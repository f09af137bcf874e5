"""Latency of one case from the pinger's raw samples."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import polars as pl

from busmark import stats
from busmark.analysis.case.by_round import LatencyByRound, Numbers, reduced
from busmark.analysis.case.distribution import distribution, jitter_share
from busmark.analysis.case.legs import Times, differences, leg_tables, legs_of
from busmark.analysis.case.series import (
    CaseSeries,
    RoundValues,
    Thinning,
    autocorrelation,
    distributed,
    middle_round,
    timeline,
)
from busmark.analysis.case.variation import Timed, in_time_order, known, timed, unstamped
from busmark.analysis.figures import FloatArray, halved, over_rounds
from busmark.analysis.model import Latency, Leg
from busmark.analysis.read.clocks import aligned
from busmark.analysis.read.lost import Sent
from busmark.analysis.read.pools import Pools
from busmark.store.columns import WARM_UP

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
    """One round without its warm-up; times in ns, arrays in order of intended sending."""

    number: int
    back: Timed
    """The pings that came back."""
    lost_start: FloatArray
    """Intended sending of those that did not."""
    medians: dict[str, float] = field(default_factory=dict)
    """Median of each leg for which there are stamps."""
    bound_ns: float = 0.0
    """How far legs between hosts may be off."""
    legs: dict[str, Times] = field(default_factory=dict)
    """Times of each leg for which there are stamps by one clock, if they were asked for."""

    @property
    def sent(self) -> int:
        """Pings sent."""
        return int(self.back.latency.size + self.lost_start.size) + self.back.negative


def measured(samples: pl.DataFrame, role: str) -> pl.DataFrame:
    """Samples of this role, without the warm-up."""
    flags = samples["flags"]
    # Filling makes a plan, which costs as much as reading a column.
    flags = flags.fill_null(0) if flags.null_count() else flags
    kept = (samples["role"] == role) & (flags & WARM_UP == 0)
    return samples if kept.all(ignore_nulls=False) else samples.filter(kept)


def ping_round(
    number: int, samples: pl.DataFrame, *, one_clock: bool, legs_every: int | None = None
) -> PingRound:
    """Reduce the raw samples of a round; legs between hosts are as good as their clocks agree.

    Args:
        legs_every: keep the legs of one in this many pings; None: of none.
    """
    by_one = aligned(samples, one_clock=one_clock)
    pings = measured(by_one.samples, "pinger")
    if "round_trip_ns" in pings.columns and pings["round_trip_ns"].null_count() < pings.height:
        return PingRound(number, unstamped(pings), lost_start=np.empty(0))
    rows = in_time_order(pings)
    back = known(rows, "read_ns")
    gone = rows.clear() if back is rows else rows.filter(pl.col("read_ns").is_null())
    legs = (*LEGS, THERE, BACK) if by_one.bound_ns is not None else OWN
    timed_back = timed(back)
    # What is no latency has no legs either.
    whole = back.filter(pl.col("read_ns") >= pl.col("start")) if timed_back.negative else back
    return PingRound(
        number=number,
        back=timed_back,
        lost_start=gone["start"].to_numpy().astype(np.float64),
        medians=_medians(back, legs),
        bound_ns=by_one.bound_ns or 0.0,
        legs=legs_of(whole, legs_every, one_clock=one_clock) if legs_every else {},
    )


def _medians(rows: pl.DataFrame, legs: Sequence[tuple[str, str, str, str]]) -> dict[str, float]:
    """Median of each leg that has both stamps."""
    parts = {name: differences(rows[late], rows[early]) for name, _, late, early in legs}
    return {name: float(stats.medians(times)) for name, times in parts.items() if times.size}


def latency(
    rounds: list[PingRound], pools: Pools, *, open_loop: bool, legs_every: int = 1
) -> Latency:
    """Estimates over the counted rounds; `pools` are of what came back in them, `legs_every` is
    what the rounds were made with."""
    sent = Sent.of([(r.back, r.lost_start) for r in rounds])
    found = reduced(pools.latency, sent) if pools.latency else {}
    whole = distribution(pools.latency, "round_trip", sent, found)
    jitter = distribution(pools.jitter, "round_trip_jitter")
    numbers = Numbers(pools.numbers, [r.number for r in rounds if r.sent])
    count = whole.count if whole else 0
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
        jitter=halved(jitter),
        jitter_share=jitter_share(pools.latency, pools.jitter),
        one_way_there=leg("there", "from just before write to the ponger's hands", signed=False),
        one_way_back=leg("back", "from the pong's sending to the pinger's hands", signed=False),
        legs=[found for found in legs if found],
        leg_tables=leg_tables([r.legs for r in rounds], legs_every),
        by_round=[
            LatencyByRound.of("latency", "half_round_trip", found, numbers, halved=True)
            if found
            else LatencyByRound.without(
                "half_round_trip",
                "no sample came back in any round" if rounds else "no round could be read",
            )
        ],
    )


def _round_medians(rounds: list[PingRound]) -> RoundValues | None:
    """Half the median round trip of every round in which it does not fall among the lost."""
    known: dict[int, float] = {}
    for each in rounds:
        if each.back.latency.size + each.lost_start.size:
            median = stats.of_sent(each.back.latency, int(each.lost_start.size), "median")
            known |= {each.number: median / 2} if median != "lost" else {}
    if not known:
        return None
    return RoundValues(rounds=list(known), values=list(known.values()), unit="ns")


def series(rounds: list[PingRound], pools: Pools, thinning: Thinning) -> CaseSeries:
    """Plots of the case, all in RTT/2."""
    if pools.latency is None:
        return CaseSeries()
    halves = [one.ordered.median / 2 for one in pools.latency.rounds]
    middle = middle_round(dict(zip(pools.numbers, halves, strict=True)))
    shown = next(r for r in rounds if r.number == middle)
    changes = {
        "medians": _round_medians(rounds),
        "autocorrelation": autocorrelation(shown.number, shown.back.latency),
        "timeline": timeline(
            shown.number, shown.back.start, shown.back.latency / 2, shown.lost_start,
            "half_round_trip", thinning,
        ),
        "jitter_timeline": timeline(
            shown.number, shown.back.jitter_start, shown.back.jitter / 2, shown.lost_start[:0],
            "half_round_trip_jitter", thinning.halved(),
        ),
    }  # fmt: skip
    lost = {each.number: int(each.lost_start.size) for each in rounds}
    drawn = distributed(pools, "half_round_trip", 0.5, thinning, lost)
    return drawn.model_copy(update=changes)
