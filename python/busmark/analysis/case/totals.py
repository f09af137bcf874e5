"""What each participant, each node and the whole case was to write and read, and did."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal

import polars as pl

from busmark.analysis.case.by_round import LatencyByRound
from busmark.analysis.case.timed_pairs import Pairs
from busmark.analysis.figures import Distribution, Figure, Frozen, over_rounds
from busmark.model.parameters import Parameters

MOST = 1000
"""Participants and nodes in the analysed campaign; all are in the table `flows` of the result."""

Scope = Literal["participant", "node", "system", "flow"]

WROTE = ("asked_per_s", "written_per_s", "sent")
MEASURED = frozenset({"written_per_s", "read_per_s"})
READ = ("theoretical_per_s", "read_per_s", "expected", "received", "lost")


class Total(Frozen):
    """Everything that one participant, one node, one flow or the whole case wrote and read, all its
    writers and readers together. Null where it has none of these.

    A rate is null, too, where a part of it is not known or not asked for: full speed, a closed
    loop. Pings count at whoever answers them, as read when they were answered; those that several
    answer count in the whole and in their flow alone.
    """

    scope: Scope
    name: str
    asked_per_s: float | None
    """Samples to be written, if every writer kept its rate."""
    written_per_s: Figure | None
    theoretical_per_s: float | None
    """Samples to be read, if besides none were lost."""
    read_per_s: Figure | None
    sent: int | None
    """This and what follows are sums over the counted rounds."""
    expected: int | None
    received: int | None
    lost: int | None


class OwnFlow(Frozen):
    """One flow of the scenario's own. It ran beside what the case measures, whose figures do not
    count it."""

    name: str
    kind: str
    """stream, pings or batches."""
    size: int
    """B, of the body."""
    total: Total
    latency: Distribution | None
    """RTT/2 of pings; one-way latency of all samples of a stream at a rate, or of the probes of
    another, if one clock measures it, else RTT/2 of probes. Null if nothing is timed or answered,
    and if the median falls among the lost."""
    by_round: LatencyByRound | None
    """Its statistics round by round; null if nothing is timed or answered."""
    asked: int | None
    """Pings, probes, or samples to be timed, of the counted rounds; null where there are none."""
    unanswered: int | None
    """Pings never answered; for probes with a one-way latency, never arrived. They are later than
    any that came."""
    pairs: Pairs | None = None
    """Null unless all samples are timed, and for a single writer with a single reader."""

    @property
    def hidden(self) -> bool:
        """Whether the median falls among the lost."""
        return self.latency is None and bool(self.asked) and bool(self.unanswered)


def kinds(params: Parameters) -> dict[str, str]:
    """The kind of each flow of the scenario's own, by name."""
    return {flow.name: flow.kind for flow in params.flows}


def totals(
    flows: Sequence[pl.DataFrame], participants: Sequence[pl.DataFrame], own: Mapping[str, str]
) -> list[Total]:
    """Totals of the counted rounds: participants, nodes if there are any, and the whole. `own` are
    the kinds of the scenario's own flows."""
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
    return [*found[:MOST], _total("system", "all", rows, rows)]


def of_flows(
    flows: Sequence[pl.DataFrame], own: Mapping[str, str], names: Sequence[str]
) -> dict[str, Total]:
    """Totals of each of these flows that the tables have."""
    rows = complete(pl.concat(flows), own) if flows else pl.DataFrame({"flow": []})
    each = {name: rows.filter(pl.col("flow") == name) for name in names}
    return {name: _total("flow", name, o, o) for name, o in each.items() if o.height}


def complete(rows: pl.DataFrame, own: Mapping[str, str]) -> pl.DataFrame:
    """With what each writer was to write, and with the rate at which pings were answered."""
    pings = [name for name, kind in own.items() if kind == "pings"]
    of_matrix = ~pl.col("flow").is_in(list(own)) & pl.col("flow").str.starts_with("pings")
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


def _by(scope: Scope, rows: pl.DataFrame, writes: str, reads: str) -> Iterator[Total]:
    """One for each name in either column, in the order in which they come."""
    wrote = rows.partition_by(writes, as_dict=True)
    read = rows.partition_by(reads, as_dict=True)
    for name in dict.fromkeys(key[0] for key in (*wrote, *read) if key[0] is not None):
        yield _total(scope, str(name), wrote.get((name,)), read.get((name,)))


def _total(
    scope: Scope, name: str, wrote: pl.DataFrame | None, read: pl.DataFrame | None
) -> Total:  # fmt: skip
    # What a writer writes counts once, however many read it.
    once = None if wrote is None else wrote.unique(["round", "flow", "writer"], maintain_order=True)
    values: dict[str, Any] = dict.fromkeys((*WROTE, *READ))
    for table, columns in ((once, WROTE), (read, READ)):
        if table is None:
            continue
        each = _rounds(table, columns)
        for column in columns:
            if column in MEASURED:
                values[column] = over_rounds(each[column].to_list(), "1/s", each.height)
            elif column.endswith("_per_s"):
                values[column] = each[column].max()
            else:
                values[column] = int(each[column].sum())
    return Total(scope=scope, name=name, **values)


def _rounds(table: pl.DataFrame, columns: Sequence[str]) -> pl.DataFrame:
    """Sums of each round; null where a part is."""
    sums = (
        pl.when(pl.col(name).null_count() == 0).then(pl.col(name).sum()).alias(name)
        for name in columns
    )
    return table.group_by("round").agg(sums).sort("round")
