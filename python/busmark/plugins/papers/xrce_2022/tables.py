"""Tables in the paper's form: a column for each test, the paper's own figures below."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol, TypeVar

from busmark.compare.campaign import Campaign
from busmark.model.case import CaseSummary
from busmark.model.figure import Figure
from busmark.model.quantities import GOODPUT
from busmark.model.text import count, number
from busmark.plugins.capture.route import Route, Spread
from busmark.plugins.papers.document import Columns, Content, GroupedTable, cell, fixed, grouped
from busmark.plugins.papers.select import PerRound, expected, received
from busmark.plugins.papers.xrce_2022 import published
from busmark.plugins.papers.xrce_2022.statements import (
    condition,
    deployment,
    limit,
    middleware,
    route,
)
from busmark.present.document import Cell

THERE = "The paper's own"
TITLES = {
    1: "deployment 1 (participant, agent, client)",
    2: "deployment 2 (client, two agents, client)",
    3: "deployment 3 (client, one agent, client)",
}
NS_IN_MS = 1e6
NOTE_LATENCY = (
    "L is the time from the data packet to the last confirmation, both from the capture; "
    "over UDP with best-effort streams, which confirm nothing, the application's time from T1 to "
    "T4, as in the paper. Min to Var. are of all rounds together, the median is of a typical round "
    "with its 95 % interval. Application: the same samples by the application's clock."
)
NOTE_EQ2 = (
    "Eq. 2 divides the length of a sample on all hops by L, which says nothing of how many samples "
    "pass in a second. Goodput is what the reader got: bits of bodies "
    "by time."
)
NOTE_LENGTHS = (
    "A packet's length is the sum over all hops, on the wire with headers of the link. Sent and "
    "received are what the application wrote and read, in all counted rounds; followed are samples "
    "that the capture has on the first hop and on the last. First lost: samples that it has on the "
    "first hop alone, before the first of their round that it followed."
)


class RoutedCase(NamedTuple):
    """A case with the route of its samples."""

    case: CaseSummary
    route: Route

    @property
    def name(self) -> str:
        """Heading of its column."""
        packets = limit(self.case)
        name = f"{condition(self.case)} {packets}p" if packets else str(condition(self.case))
        alone = self.case.params.chosen_flows and not self.case.params.background
        return f"{name}, alone" if alone else name

    @property
    def latency(self) -> Spread | None:
        """L; for conditions without a confirmation the application's time."""
        return self.route.confirmed or self.route.application

    def place(self) -> tuple[int, int, str]:
        """Return what columns are ordered by."""
        found = condition(self.case)
        order = published.CONDITIONS.index(found) if found else len(published.CONDITIONS)
        return order, limit(self.case), self.case.id


class NamedColumn(Protocol):
    """An object with a column."""

    @property
    def name(self) -> str:
        """Heading of its column."""


T = TypeVar("T", bound=NamedColumn)


def spread_rows(
    unit: str, spread: Callable[[T], Spread | published.Spread | None], divisor: float = 1.0
) -> Columns[T]:
    """Return the paper's five rows."""

    def row(figure: str, power: int = 1) -> Callable[[T], Content]:
        def value(test: T) -> Content:
            known: float | None = getattr(spread(test), figure, None)
            return fixed(None if known is None else known / divisor**power, 3)

        return value

    square = f"({unit}) ²" if unit == "Mbps" else f"{unit} ²"
    return {
        f"Min ({unit})": row("least"),
        f"Max ({unit})": row("greatest"),
        f"Avg. ({unit})": row("mean"),
        f"Std. Dev. ({unit})": row("deviation"),
        f"Var. ({square})": row("variance", 2),
    }


def _median(spread: Spread | None, divisor: float = NS_IN_MS) -> Content:
    return _interval(spread.median, divisor) if spread else None


def _interval(of: Figure | None, divisor: float = 1.0) -> Content:
    if of is None or of.low is None or of.high is None:
        return fixed(of.value / divisor if of else None, 3)
    return f"{of.value / divisor:.3f} [{of.low / divisor:.3f}, {of.high / divisor:.3f}]"


def _total(rounds: PerRound) -> int | None:
    return round(sum(rounds.values())) if rounds else None


MEASURED: tuple[tuple[str, Columns[RoutedCase], str], ...] = (
    ("Latency", {
        **spread_rows("ms", lambda of: of.latency, NS_IN_MS),
        "Median (ms)": lambda of: _median(of.latency),
        "L until": lambda of: of.route.confirmed_by or "application",
        "Data packet to data packet, median (ms)": lambda of: _median(of.route.latency),
        "Application, median (ms)": lambda of: _median(of.route.application),
        "L less application, median (ms)": lambda of: _median(of.route.apart),
    }, NOTE_LATENCY),
    ("Throughput by Eq. 2", {
        **spread_rows("Mbps", lambda of: of.route.eq2),
        "Median (Mbps)": lambda of: _median(of.route.eq2, 1.0),
        "Goodput (Mbps)": lambda of: _interval(GOODPUT.figure(of.case)),
    }, NOTE_EQ2),
    ("Packet lengths", {
        "Avg. (bit)": lambda of: of.route.bits.mean if of.route.bits else None,
        "Total (bit)": lambda of: (
            round(of.route.bits.mean * of.route.bits.count) if of.route.bits else None
        ),
        "By hop (bit)": lambda of: " + ".join(
            number(hop.bytes_each * 8) for hop in of.route.hops
        ),
        "Hops": lambda of: " → ".join(hop.protocol.upper() for hop in of.route.hops),
        "Packets per sample": lambda of: of.route.packets_per_sample,
        "Number of Sent": lambda of: _total(expected(of.case)),
        "Number of Recv.": lambda of: _total(received(of.case)),
        "Followed on all hops": lambda of: of.route.arrived,
        "First lost": lambda of: of.route.lost_first,
        "Rounds": lambda of: len(of.route.rounds),
    }, NOTE_LENGTHS),
)  # fmt: skip
"""Title, rows and note of the tables of each deployment that was captured."""

PRINTED: tuple[tuple[str, Columns[published.Test], str], ...] = (
    ("Latency", spread_rows("ms", lambda test: test.latency_ms), ""),
    ("Throughput", spread_rows("Mbps", lambda test: test.throughput), ""),
    ("Packet lengths", {
        "Avg. (bit)": lambda test: test.lengths.average,
        "Total (bit)": lambda test: test.lengths.total,
        "Number of Sent": lambda test: test.lengths.sent,
        "Number of Recv.": lambda test: test.lengths.received,
    }, "Table 6, latencies of deployment 1, is not in the published text."),
)  # fmt: skip
"""Tables of the paper itself; the note is of deployment 1, which has no table of latency."""


def tables(campaign: Campaign) -> list[GroupedTable]:
    """Return latency, throughput and lengths of each deployment that was captured, then the
    paper's."""
    groups: dict[tuple[str, int], list[RoutedCase]] = {}
    for case in campaign.cases:
        where, known = deployment(case), route(case)
        if where and known and condition(case):
            groups.setdefault((middleware(case), where), []).append(RoutedCase(case, known))
    found = [
        transposed(f"{name}: {TITLES[where]}", title, rows, sorted(own, key=RoutedCase.place), note)
        for (name, where), own in sorted(groups.items())
        for title, rows, note in MEASURED
    ]
    return found + [
        each for where in sorted({where for _, where in groups}) for each in printed(where)
    ]


def printed(where: int) -> list[GroupedTable]:
    """Return the paper's own tables of a deployment."""
    tests = [each for each in published.PUBLISHED if each.deployment == where]
    return [
        transposed(THERE, f"{title} of {TITLES[where]}", rows, tests, note if where == 1 else "")
        for title, rows, note in PRINTED
        if where != 1 or title != "Latency"
    ]


def transposed(
    group: str, title: str, rows: Columns[T], own: Sequence[T], note: str
) -> GroupedTable:
    """Return a table in the paper's form: a column for each test."""
    columns = [("Criteria", [Cell(text=name) for name in rows])]
    columns += [(each.name, [_cell(value(each)) for value in rows.values()]) for each in own]
    return grouped(group, title, columns, note)


def _cell(content: Content) -> Cell:
    """Return it as text: a column has figures of every kind below each other."""
    if isinstance(content, int):
        return Cell(text=count(content))
    return Cell(text=number(content)) if isinstance(content, float) else cell(content)
