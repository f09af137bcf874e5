"""Tables in the paper's form: a column for each test, the paper's own figures below."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from busmark.compare.campaign import Campaign
from busmark.documents.table import Table
from busmark.documents.values import PerRound, expected, received
from busmark.documents.xrce_2022 import stated
from busmark.documents.xrce_2022.places import condition, deployment, limit, middleware, route
from busmark.estimate.case import CaseSummary
from busmark.estimate.route import Route, Spread
from busmark.model.figure import Figure
from busmark.model.text import ABSENT, count, number

THERE = "The paper's own"
TITLES = {
    1: "deployment 1 (participant, agent, client)",
    2: "deployment 2 (client, two agents, client)",
    3: "deployment 3 (client, one agent, client)",
}
MS, MBIT = 1e6, 1.0
NOTE_LATENCY = (
    "L is the time from the data packet to the last confirmation, both from the capture; "
    "over UDP with best-effort streams, which confirm nothing, the application's time from T1 to "
    "T4, as in the paper. Min to Var. are of all rounds together, the median is of a typical round "
    "with its 95 % interval. Application: the same samples by the application's clock."
)
NOTE_EQ2 = (
    "Eq. 2 divides the length of a sample on all hops by L: a length by a delay, which says "
    "nothing of how many samples pass in a second. Goodput is what the reader got: bits of bodies "
    "by time."
)
NOTE_LENGTHS = (
    "A packet's length is the sum over all hops, on the wire with headers of the link. Sent and "
    "received are what the application wrote and read, in all counted rounds; followed are samples "
    "that the capture has on the first hop and on the last. First lost: samples that it has on the "
    "first hop alone, before the first of their round that it followed."
)

Cell = Callable[[CaseSummary, Route], str]


def tables(campaign: Campaign) -> list[Table]:
    """Latency, throughput and lengths of each deployment that was captured, then the paper's."""
    found: list[Table] = []
    groups: dict[tuple[str, int], list[tuple[CaseSummary, Route]]] = {}
    for case in campaign.cases:
        where, known = deployment(case), route(case)
        if where and known and condition(case):
            groups.setdefault((middleware(case), where), []).append((case, known))
    for (name, where), own in sorted(groups.items()):
        found += _of(f"{name}: {TITLES[where]}", own)
    for where in sorted({where for _, where in groups}):
        found += _stated(where)
    return found


def _of(group: str, own: Sequence[tuple[CaseSummary, Route]]) -> Iterator[Table]:
    own = sorted(own, key=lambda pair: (_place(pair[0]), limit(pair[0]), pair[0].id))
    columns = ("Criteria", *(_column(case) for case, _ in own))

    def table(title: str, note: str, rows: dict[str, Cell]) -> Table:
        return Table(
            group=group, title=title, columns=columns, note=note,
            rows=tuple((name, *(cell(*pair) for pair in own)) for name, cell in rows.items()),
        )  # fmt: skip

    yield table("Latency", NOTE_LATENCY, {
        **_spread(_latency, MS, "ms"),
        "Median (ms)": lambda _, of: _median(_latency(of), MS),
        "L until": lambda _, of: of.confirmed_by or "application",
        "Data packet to data packet, median (ms)": lambda _, of: _median(of.latency, MS),
        "Application, median (ms)": lambda _, of: _median(of.application, MS),
        "L less application, median (ms)": lambda _, of: _median(of.apart, MS),
    })  # fmt: skip
    yield table("Throughput by Eq. 2", NOTE_EQ2, {
        **_spread(lambda of: of.eq2, MBIT, "Mbps"),
        "Median (Mbps)": lambda _, of: _median(of.eq2, MBIT),
        "Goodput (Mbps)": lambda case, _: _goodput(case),
    })  # fmt: skip
    yield table("Packet lengths", NOTE_LENGTHS, {
        "Avg. (bit)": lambda _, of: number(of.bits.mean) if of.bits else ABSENT,
        "Total (bit)": lambda _, of: (
            count(round(of.bits.mean * of.bits.count)) if of.bits else ABSENT
        ),
        "By hop (bit)": lambda _, of: " + ".join(number(hop.bytes_each * 8) for hop in of.hops),
        "Hops": lambda _, of: " → ".join(hop.protocol.upper() for hop in of.hops),
        "Packets per sample": lambda _, of: number(of.packets_per_sample),
        "Number of Sent": lambda case, _: count(_total(expected(case))),
        "Number of Recv.": lambda case, _: count(_total(received(case))),
        "Followed on all hops": lambda _, of: count(of.arrived),
        "First lost": lambda _, of: count(of.lost_first),
        "Rounds": lambda _, of: count(len(of.rounds)),
    })  # fmt: skip


def _total(rounds: PerRound) -> int | None:
    return round(sum(rounds.values())) if rounds else None


def _place(case: CaseSummary) -> int:
    found = condition(case)
    return stated.CONDITIONS.index(found) if found else len(stated.CONDITIONS)


def _column(case: CaseSummary) -> str:
    told = f"{condition(case)} {limit(case)}p" if limit(case) else str(condition(case))
    beside = case.params.beside
    return f"{told}, alone" if case.params.chosen_flows and not beside else told


def _latency(of: Route) -> Spread | None:
    return of.confirmed or of.application


def _spread(spread: Callable[[Route], Spread | None], divisor: float, unit: str) -> dict[str, Cell]:
    """The paper's five rows."""

    def cell(value: Callable[[Spread], float | None], power: int = 1) -> Cell:
        def text(_case: CaseSummary, of: Route) -> str:
            known = spread(of)
            figure = value(known) if known else None
            return ABSENT if figure is None else f"{figure / divisor**power:.3f}"

        return text

    square = f"({unit}) ²" if unit == "Mbps" else f"{unit} ²"
    return {
        f"Min ({unit})": cell(lambda of: of.least),
        f"Max ({unit})": cell(lambda of: of.greatest),
        f"Avg. ({unit})": cell(lambda of: of.mean),
        f"Std. Dev. ({unit})": cell(lambda of: of.deviation),
        f"Var. ({square})": cell(lambda of: of.variance, 2),
    }


def _median(spread: Spread | None, divisor: float) -> str:
    return ABSENT if spread is None else _figure(spread.median, divisor)


def _figure(of: Figure | None, divisor: float) -> str:
    if of is None:
        return ABSENT
    if of.low is None or of.high is None:
        return f"{of.value / divisor:.3f}"
    return f"{of.value / divisor:.3f} [{of.low / divisor:.3f}, {of.high / divisor:.3f}]"


def _goodput(case: CaseSummary) -> str:
    found = case.throughput.mbit_per_s if case.throughput else None
    return _figure(found, MBIT)


def _stated(where: int) -> Iterator[Table]:
    own = [each for each in stated.STATED if each.deployment == where]
    columns = ("Criteria", *(f"{each.condition} {each.limit}p" for each in own))

    def rows(unit: str, spreads: Sequence[stated.Spread | None]) -> tuple[tuple[str, ...], ...]:
        names = ("Min", "Max", "Avg.", "Std. Dev.")
        square = f"({unit}) ²" if unit == "Mbps" else f"{unit} ²"
        titles = (*(f"{name} ({unit})" for name in names), f"Var. ({square})")
        return tuple(
            (title, *(ABSENT if each is None else f"{each[place]:.3f}" for each in spreads))
            for place, title in enumerate(titles)
        )

    if any(each.latency_ms for each in own):
        yield Table(THERE, f"Latency of {TITLES[where]}", columns,
                    rows("ms", [each.latency_ms for each in own]))  # fmt: skip
    yield Table(THERE, f"Throughput of {TITLES[where]}", columns,
                rows("Mbps", [each.throughput for each in own]))  # fmt: skip
    lengths = {
        "Avg. (bit)": [number(each.lengths.average) for each in own],
        "Total (bit)": [count(each.lengths.total) for each in own],
        "Number of Sent": [count(each.lengths.sent) for each in own],
        "Number of Recv.": [count(each.lengths.received) for each in own],
    }
    yield Table(THERE, f"Packet lengths of {TITLES[where]}", columns,
                tuple((name, *cells) for name, cells in lengths.items()),
                note="" if where != 1 else "Table 6, latencies of deployment 1, is not in the "
                "published text.")  # fmt: skip
