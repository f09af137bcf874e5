"""A stream of a case: its batches, its pairs of a writer and a reader, and its capacity."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from busmark.model.figure import Figure, Frozen
from busmark.model.figures import Estimated

BATCH = "batch"
"""Scope of rows of one batch."""


class Batch(NamedTuple):
    """One batch as one reader saw it."""

    round: int
    writer: int
    reader: int
    number: int
    duration_ns: int | None
    """Time from the start of the batch to its end; null where the end was lost and nothing else
    shows it."""
    expected: int
    received: int
    samples_per_s: float | None
    acknowledged: bool | None


def batches_of(rows: Iterable[Estimated]) -> list[Batch]:
    """Return the batches that have rows of their own."""
    each: dict[tuple[int, str], dict[str, float | None]] = {}
    for row in rows:
        if row.scope == BATCH and row.round is not None:
            each.setdefault((row.round, row.of or ""), {})[row.quantity] = row.value
    found = []
    for (number, name), own in each.items():
        writer, reader, batch = (int(word) for word in name.split()[1::2])
        took, acknowledged = own.get("batch_time"), own.get("acknowledged")
        found.append(
            Batch(
                number,
                writer,
                reader,
                batch,
                None if took is None else int(took),
                int(own.get("expected") or 0),
                int(own.get("received") or 0),
                own.get("read_rate"),
                None if acknowledged is None else bool(acknowledged),
            )
        )
    return found


PAIR, PAIRS = "pair", "pairs"
"""Scope of rows of one pair of a writer and a reader; quantity of what is known of all pairs."""


class EndpointPair(NamedTuple):
    """One reader's samples of one writer, all counted rounds together."""

    flow: str
    writer: str
    """Participant of the writer; with a number if it has several writers of this flow."""
    reader: str
    expected: int
    lost: int
    median_ns: float | None
    """The one-way latencies' median; null if it falls among the lost, which are later than any."""
    ranked_ns: float | None
    """The percentile by which pairs are ranked; null if it falls among the lost."""


@dataclass(frozen=True, slots=True)
class Pairs:
    """All pairs of a writer and a reader in a stream at a rate, whose readers time every sample: a
    view of their rows."""

    count: int
    recorded_every: int
    """One in this many samples is recorded at each reader."""
    percent: float
    """The percentile by which they are ranked: the highest of 99, 90 and 50 for which each has the
    samples."""
    median_ns: float | None
    """Median of that percentile over the pairs; null if half of them have it among the lost."""
    slowest: EndpointPair
    most_lost: EndpointPair | None
    """The pair with the greatest share lost; null if none lost any."""


def pairs_of(rows: Sequence[Estimated], flow: str | None, others: Collection[str]) -> Pairs | None:
    """Return the pairs of a flow of the scenario's own, or with None of the flows that are none of
    `others`; None where there are less than two."""
    of_all = [row for row in rows if row.quantity == PAIRS and row.of == flow]
    whole = {row.statistic: row for row in of_all}
    if "count" not in whole:
        return None
    each: dict[str, dict[tuple[str, str], Estimated]] = {}
    for row in rows:
        name = (row.of or "").partition(": ")[0]
        if row.scope == PAIR and (name == flow if flow else name not in others):
            each.setdefault(row.of or "", {})[row.quantity, row.statistic] = row
    ranked_by = next(name for name in whole if name not in ("count", "one_in"))
    # The slowest comes first, and the one that lost most last.
    found = [_pair(name, own, ranked_by) for name, own in each.items()]
    return Pairs(
        count=int(whole["count"].value or 0),
        recorded_every=int(whole["one_in"].value or 1),
        percent=50.0 if ranked_by == "median" else float(ranked_by[1:]),
        median_ns=whole[ranked_by].value,
        slowest=found[0],
        most_lost=found[-1] if found[-1].lost else None,
    )


def _pair(name: str, rows: Mapping[tuple[str, str], Estimated], ranked_by: str) -> EndpointPair:
    flow, _, both = name.partition(": ")
    writer, _, reader = both.partition(" → ")
    return EndpointPair(
        flow,
        writer,
        reader,
        int(rows["expected", "count"].value or 0),
        int(rows["lost", "count"].value or 0),
        rows["one_way", "median"].value,
        rows["one_way", ranked_by].value,
    )


class Paced(Frozen):
    """What a case with a rate asks to leave each sending node, and what of it arrives; with several
    readers to all of them together. In a mesh both are of all nodes together."""

    specified_mbit_per_s: float
    carried: Figure


class SearchWords(NamedTuple):
    """Words for what is sent and what a trial of a search falls short in."""

    samples: str
    senders: str
    lost: str
    time: str
    """What its 99th percentile is of."""
    receivers: str


SEARCHED = {
    "capacity": SearchWords("samples", "writers", "lost", "round trip", "readers"),
    "service-capacity": SearchWords(
        "requests", "clients", "unanswered", "response time", "responses"
    ),
}
"""Words by test."""


class Trial(Frozen):
    """One round of a search for the greatest rate."""

    round: int
    rate_hz: float | None
    """Rate of each writer; null: full speed."""
    offered_mbit_per_s: float
    """Offered load, to all readers together."""
    mbit_per_s: float | None
    """Goodput at the readers; null of a service."""
    offered_per_s: float
    """Samples, or requests, that were to be sent in a second, by all writers or clients together.
    """
    answered_per_s: float | None
    """Responses in a second, at all clients together; null of a stream."""
    loss: float | None
    p99_ns: float | None
    """99th percentile of the round trip of probes, or of response times."""
    shortfall: str | None
    """Why it did not sustain its rate; null: it did."""


class CapacitySearch(Frozen):
    """The search for the greatest rate that meets the scenario's criterion."""

    confirmed: int
    confirm: int
    """Trials at that rate that passed, and that were asked for."""
    reached: bool
    limited_by: str | None
    """writers, readers, clients, responses, unanswered, loss or p99: what trials beyond it fell
    short in."""
    trials: list[Trial]
