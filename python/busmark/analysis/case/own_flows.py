"""Flows of the scenario's own, each with its rates, its losses and its latency."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from busmark.analysis.case.distribution import distribution
from busmark.analysis.case.latency import ping_round
from busmark.analysis.case.throughput import probe_round
from busmark.analysis.case.totals import OwnFlow, kinds, of_flows
from busmark.analysis.case.variation import Timed
from busmark.analysis.figures import Distribution, FloatArray, halved
from busmark.analysis.read.lost import Sent
from busmark.analysis.read.pools import Pool

MOST = 200
"""Flows of a case in the analysed campaign; all are in the table `flows` of the result."""


def own_flows(
    params: Mapping[str, Any], tables: Sequence[pl.DataFrame],
    rounds: Sequence[tuple[int, pl.DataFrame, bool]],
) -> list[OwnFlow]:  # fmt: skip
    """Own flows of the counted rounds.

    Args:
        params: parameters of the case.
        tables: `flows` of each round.
        rounds: number, samples of the scenario's own flows, and whether there was one clock.
    """
    asked = (params.get("flows") or ())[:MOST]
    kind_of = kinds(params)
    sums = of_flows(tables, kind_of, [flow["name"] for flow in asked])
    found = []
    for flow in asked:
        name = flow["name"]
        if name not in sums:
            continue
        found.append(
            OwnFlow(
                name=name, kind=kind_of[name], size=flow["size"], total=sums[name],
                **_latency(flow, rounds),
            )
        )  # fmt: skip
    return found


def _latency(
    flow: Mapping[str, Any], rounds: Sequence[tuple[int, pl.DataFrame, bool]]
) -> dict[str, Any]:
    """What its pings or probes tell."""
    nothing = {"latency": None, "asked": None, "unanswered": None}
    pings, probes = flow.get("kind") == "pings", bool(flow.get("probe_every"))
    if not (pings or probes):
        return nothing
    of_flow = pl.col("flow") == flow["name"]
    own = [(number, table.filter(of_flow), one) for number, table, one in rounds]
    if pings:
        back = [ping_round(number, table, one_clock=True) for number, table, _ in own]
        return _half([(each.back, each.lost_start) for each in back])
    # Clocks of two hosts are not put on one axis here: what only one tells is the round trip.
    one_clock = all(one for *_, one in own)
    read = [probe_round(number, table, one_clock=True) for number, table, _ in own]
    if not one_clock:
        return _half([(each.round_trip, _known(each.unanswered)) for each in read])
    there = [(each.one_way, _known(each.lost)) for each in read]
    return _told(there, distribution(_pool(there), "one_way", Sent.of(there)))


def _known(gone: FloatArray | None) -> FloatArray:
    """Probes of ours are all recorded where they are sent: none is of unknown fate."""
    assert gone is not None
    return gone


def _half(each: Sequence[tuple[Timed, FloatArray]]) -> dict[str, Any]:
    return _told(each, halved(distribution(_pool(each), "round_trip", Sent.of(each))))


def _pool(each: Sequence[tuple[Timed, FloatArray]]) -> Pool | None:
    return Pool.of([timed.latency for timed, _ in each])


def _told(each: Sequence[tuple[Timed, FloatArray]], latency: Distribution | None) -> dict[str, Any]:
    gone = sum(int(lost.size) for _, lost in each)
    back = sum(int(timed.latency.size) + timed.negative for timed, _ in each)
    return {"latency": latency, "asked": back + gone, "unanswered": gone}
