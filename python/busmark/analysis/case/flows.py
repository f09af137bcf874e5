"""What went from participant to participant, where a case has several."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence

import polars as pl

from busmark.analysis.case.totals import complete
from busmark.analysis.figures import Figure, Frozen, over_rounds
from busmark.model.parameters import Parameters

MOST = 1000
"""Ways in the analysed campaign; all are in the table `flows` of the result."""

KEYS = ("flow", "participant", "reader_participant")


class Way(Frozen):
    """Samples of one flow from one participant to another, all their writers and readers together.
    Those of pings are to all that answer."""

    flow: str
    sender: str
    sender_node: str | None
    receiver: str | None
    """Null for pings that several answer."""
    receiver_node: str | None
    writers: int
    readers: int | None
    theoretical_per_s: float | None
    """Samples to be read, if every writer kept its rate and none were lost."""
    written_per_s: Figure | None
    """By all writers; what one writes goes to each of its readers."""
    read_per_s: Figure | None
    """By all readers; pings at the rate at which they were answered."""
    sent: int
    """This and what follows are sums over the counted rounds."""
    expected: int
    received: int
    lost: int


def several(params: Parameters) -> bool:
    """Whether a case has more than one writer and one reader."""
    counts = ("topics", "publishers", "subscribers", "writers", "readers")
    more = any((getattr(params, name) or 1) > 1 for name in counts)
    beside = params.stream_hz or params.flows
    return more or bool(beside) or params.topology in ("bidirectional", "mesh")


def ways(
    flows: Sequence[pl.DataFrame], participants: Sequence[pl.DataFrame],
    kinds: Mapping[str, str] | None = None,
) -> list[Way]:  # fmt: skip
    """Flows of the counted rounds, in the order of the case; `kinds` are the kinds of the
    scenario's own flows."""
    if not flows:
        return []
    rows = complete(pl.concat(flows), kinds or {})
    nodes: dict[str, str | None] = {}
    for table in participants:
        nodes |= dict(table.select("participant", "node").iter_rows())
    found = []
    groups = rows.group_by(KEYS, maintain_order=True)
    # A mesh has as many as the square of its participants.
    for (flow, sender, receiver), own in itertools.islice(groups, MOST):
        each = _rounds(own)
        found.append(
            Way(
                flow=str(flow),
                sender=str(sender),
                sender_node=nodes.get(str(sender)),
                receiver=None if receiver is None else str(receiver),
                receiver_node=nodes.get(str(receiver)),
                writers=own["writer"].n_unique(),
                readers=own["reader"].drop_nulls().n_unique() or None,
                theoretical_per_s=each["theoretical_per_s"].max(),  # type: ignore[arg-type]
                written_per_s=_figure(each, "written_per_s"),
                read_per_s=_figure(each, "read_per_s"),
                **{name: int(own[name].sum()) for name in ("expected", "received", "lost")},
                sent=int(each["sent"].sum()),
            )
        )
    return found


def _rounds(own: pl.DataFrame) -> pl.DataFrame:
    """Sums of each round. What a writer wrote counts once, however many read it."""
    wrote = (
        own.unique(["round", "writer"], maintain_order=True)
        .group_by("round")
        .agg(_whole("written_per_s"), pl.col("sent").sum())
    )
    read = own.group_by("round").agg(_whole("read_per_s"), _whole("theoretical_per_s"))
    return wrote.join(read, on="round").sort("round")


def _whole(name: str) -> pl.Expr:
    """The sum; null where a part is."""
    column = pl.col(name)
    return pl.when(column.null_count() == 0).then(column.sum()).alias(name)


def _figure(each: pl.DataFrame, name: str) -> Figure | None:
    return over_rounds(each[name].to_list(), "1/s", each.height)
