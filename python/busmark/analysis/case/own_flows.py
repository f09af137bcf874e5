"""Flows of the scenario's own, each with its rates, its losses and its latency."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import polars as pl

from busmark.analysis.case.latency import ping_round
from busmark.analysis.case.throughput import Described, ProbeRound, probe_round
from busmark.analysis.case.timed_pairs import pairs
from busmark.analysis.case.totals import OwnFlow, kinds, of_flows
from busmark.analysis.case.variation import Timed
from busmark.analysis.figures import FloatArray, Quantity
from busmark.analysis.read.pools import Pool
from busmark.model.flow import Flow
from busmark.model.parameters import Parameters

MOST = 200
"""Flows of a case in the analysed campaign; all are in the table `flows` of the result."""


def own_flows(
    params: Parameters, tables: Sequence[pl.DataFrame],
    rounds: Sequence[tuple[int, pl.DataFrame, bool]], recorded_every: int = 1,
) -> list[OwnFlow]:  # fmt: skip
    """Own flows of the counted rounds.

    Args:
        params: parameters of the case.
        tables: `flows` of each round.
        rounds: number, samples of the scenario's own flows, and whether there was one clock.
        recorded_every: one in this many samples of streams at a rate has a row.
    """
    asked = params.flows[:MOST]
    kind_of = kinds(params)
    sums = of_flows(tables, kind_of, [flow.name for flow in asked])
    found = []
    for flow in asked:
        name = flow.name
        if name not in sums:
            continue
        read = _probes(flow, rounds)
        timed = [each.pairs for each in read if each.pairs is not None]
        own = [table.filter(pl.col("flow") == name) for table in tables]
        found.append(
            OwnFlow(
                name=name, kind=kind_of[name], size=flow.size, total=sums[name],
                pairs=pairs(timed, own, recorded_every), **_latency(flow, rounds, read),
            )
        )  # fmt: skip
    return found


def _own(
    flow: Flow, rounds: Sequence[tuple[int, pl.DataFrame, bool]]
) -> list[tuple[int, pl.DataFrame]]:
    return [(number, table.filter(pl.col("flow") == flow.name)) for number, table, _ in rounds]


def _probes(flow: Flow, rounds: Sequence[tuple[int, pl.DataFrame, bool]]) -> list[ProbeRound]:
    """A stream's, of all rounds: its probes, or all samples of one at a rate."""
    if flow.kind != "stream":
        return []
    # Clocks of two hosts are not put on one axis here.
    return [probe_round(number, table, one_clock=True) for number, table in _own(flow, rounds)]


def _latency(
    flow: Flow, rounds: Sequence[tuple[int, pl.DataFrame, bool]],
    read: Sequence[ProbeRound],
) -> dict[str, Any]:  # fmt: skip
    """Latencies of its pings or probes, or of all samples of a stream at a rate."""
    if flow.kind == "pings":
        back = [ping_round(number, own, one_clock=True) for number, own in _own(flow, rounds)]
        return _told("half_round_trip", [(r.number, r.back, r.lost_start) for r in back])
    if not (flow.probe_every or any(each.pairs is not None for each in read)):
        return dict.fromkeys(("latency", "by_round", "asked", "unanswered"))
    # By several clocks only the round trip is known.
    if not all(one for *_, one in rounds):
        back_again = [(r.number, r.round_trip, _known(r.unanswered)) for r in read]
        return _told("half_round_trip", back_again)
    return _told("one_way", [(r.number, r.one_way, _known(r.lost)) for r in read])


def _known(gone: FloatArray | None) -> FloatArray:
    """Probes of ours are all recorded where they are sent: none is of unknown fate."""
    assert gone is not None
    return gone


def _told(quantity: Quantity, each: Sequence[tuple[int, Timed, FloatArray]]) -> dict[str, Any]:
    pool = Pool.of([timed.latency for _, timed, _ in each])
    latency, by_round = Described.of("latency", quantity, pool, each)
    gone = sum(int(lost.size) for *_, lost in each)
    back = sum(int(timed.latency.size) + timed.negative for _, timed, _ in each)
    return {"latency": latency, "by_round": by_round, "asked": back + gone, "unanswered": gone}
