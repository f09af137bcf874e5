"""Throughput of one case from the rows of its rounds, and latency under that load."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from busmark.analysis.clocks import aligned
from busmark.analysis.distribution import distribution, jitter_share
from busmark.analysis.figures import JITTER, Quantity, over_rounds
from busmark.analysis.latency import measured
from busmark.analysis.model import Throughput
from busmark.analysis.pools import Pools
from busmark.analysis.series import CaseSeries, RateSeries, RoundValues, Thinning, distributed
from busmark.analysis.variation import Timed, in_time_order, step, timed


@dataclass(slots=True)
class ProbeRound:
    """The probes of one round, in order of intended sending."""

    number: int
    one_way: Timed
    """Empty between hosts whose clocks agree no better than it is long."""
    round_trip: Timed


def probe_round(number: int, samples: pl.DataFrame, *, one_clock: bool) -> ProbeRound:
    """Reduce the raw samples of a round. Latency is from the intended time: a writer that was held
    up is charged with the delay."""
    by_one = aligned(samples, one_clock=one_clock)
    receiver = in_time_order(measured(by_one.samples, "receiver"))
    transmitter = in_time_order(measured(samples, "transmitter"))
    # Only the transmitter has rows of what was lost.
    between = step(receiver if transmitter.is_empty() else transmitter)
    one_way = timed(
        receiver if by_one.bound_ns is not None else receiver.clear(),
        step=between,
        signed=not one_clock,
    )
    if (
        by_one.bound_ns
        and one_way.latency.size
        and float(np.median(one_way.latency)) < by_one.bound_ns
    ):
        one_way = timed(receiver.clear())
    return ProbeRound(
        number,
        one_way=one_way,
        round_trip=timed(transmitter, step=between),
    )


@dataclass(frozen=True, slots=True)
class Probes:
    """Of all rounds, sorted."""

    one_way: Pools
    round_trip: Pools

    @classmethod
    def of(cls, rounds: Sequence[ProbeRound]) -> Probes:
        """Of these rounds."""
        return cls(
            Pools.of([(r.number, r.one_way) for r in rounds]),
            Pools.of([(r.number, r.round_trip) for r in rounds]),
        )

    @property
    def known(self) -> tuple[Quantity, Pools]:
        """One way where there is such, else the round trip."""
        if self.one_way.latency or not self.round_trip.latency:
            return "one_way", self.one_way
        return "round_trip", self.round_trip


def throughput(rows: Sequence[dict[str, Any]], probes: Probes, seed: int) -> Throughput:
    """Estimates over the counted rounds; `rows` are their rows of the table `cases`."""
    received = _total(rows, "received")
    sent = _total(rows, "sent")

    def estimate(column: str, unit: str, count: int | None) -> Any:
        return over_rounds([row[column] for row in rows], unit, count)

    # What an imported source says was to come may be known where what was sent is not.
    shares = [
        row["lost"] / due
        for row in rows
        if (due := row.get("expected") or row["sent"]) and row["lost"] is not None
    ]
    loss = over_rounds(shares, "1", _total(rows, "expected") if sent is None else sent)
    if loss is not None and loss.low is not None and loss.high is not None:
        limits = {"low": max(0.0, loss.low), "high": min(1.0, loss.high)}
        loss = loss.model_copy(update=limits)
    quantity, known = probes.known
    return Throughput(
        samples_per_s=estimate("samples_per_s", "1/s", received),
        mbit_per_s=estimate("mbit_per_s", "Mbit/s", received),
        written_per_s=estimate("written_per_s", "1/s", sent),
        sent=sent,
        received=received,
        lost=_total(rows, "lost"),
        loss_share=loss,
        duplicated=_total(rows, "duplicated"),
        out_of_order=_total(rows, "out_of_order"),
        foreign=_total(rows, "foreign"),
        corrupted=_total(rows, "corrupted"),
        probe_one_way=distribution(probes.one_way.latency, "one_way", seed),
        probe_round_trip=distribution(probes.round_trip.latency, "round_trip", seed),
        jitter=distribution(known.jitter, JITTER[quantity], seed),
        jitter_share=jitter_share(known.latency, known.jitter),
    )


def _total(rows: Sequence[dict[str, Any]], column: str) -> int | None:
    """Of all rounds; None where one does not know, for the others are not all."""
    known = [int(row[column]) for row in rows if row.get(column) is not None]
    return sum(known) if known and len(known) == len(rows) else None


def series(
    rows: Sequence[dict[str, Any]], probes: Probes, rate: RateSeries | None, thinning: Thinning
) -> CaseSeries:
    """Plots of the case."""
    rates = {row["round"]: row["mbit_per_s"] for row in rows if row["mbit_per_s"] is not None}
    medians = RoundValues(rounds=list(rates), values=list(rates.values()), unit="Mbit/s")
    drawn = distributed(probes.one_way, "one_way", 1.0, thinning)
    return drawn.model_copy(update={"medians": medians if rates else None, "rate": rate})
