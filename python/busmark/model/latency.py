"""The segments of a ping's way, and what the source of an imported result reports of latencies."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from pydantic import Field

from busmark.model.distribution import CLOCK_BOUND, BestShare, best_shares
from busmark.model.figure import Bounds, Figure, Frozen
from busmark.model.figures import Estimated
from busmark.model.quantities.service import PARTS

SEGMENT, ONE_IN = "segment", "one_in"
"""Quantity and scope of rows of segments; statistic: one in how many pings is included."""

STAMPS = (
    ("send source", "T1→T2 at the pinger: the call of write", "written_ns", "sent_ns"),
    ("send", "T2→T3: from write's return to the announcement at the responder",
     "echo_delivered_ns", "written_ns"),
    ("send arrival", "T3→T4 at the responder: from the announcement to its hands",
     "echo_read_ns", "echo_delivered_ns"),
    ("turn-round", "T4→T1 at the responder: from its hands to just before the pong's write",
     "echo_sent_ns", "echo_read_ns"),
    ("echo source", "T1→T2 of the pong at the responder: the call of write",
     "echo_written_ns", "echo_sent_ns"),
    ("echo", "T1→T3 of the pong: from just before its write to the announcement at the pinger; "
     "the echo source, T1→T2, is not recorded and is contained in it",
     "delivered_ns", "echo_sent_ns"),
    ("echo arrival", "T3→T4 at the pinger: from the announcement to its hands",
     "read_ns", "delivered_ns"),
    ("trip", "T1→T4: from just before the ping's write to the pong in the pinger's hands",
     "read_ns", "sent_ns"),
)  # fmt: skip
"""Name, meaning, later and earlier stamp."""

ECHO, ECHO_SOURCE = "echo", "echo source"
"""The latter is recorded where `measure.echo_source` asks for it; the former then begins at its
end, as send does at the pinger."""

ECHO_ALONE = "T2→T3: from the return of the pong's write to the announcement at the pinger"

INTER_ARRIVAL = "inter-arrival"

MEANINGS = {name: meaning for name, meaning, *_ in STAMPS} | {
    INTER_ARRIVAL: "T4→T4 at the pinger: from a pong in its hands to the next"
}
"""Meanings of segments by name, in the order of the tables."""

SEGMENTS = (
    ("write", "T1→T2 at the pinger: the call of write", "written_ns", "sent_ns"),
    ("transport", "T2→T3: from write's return to the announcement at the responder",
     "echo_delivered_ns", "written_ns"),
    ("read", "T3→T4: from the announcement to the responder's hands",
     "echo_read_ns", "echo_delivered_ns"),
    ("turn-round", "from the responder's hands to the sending of the pong",
     "echo_sent_ns", "echo_read_ns"),
)  # fmt: skip
"""Name, meaning, later and earlier stamp of the parts of a ping's way."""

MEANINGS_OF_WAYS = {
    "there": "from just before write to the responder's hands",
    "back": "from the pong's sending to the pinger's hands",
    **{name: meaning for name, meaning, *_ in (*SEGMENTS, *PARTS)},
}
"""Meanings of segments that have a median, in the order of tables."""


@dataclass(frozen=True, slots=True)
class Segment:
    """A part of a sample's way; negative when the later stamp was taken first."""

    name: str
    meaning: str
    median: Figure
    """Its median; of one that is not known, the greatest that it can be."""
    unknown: str | None
    """Why no number can be given; None where one can."""
    bound_ns: float = 0.0
    """How far it may be off, either way, because the stamps are by clocks of two hosts; its
    interval includes this."""


@dataclass(frozen=True, slots=True)
class SegmentTable:
    """A part of a ping's way; negative where the later stamp was taken first."""

    name: str
    meaning: str
    every: int
    """One in this many pings is included; 1: all pings that came back."""
    best: list[BestShare]
    """The smallest 100, 99.9, 99 and 90 % of all rounds together."""


def segments(rows: Iterable[Estimated]) -> list[Segment]:
    """Return the segments that have a median, by their rows."""
    own: dict[str, dict[str, Estimated]] = {}
    for each in rows:
        if each.scope == SEGMENT and each.over == "rounds" and each.of:
            own.setdefault(each.of, {})[each.statistic] = each
    return [
        Segment(
            name,
            meaning,
            median,
            row.reason,
            (own[name][CLOCK_BOUND].value or 0.0) if CLOCK_BOUND in own[name] else 0.0,
        )
        for name, meaning in MEANINGS_OF_WAYS.items()
        if name in own and (row := own[name].get("median")) and (median := row.figure)
    ]


def segment_tables(rows: Iterable[Estimated]) -> list[SegmentTable]:
    """Return the segments with their best shares, as far as stamps are by one clock."""
    own: dict[str, list[Estimated]] = {}
    for row in rows:
        if row.scope == SEGMENT and row.over != "rounds" and row.of:
            own.setdefault(row.of, []).append(row)
    meanings = MEANINGS | ({ECHO: ECHO_ALONE} if ECHO_SOURCE in own else {})
    return [
        SegmentTable(
            name,
            meaning,
            next((int(row.value or 1) for row in own[name] if row.statistic == ONE_IN), 1),
            best_shares(own[name]),
        )
        for name, meaning in meanings.items()
        if name in own
    ]


class ReportedFigure(Frozen):
    """One figure that the source states, in nanoseconds."""

    statistic: str
    """mean, std, min, max, mad or percentile."""
    percent: float | None
    figure: Figure
    within: Bounds | None = None
    """Limits of a percentile combined from parts: the whole run's lies between them."""


class Reported(Frozen):
    """All figures that the source of an imported result states of one quantity of a case."""

    quantity: str
    """Name of the quantity in the table `summaries`."""
    tool: str
    parts: int
    """Parts of runs that had figures of their own; 0: they are of whole runs."""
    figures: list[ReportedFigure] = Field(default=[])

    def figure(self, statistic: str, percent: float | None = None) -> Figure | None:
        """Return the figure of this statistic and percentile; None where there is none."""
        for known in self.figures:
            if (known.statistic, known.percent) == (statistic, percent):
                return known.figure
        return None
