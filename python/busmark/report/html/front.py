"""The first screen of the page: middleware by workload, in as many rows and columns as fit there.

Middleware under test comes first, best first; baselines and the floor stand below it as references.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from busmark.analysis.across.dimensions import placement_text
from busmark.analysis.across.standing import Place, Standing
from busmark.analysis.figures import Figure
from busmark.analysis.model import TIMES, Campaign, CaseSummary
from busmark.analysis.words import text
from busmark.analysis.words.naming import described
from busmark.analysis.words.ranking import winner
from busmark.analysis.words.ratios import ratio_text
from busmark.findings.kinds import Flags, by_case, kinds
from busmark.findings.rule import SEVERITIES
from busmark.model.quantities import LOST

MOST_COLUMNS = 6
MOST_ROWS = 8
"""Most rows of middleware; baselines are few."""

HEADINGS = {
    "latency": "Median RTT/2", "throughput": "Goodput", "capacity": "Sustained goodput",
    "discovery": "Time to the first sample", "one_way": "Median one-way latency",
    "matching": "Time until all had matched",
    "recovery": "From the last change to the next sample",
}  # fmt: skip
FLOOR = "Floor (null adapter)"

Role = Literal["middleware", "baseline", "floor"]
Workload = tuple[str, str, int | None, tuple[tuple[str, str], ...]]
"""Test, placement, size and further parameters."""


@dataclass(frozen=True, slots=True)
class Badge:
    """Findings on a cell."""

    count: int
    severity: str
    anchor: str
    """Anchor of the worst."""
    told: str


@dataclass(frozen=True, slots=True)
class Cell:
    """One case."""

    case: str
    value: str
    second: str
    """p99, or what was lost."""
    relation: str
    """To the best: "1.60 [1.52, 1.71] ×", "fastest"."""
    interval: str
    standing: Literal["best", "tie", ""]
    badge: Badge | None


@dataclass(frozen=True, slots=True)
class Row:
    """One label."""

    label: str
    role: Role
    cells: list[Cell | None]


@dataclass(frozen=True, slots=True)
class Column:
    """One workload."""

    heading: str
    unit: str
    size: str
    where: str
    workload: Workload


@dataclass(frozen=True, slots=True)
class Front:
    """What the first screen shows."""

    columns: list[Column]
    rows: list[Row]
    more_columns: int
    more_rows: int
    heading: str
    """What the labels are."""

    @property
    def spans(self) -> list[tuple[str, int]]:
        """Headings over columns of one test, and how many these are."""
        spans: list[tuple[str, int]] = []
        for column in self.columns:
            heading = f"{column.heading}, {column.unit}"
            if spans and spans[-1][0] == heading:
                spans[-1] = (heading, spans[-1][1] + 1)
            else:
                spans.append((heading, 1))
        return spans

    @property
    def has_ratios(self) -> bool:
        """Whether any cell says how far it is from the best."""
        return any(cell and cell.relation for row in self.rows for cell in row.cells)


def front(campaign: Campaign) -> Front | None:
    """None where nothing was measured that has a figure."""
    by_workload = workloads(campaign)
    if not by_workload:
        return None
    shown = representative(list(by_workload))
    rows = _labels(campaign, by_workload, shown)
    middleware = [row for row in rows if row[1] == "middleware"]
    hidden = {label for label, _ in middleware[MOST_ROWS:]}
    kept = [row for row in rows if row[0] not in hidden]
    found = by_case(kinds(campaign.findings))
    standings = {_key(s): s for s in campaign.standings}
    cases = {case.id: case for case in campaign.cases}
    columns, cells = [], []
    for workload in shown:
        members = by_workload[workload]
        scale = _scale(members.values())
        columns.append(_column(workload, _kind(members.values()), scale))
        standing = standings.get(workload)
        cells.append({
            label: _cell(case, standing, cases, scale, found) for label, case in members.items()
        })  # fmt: skip
    return Front(
        columns=columns,
        rows=[Row(label, role, [of.get(label) for of in cells]) for label, role in kept],
        more_columns=len(by_workload) - len(shown),
        more_rows=len(hidden),
        heading=next(c.label_title for c in by_workload[shown[0]].values() if not c.is_floor),
    )


def workloads(campaign: Campaign) -> dict[Workload, dict[str, CaseSummary]]:
    """Cases with a figure by workload and label, in the order of the tables."""
    by_id = {case.id: case for case in campaign.cases}
    found: dict[Workload, dict[str, CaseSummary]] = {}
    for group in campaign.groups:
        for case in map(by_id.__getitem__, group.cases):
            # One of which most is lost has no latency, and must not be missing for that.
            if case.headline is not None or (case.answer == "latency" and case.throughput):
                key = (group.test, group.placement, case.size, tuple(case.workload.items()))
                found.setdefault(key, {}).setdefault(case.label, case)
    found = {
        key: members
        for key, members in found.items()
        if any(case.headline for case in members.values())
    }
    for members in found.values():
        floors = {case.floor.case: None for case in members.values() if case.floor}
        if len(floors) == 1:
            members[FLOOR] = by_id[next(iter(floors))]
    return found


def _key(standing: Standing) -> Workload:
    return (standing.test, standing.placement, standing.size, tuple(standing.workload.items()))


def representative(known: Sequence[Workload], most: int = MOST_COLUMNS) -> list[Workload]:
    """Those that say most, in their order: of each test and placement in turn the smallest size,
    then the largest, then those between."""
    groups: dict[tuple[str, str], list[Workload]] = {}
    for workload in known:
        groups.setdefault(workload[:2], []).append(workload)
    queues = [_ends_first(members) for members in groups.values()]
    chosen: list[Workload] = []
    for place in range(max(map(len, queues))):
        chosen += [queue[place] for queue in queues if place < len(queue)]
    kept = set(chosen[:most])
    return [workload for workload in known if workload in kept]


def _ends_first(members: Sequence[Workload]) -> list[Workload]:
    """First and last, then what halves the rest."""
    if len(members) < 3:
        return list(members)
    middle = len(members) // 2
    first = [members[0], members[-1], members[middle]]
    return [*first, *(each for each in members if each not in first)]


def _labels(
    campaign: Campaign, by_workload: Mapping[Workload, Mapping[str, CaseSummary]],
    shown: Sequence[Workload],
) -> list[tuple[str, Role]]:  # fmt: skip
    """Labels of the columns that are shown: middleware by how far it is from the best on average,
    then baselines, then the floor."""
    distances: dict[str, list[float]] = {}
    roles: dict[str, Role] = {}
    only_baselines = all(c.is_baseline for c in campaign.cases if not c.is_floor)
    for workload in shown:
        members = by_workload[workload]
        best = min(_cost(case) for label, case in members.items() if label != FLOOR)
        for label, case in members.items():
            distances.setdefault(label, []).append(_cost(case) / best)
            is_reference = case.is_baseline and not only_baselines
            roles[label] = (
                "floor" if label == FLOOR else "baseline" if is_reference else "middleware"
            )
    order: tuple[Role, ...] = ("middleware", "baseline", "floor")
    ranked = sorted(
        distances, key=lambda x: (order.index(roles[x]), sum(distances[x]) / len(distances[x]), x)
    )
    return [(label, roles[label]) for label in ranked]


def _cost(case: CaseSummary) -> float:
    """Smaller is better, and above 0."""
    found = case.headline
    if found is None or not found.figure.value:
        return float("inf")
    return found.figure.value if found.is_time else 1 / found.figure.value


def _figure(case: CaseSummary) -> Figure | None:
    return case.headline.figure if case.headline else None


def _scale(cases: Iterable[CaseSummary]) -> text.Scale:
    """One unit for a column; the floor does not decide it."""
    figures = [f for case in cases if not case.is_floor and (f := _figure(case))]
    return text.scale_for([f.value for f in figures], text.SCALES[figures[0].unit])


def _kind(cases: Iterable[CaseSummary]) -> str:
    """What a column is ranked by."""
    return next(case.headline.kind for case in cases if case.headline)


def _column(workload: Workload, kind: str, scale: text.Scale) -> Column:
    _, placement, size, further = workload
    where = ", ".join(filter(None, (placement_text(placement), described(dict(further)))))
    heading = HEADINGS.get(kind, HEADINGS["latency"])
    return Column(heading, scale.unit, text.size_text(size), where, workload)


def _cell(
    case: CaseSummary, standing: Standing | None, cases: Mapping[str, CaseSummary],
    scale: text.Scale, found: Mapping[str, Flags],
) -> Cell:  # fmt: skip
    figure = _figure(case)
    place = standing.place(case.id) if standing else None
    best: Literal["best", "tie", ""] = ""
    if standing and case.id in standing.best and standing.outcome in ("best", "tie"):
        best = "best" if standing.outcome == "best" else "tie"
    return Cell(
        case=case.id,
        value=text.value_text(figure, scale, _places(case, figure, scale)),
        second=_second(case, scale),
        relation=_relation(case, standing, place, cases) if standing and place else "",
        interval=f"{text.interval_text(figure, scale)} {scale.unit}",
        standing=best,
        badge=_badge(found.get(case.id)),
    )


def _places(case: CaseSummary, figure: Figure | None, scale: text.Scale) -> int | None:
    """The floor is far below the rest, and none of its digits matters beside it."""
    return text.decimals(figure.value / scale.factor, 2) if case.is_floor and figure else None


def _second(case: CaseSummary, scale: text.Scale) -> str:
    if case.rtt_2:
        if told := text.lost_text(case, "p99"):
            return f"p99 {told}"
        p99 = case.rtt_2.figure("p99")
        return f"p99 {text.value_text(p99, scale, _places(case, p99, scale))}" if p99 else ""
    # The share that the tables show: of all rounds together.
    lost, due = LOST.pick(case), LOST.of(case) if LOST.of else None
    gone = f"lost {text.percent_text(lost / due)}" if lost is not None and due else ""
    if case.headline and case.headline.tail:
        tail = f"p99 {text.value_text(case.headline.tail, scale)}"
        return f"{tail}, {gone}" if lost and gone else tail
    return gone


def _relation(
    case: CaseSummary, standing: Standing, place: Place, cases: Mapping[str, CaseSummary]
) -> str:
    """How far from the leader, as a multiple of its figure."""
    if case.id == standing.leader:
        highest = "fastest" if standing.figure in TIMES else "highest"
        first = "fastest, " if winner(standing, cases) else ""
        known = {"best": highest, "ahead": "ahead"}
        known |= {each: f"{first}{each}" for each in ("tie", "undecided")}
        return known.get(standing.outcome, "")
    if place.to_leader is None:
        return "not compared" if place.role == "not compared" else ""
    told = ratio_text(place.to_leader.ratio) if place.to_leader.ratio else ""
    among = standing.outcome in ("tie", "undecided") and case.id in standing.best
    return f"{standing.outcome}, {told}" if among else told


def _badge(flags: Flags | None) -> Badge | None:
    """Errors and warnings; notes are in the tables."""
    severe = [f for f in flags.flags if f.severity in SEVERITIES[:2]] if flags else []
    if not severe:
        return None
    told = "; ".join(f"{flag.severity}: {flag.kind.title}" for flag in severe)
    return Badge(len(severe), severe[0].severity, severe[0].kind.anchor, told)
