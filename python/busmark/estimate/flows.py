"""Who wrote and read how much: participants, nodes, ways between them, flows of the scenario's
own.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import polars as pl

from busmark.estimate.distribution import RowsOfLatency
from busmark.estimate.latency import ping_round
from busmark.estimate.samples import Pool, Timed
from busmark.estimate.stream import pairs
from busmark.estimate.throughput import ProbeRound, probe_round
from busmark.model.distribution import is_typical
from busmark.model.figure import Figure, FloatArray, Quantity, over_rounds
from busmark.model.figures import Estimated, estimated
from busmark.model.flow import Flow
from busmark.model.parameters import Parameters
from busmark.model.quantities import parts
from busmark.model.traffic import Way

MOST_TOTALS = 1000
"""Participants and nodes in the analysed campaign; all are in the table `flows` of the result."""


WROTE = ("asked_per_s", "written_per_s", "sent")

OF_COLUMN = {
    "asked_per_s": parts.ASKED_RATE,
    "written_per_s": parts.WRITE_RATE,
    "theoretical_per_s": parts.THEORETICAL_RATE,
    "read_per_s": parts.READ_RATE,
    "sent": parts.SENT,
    "expected": parts.EXPECTED,
    "received": parts.RECEIVED,
    "lost": parts.LOST,
}
"""Quantity of each column of the sums of a part, in the order of the table of estimates."""

READ = ("theoretical_per_s", "read_per_s", "expected", "received", "lost")


def kinds(params: Parameters) -> dict[str, str]:
    """Return the kind of each of the scenario's own flows, by name."""
    return {flow.name: flow.kind for flow in params.flows}


def totals(
    flows: Sequence[pl.DataFrame], participants: Sequence[pl.DataFrame], own: Mapping[str, str]
) -> list[Estimated]:
    """Return what each participant wrote and read in the counted rounds, each node if there are
    any, and the whole. `own` are the kinds of the scenario's own flows."""
    if not flows:
        return []
    rows = complete(pl.concat(flows), own)
    nodes: dict[str, str | None] = {}
    for table in participants:
        nodes |= dict(table.select("participant", "node").iter_rows())
    rows = rows.with_columns(
        pl.col("participant", "reader_participant")
        .replace_strict(nodes, default=None, return_dtype=pl.String)
        .name.suffix("_node")
    )
    found = [*_by("participant", rows, "participant", "reader_participant")]
    if any(nodes.values()):
        found += _by("node", rows, "participant_node", "reader_participant_node")
    of_parts = [*found[:MOST_TOTALS], _total("system", "all", rows, rows)]
    return [row for part in of_parts for row in part]


def of_flows(
    flows: Sequence[pl.DataFrame], own: Mapping[str, str], names: Sequence[str]
) -> dict[str, list[Estimated]]:
    """Return what was written and read of each of these flows that the tables have, by name."""
    rows = complete(pl.concat(flows), own) if flows else pl.DataFrame({"flow": []})
    each = {name: rows.filter(pl.col("flow") == name) for name in names}
    return {name: _total("flow", name, o, o) for name, o in each.items() if o.height}


EXCHANGE = "^(pings|requests)"
"""Beginning of the names of a matrix's flows whose samples are answered."""


def complete(rows: pl.DataFrame, own: Mapping[str, str]) -> pl.DataFrame:
    """Add the rate at which each writer was to write, and the rate at which pings and requests were
    answered."""
    pings = [name for name, kind in own.items() if kind in ("pings", "service")]
    of_matrix = ~pl.col("flow").is_in(list(own)) & pl.col("flow").str.contains(EXCHANGE)
    is_pings = pl.col("flow").is_in(pings) | of_matrix
    answered = pl.col("written_per_s") * pl.col("received") / pl.col("sent")
    return rows.with_columns(
        # A reader with a filter was to get a part of it only.
        asked_per_s=pl.when(pl.col("expected") > 0).then(
            pl.col("theoretical_per_s") * pl.col("sent") / pl.col("expected")
        ),
        read_per_s=pl.when(is_pings & (pl.col("sent") > 0))
        .then(pl.coalesce("read_per_s", answered))
        .otherwise("read_per_s"),
    )


def _by(scope: str, rows: pl.DataFrame, writes: str, reads: str) -> Iterator[list[Estimated]]:
    """Yield the total of each name in either column, in the order in which they come."""
    wrote = rows.partition_by(writes, as_dict=True)
    read = rows.partition_by(reads, as_dict=True)
    for name in dict.fromkeys(key[0] for key in (*wrote, *read) if key[0] is not None):
        yield _total(scope, str(name), wrote.get((name,)), read.get((name,)))


def _total(
    scope: str, name: str, wrote: pl.DataFrame | None, read: pl.DataFrame | None
) -> list[Estimated]:
    """Return all that a part wrote and read, its writers and readers together. A rate is absent
    where a part of it is not known, or not asked for: at full speed and in a closed loop. Pings
    count at whoever answers them, as read when they were answered; those that several answer count
    in the whole and in their flow alone."""
    # What a writer writes counts once, however many read it.
    once = None if wrote is None else wrote.unique(["round", "flow", "writer"], maintain_order=True)
    values: dict[str, Any] = {}
    for table, columns in ((once, WROTE), (read, READ)):
        if table is None:
            continue
        each = _rounds(table, columns)
        for column in columns:
            quantity = OF_COLUMN[column]
            if quantity.statistic == "median":
                values[column] = over_rounds(each[column].to_list(), quantity.unit, each.height)
            elif quantity.is_count:
                values[column] = int(each[column].sum())
            else:
                values[column] = each[column].max()
    found = [(quantity, values.get(column)) for column, quantity in OF_COLUMN.items()]
    return [*estimated(found, scope, name)]


def _rounds(table: pl.DataFrame, columns: Sequence[str]) -> pl.DataFrame:
    """Sum the columns of each round; a sum is null where a part is."""
    sums = (
        pl.when(pl.col(name).null_count() == 0).then(pl.col(name).sum()).alias(name)
        for name in columns
    )
    return table.group_by("round").agg(sums).sort("round")


MOST_WAYS = 1000
"""Ways in the analysed campaign; all are in the table `flows` of the result."""

KEYS = ("flow", "participant", "reader_participant")


def several(params: Parameters) -> bool:
    """Return whether a case has more than one writer and one reader."""
    counts = ("topics", "publishers", "subscribers", "writers", "readers")
    more = any((getattr(params, name) or 1) > 1 for name in counts)
    background = params.stream_hz or params.flows
    return more or bool(background) or params.topology in ("bidirectional", "mesh")


def ways(
    flows: Sequence[pl.DataFrame],
    participants: Sequence[pl.DataFrame],
    kinds: Mapping[str, str] | None = None,
) -> Iterator[Estimated]:
    """Yield the figures of the flows of the counted rounds, in the order of the case; `kinds` are
    the kinds of the scenario's own flows."""
    if not flows:
        return
    rows = complete(pl.concat(flows), kinds or {})
    nodes: dict[str, str | None] = {}
    for table in participants:
        nodes |= dict(table.select("participant", "node").iter_rows())
    groups = rows.group_by(KEYS, maintain_order=True)
    # A mesh has as many as the square of its participants.
    for (flow, sender, receiver), own in itertools.islice(groups, MOST_WAYS):
        each = _rounds_of_way(own)
        way = Way(
            flow=str(flow),
            sender=str(sender),
            sender_node=nodes.get(str(sender)),
            receiver=None if receiver is None else str(receiver),
            receiver_node=nodes.get(str(receiver)),
        )
        found = (
            (parts.WRITERS_THERE, own["writer"].n_unique()),
            (parts.READERS_THERE, own["reader"].drop_nulls().n_unique() or None),
            (parts.THEORETICAL_RATE, _most(each, "theoretical_per_s")),
            (parts.WRITE_RATE, _figure(each, "written_per_s")),
            (parts.READ_RATE, _figure(each, "read_per_s")),
            (parts.SENT, int(each["sent"].sum())),
            (parts.EXPECTED, int(own["expected"].sum())),
            (parts.RECEIVED, int(own["received"].sum())),
            (parts.LOST, int(own["lost"].sum())),
        )
        yield from estimated(found, "flow", way.name, way.nodes)


def _most(each: pl.DataFrame, name: str) -> float | None:
    value = each[name].max()
    return float(value) if isinstance(value, int | float) else None


def _rounds_of_way(own: pl.DataFrame) -> pl.DataFrame:
    """Sum each round. Samples of a writer count once, however many readers they have."""
    wrote = (
        own.unique(["round", "writer"], maintain_order=True)
        .group_by("round")
        .agg(_whole("written_per_s"), pl.col("sent").sum())
    )
    read = own.group_by("round").agg(_whole("read_per_s"), _whole("theoretical_per_s"))
    return wrote.join(read, on="round").sort("round")


def _whole(name: str) -> pl.Expr:
    """Sum the column; the sum is null where a part is."""
    column = pl.col(name)
    return pl.when(column.null_count() == 0).then(column.sum()).alias(name)


def _figure(each: pl.DataFrame, name: str) -> Figure | None:
    return over_rounds(each[name].to_list(), "1/s", each.height)


MOST_FLOWS = 200
"""Flows of a case in the analysed campaign; all are in the table `flows` of the result."""


def own_flows(
    params: Parameters,
    tables: Sequence[pl.DataFrame],
    rounds: Sequence[tuple[int, pl.DataFrame, bool]],
    recorded_every: int = 1,
) -> Iterator[Estimated]:
    """Yield what was written and read of each of the scenario's own flows over the counted rounds,
    and its latency.

    Args:
        params: parameters of the case.
        tables: `flows` of each round.
        rounds: number, samples of the scenario's own flows, and whether there was one clock.
        recorded_every: one in this many samples of streams at a rate has a row.
    """
    asked = params.flows[:MOST_FLOWS]
    sums = of_flows(tables, kinds(params), [flow.name for flow in asked])
    for flow in asked:
        name = flow.name
        if name not in sums:
            continue
        yield from sums[name]
        read = _probes(flow, rounds)
        timed = [each.pairs for each in read if each.pairs is not None]
        own = [table.filter(pl.col("flow") == name) for table in tables]
        yield from pairs(timed, own, recorded_every, name)
        for row in _latency(flow, rounds, read, phased=bool(params.timeline)):
            yield replace(row, scope="flow", of=name)


def _own(
    flow: Flow, rounds: Sequence[tuple[int, pl.DataFrame, bool]]
) -> list[tuple[int, pl.DataFrame]]:
    return [(number, table.filter(pl.col("flow") == flow.name)) for number, table, _ in rounds]


def _probes(flow: Flow, rounds: Sequence[tuple[int, pl.DataFrame, bool]]) -> list[ProbeRound]:
    """Return a stream's probes of all rounds, or all samples of a stream at a rate."""
    if flow.kind != "stream":
        return []
    # Clocks of two hosts are not put on one axis here.
    return [probe_round(number, table, one_clock=True) for number, table in _own(flow, rounds)]


def _latency(
    flow: Flow,
    rounds: Sequence[tuple[int, pl.DataFrame, bool]],
    read: Sequence[ProbeRound],
    *,
    phased: bool,
) -> Iterator[Estimated]:
    """Yield the latency of its pings or probes, or of all samples of a stream at a rate."""
    if flow.kind == "pings":
        back = [ping_round(number, own, one_clock=True) for number, own in _own(flow, rounds)]
        own = [(r.number, r.back, r.lost_start) for r in back]
        yield from _described("half_round_trip", own, phased=phased)
    elif flow.kind == "service":
        back = [ping_round(number, own, one_clock=True) for number, own in _own(flow, rounds)]
        own = [(r.number, r.back, r.lost_start) for r in back]
        yield from _described("response_time", own, phased=phased)
    elif flow.probe_every or any(each.pairs is not None for each in read):
        # By several clocks only the round trip is known.
        if not all(one for *_, one in rounds):
            own = [(r.number, r.round_trip, _known(r.unanswered)) for r in read]
            yield from _described("half_round_trip", own, phased=phased)
        else:
            own = [(r.number, r.one_way, _known(r.lost)) for r in read]
            yield from _described("one_way", own, phased=phased)


def _known(gone: FloatArray | None) -> FloatArray:
    """Return `gone`, which is always known of our probes: all are recorded where they are sent."""
    assert gone is not None
    return gone


def _described(
    quantity: Quantity, each: Sequence[tuple[int, Timed, FloatArray]], *, phased: bool
) -> Iterator[Estimated]:
    """Yield how many samples were to be timed, how many of them were lost, and the latency."""
    gone = sum(int(lost.size) for *_, lost in each)
    back = sum(int(timed.latency.size) + timed.negative for _, timed, _ in each)
    yield from estimated(((parts.ASKED, back + gone), (parts.UNANSWERED, gone)))
    pool = Pool.from_rounds([timed.latency for _, timed, _ in each], phased=phased)
    found = RowsOfLatency.from_rounds(quantity, pool, each)
    yield from found.whole or filter(is_typical, found.by_round)
