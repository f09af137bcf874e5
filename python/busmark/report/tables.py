"""The headline tables of a campaign, as text in cells: the same for the page and the terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from busmark.analysis import text
from busmark.analysis.dimensions import placement_text
from busmark.analysis.figures import Figure
from busmark.analysis.model import Campaign, CaseSummary, Group, Throughput
from busmark.report.imported import imported_note, stated_means

FIGURE_SPACE = "\N{FIGURE SPACE}"
POINT_SPACE = "\N{PUNCTUATION SPACE}"

MOST_UPRIGHT = 15
"""Columns of print that fit an upright sheet."""

Kind = Literal["label", "text", "number", "figure"]
"""figure: a value with an interval beside it."""


@dataclass(slots=True)
class Cell:
    """What stands in one place; `sort` is what a reader's sorting goes by, None: last."""

    text: str
    sort: float | str | None = None
    interval: str = ""
    pad: str = ""
    """Spaces that put decimal points below each other."""
    extra: str = ""
    """May be dropped where there is no room."""


@dataclass(slots=True)
class Column:
    """Heading, unit and cells; `detail` columns may be dropped where there is no room."""

    title: str
    unit: str
    kind: Kind
    cells: list[Cell]
    detail: bool = False


@dataclass(slots=True)
class Row:
    """What is told of a row as a whole."""

    case: str
    label: str
    status: str
    is_floor: bool
    ends_size: bool = False
    """The next row is of another size."""


@dataclass(slots=True)
class Table:
    """One group of cases."""

    id: str
    title: str
    note: str
    columns: list[Column]
    rows: list[Row]
    remarks: list[str] = field(default_factory=list)
    """Why a row is not complete."""

    @property
    def wide(self) -> bool:
        """Whether it needs a sheet of paper turned sideways."""
        return sum(2 if c.kind == "figure" else 1 for c in self.columns) > MOST_UPRIGHT


TITLES = {
    "latency": "Round-trip latency", "throughput": "Throughput", "capacity": "Sustained throughput",
}  # fmt: skip


def tables(campaign: Campaign) -> list[Table]:
    """One table per test and placement; unsupported cases are in none."""
    by_id = {case.id: case for case in campaign.cases}
    return [_table(group, by_id, campaign) for group in campaign.groups]


def _table(group: Group, by_id: dict[str, CaseSummary], campaign: Campaign) -> Table:
    cases = _with_floors(group, by_id)
    columns = [Column("Middleware", "", "label", [_label(c, group) for c in cases])]
    columns += _dimensions(cases, "workload")
    columns += MEASURES.get(group.test, _latency)(cases)
    columns += stated_columns(cases)
    if any(case.cpus_used for case in cases):
        columns.append(Column("CPUs busy", "", "number", [_cpus(c) for c in cases], detail=True))
    counted = "Trials" if group.test == "capacity" else "Rounds"
    columns.append(Column(counted, "", "number", [_rounds(c) for c in cases]))
    columns += _dimensions(cases, "choices")
    if campaign.source is not None:
        # Of what a tool does not measure there is no column.
        columns = [c for c in columns if c.kind != "figure" or any(cell.sort for cell in c.cells)]
    for column in columns:
        _align(column)
    next_sizes = [*(case.size for case in cases[1:]), cases[-1].size]
    return Table(
        id=f"{group.test}-{group.placement}".replace(",", "-"),
        title=f"{TITLES.get(group.test, group.test)} {group.title}",
        note=_note(group, cases, campaign),
        columns=columns,
        rows=[
            Row(c.id, c.label, c.status, c.is_floor, ends_size=c.size != following)
            for c, following in zip(cases, next_sizes, strict=True)
        ],
        remarks=[_remark(c, group) for c in cases if c.reason],
    )


def _remark(case: CaseSummary, group: Group) -> str:
    name = _label(case, group).text
    return f"{name}, {text.size_text(case.size)}: {case.status}, {case.reason}."


def _with_floors(group: Group, by_id: dict[str, CaseSummary]) -> list[CaseSummary]:
    """The group's cases; each floor follows the last case of its size."""
    cases = [by_id[c] for c in group.cases]
    floors = [by_id[c] for c in group.floors]
    ordered: list[CaseSummary] = []
    for index, case in enumerate(cases):
        ordered.append(case)
        if index + 1 == len(cases) or cases[index + 1].size != case.size:
            ordered += [f for f in floors if f.size == case.size]
    told = {case.id for case in ordered}
    return ordered + [f for f in floors if f.id not in told]


def _note(group: Group, cases: Sequence[CaseSummary], campaign: Campaign) -> str:
    if campaign.source is not None:
        return imported_note(campaign, cases)
    level = f"{campaign.confidence:.0%}".replace("%", " %")
    if group.test == "throughput":
        known = [c.throughput for c in cases if c.throughput]
        clean = known and all(t.duplicated == t.out_of_order == 0 for t in known)
        return (
            f"Goodput counted at the reader. In brackets: {level} interval of the mean round."
            + (" No sample was duplicated or out of order." if clean else "")
            + _precision(cases)
        )
    if group.test == "capacity":
        return _criterion(campaign)
    arrivals = {c.latency.arrivals for c in cases if c.latency}
    models = [
        {"closed": "closed loop (a ping waits for its pong)",
         "open": "open loop (counted from the intended time of sending)"}[a]
        for a in sorted(arrivals)
    ]  # fmt: skip
    told = f" Arrivals: {text.joined(models)}." if models else ""
    return (
        f"RTT/2 is half of the measured round trip. In brackets: {level} interval.{told}"
        + _precision(cases)
    )


def _criterion(campaign: Campaign) -> str:
    """What had to be met, and how it was found."""
    asked = campaign.criterion
    p99 = f", 99th percentile of the round trip up to {asked['max_p99_us']:g} µs"
    return (
        f"The greatest rate with a loss of at most {asked['max_loss']:.3g}, writers and readers at "
        f"{asked['keeps_up']:.0%} of it or more{p99 if asked['max_p99_us'] else ''}; found by "
        f"trials that may mislead. In brackets: where the limit is, with {asked['confidence']:.0%} "
        "probability. Confirmed: trials at that rate that passed afterwards."
    ).replace("%", " %")


def _precision(cases: Sequence[CaseSummary]) -> str:
    """How far the rounds went, and how far a fixed number of them would have gone."""
    known = [c.precision for c in cases if c.precision]
    if not known:
        return ""
    first, reached = known[0], sum(p.reached for p in known)
    told = (
        f" Rounds were added until the interval of the {first.statistic} was within "
        f"\N{PLUS-MINUS SIGN}{text.percent_text(first.target)}: reached by {reached} of "
        f"{text.plural(len(known), 'case')}, in {text.duration(sum(p.spent_s for p in known))}."
    )
    widths = [w for p in known if (w := p.fixed_relative_half_width) is not None]
    times = [p.fixed_s for p in known if p.fixed_s is not None]
    if not widths:
        return told
    limits = dict.fromkeys(text.percent_text(width) for width in (min(widths), max(widths)))
    range_ = " to ".join(limits)
    return (
        f"{told} A fixed schedule of 20 rounds (latency: of 2,000 samples) would have taken "
        f"{text.duration(sum(times))} for \N{PLUS-MINUS SIGN}{range_}."
    )


def _label(case: CaseSummary, group: Group) -> Cell:
    label = case.label
    if case.placement != group.placement:
        label += f", {placement_text(case.placement)}"
    return Cell(label, label)


def _dimensions(
    cases: Sequence[CaseSummary], attribute: Literal["workload", "choices"]
) -> list[Column]:
    """What varies between the cases; the size is part of the workload."""
    compared = [c for c in cases if not c.is_floor] or list(cases)
    columns = []
    if attribute == "workload":
        sizes = [Cell(text.size_text(c.size), c.size) for c in cases]
        columns.append(Column("Size", "", "number", sizes))
    for name in dict.fromkeys(name for c in compared for name in getattr(c, attribute)):
        values = [getattr(c, attribute).get(name, text.ABSENT) for c in cases]
        if len({v for v, c in zip(values, cases, strict=True) if not c.is_floor}) > 1:
            shown = [Cell(v, None if v == text.ABSENT else v) for v in values]
            columns.append(
                Column(name.capitalize(), "", "text", shown, detail=attribute == "choices")
            )
    return columns


def _latency(cases: Sequence[CaseSummary]) -> list[Column]:
    halves = [c.rtt_2 for c in cases]
    medians = [h.median if h else None for h in halves]
    lost = [
        _count(c.latency.lost, c.latency.sent) if c.latency else Cell(text.ABSENT) for c in cases
    ]
    samples = [Cell(text.count(h.count), h.count) if h else Cell(text.ABSENT) for h in halves]
    return [
        _figures("Median RTT/2", cases, medians),
        _figures("p99 RTT/2", cases, [h.p99 if h else None for h in halves], scale_by=medians),
        _figures(
            "p99.9 RTT/2",
            cases,
            [h.p999 if h else None for h in halves],
            scale_by=medians,
            detail=True,
        ),
        Column("Samples", "", "number", samples),
        Column("Lost", "", "number", lost),
    ]


def _throughput(cases: Sequence[CaseSummary]) -> list[Column]:
    known = [c.throughput for c in cases]

    def counted(title: str, pick: Callable[[Throughput], int | None]) -> Column:
        values = [pick(t) if t else None for t in known]
        cells = [Cell(text.count(v), v) for v in values]
        return Column(title, "", "number", cells, detail=True)

    def figures(pick: Callable[[Throughput], Figure | None]) -> list[Figure | None]:
        return [pick(t) if t else None for t in known]

    probes = [t.probe_one_way if t else None for t in known]
    medians = [p.median if p else None for p in probes]
    tails = [p.p99 if p else None for p in probes]
    faults = [
        counted("Duplicated", lambda t: t.duplicated),
        counted("Out of order", lambda t: t.out_of_order),
    ]
    return [
        _figures("Goodput", cases, figures(lambda t: t.mbit_per_s), text.MBIT),
        _figures("Samples", cases, figures(lambda t: t.samples_per_s), text.RATE),
        _figures("Written", cases, figures(lambda t: t.written_per_s), text.RATE, detail=True),
        Column(
            "Lost", "", "number",
            [_count(t.lost, t.sent) if t else Cell(text.ABSENT) for t in known],
        ),
        *(column for column in faults if any(cell.sort for cell in column.cells)),
        _figures("Median one-way", cases, medians, detail=True),
        _figures("p99 one-way", cases, tails, scale_by=medians, detail=True),
    ]  # fmt: skip


def _capacity(cases: Sequence[CaseSummary]) -> list[Column]:
    found = [c.capacity for c in cases]
    confirmed = [
        Cell(f"{f.confirmed} of {f.confirm}", f.confirmed) if f else Cell(text.ABSENT)
        for f in found
    ]
    limits = [(f.limited_by or text.ABSENT) if f else text.ABSENT for f in found]
    return [
        _figures("Goodput", cases, [f.sustained if f else None for f in found], text.MBIT),
        _figures("Rate of each writer", cases, [f.rate if f else None for f in found], text.RATE),
        Column("Confirmed", "", "number", confirmed),
        Column("Limited by", "", "text", [Cell(limit, limit) for limit in limits]),
    ]


MEASURES = {"latency": _latency, "throughput": _throughput, "capacity": _capacity}
"""Columns by test."""


def _figures(
    title: str,
    cases: Sequence[CaseSummary],
    figures: Sequence[Figure | None],
    scales: Sequence[text.Scale] = text.TIME,
    *,
    scale_by: Sequence[Figure | None] | None = None,
    detail: bool = False,
) -> Column:
    """A column in one unit: that of `scale_by`, by default its own. Floors do not decide it."""
    by = figures if scale_by is None else scale_by
    compared = [f.value for f, c in zip(by, cases, strict=True) if f and not c.is_floor]
    scale = text.scale_for(compared or [f.value for f in by if f], scales)
    places = [text.places_for(f, scale) if f else 0 for f in figures]
    widest = max((p for p, c in zip(places, cases, strict=True) if not c.is_floor), default=9)
    cells = []
    for figure, case, own in zip(figures, cases, places, strict=True):
        if figure and case.is_floor:
            # The floor is far below the rest: it must not widen the column.
            own = max(min(own, widest + 1), text.decimals(figure.value / scale.factor, 1))
        value, limits = text.value_text(figure, scale, own), text.interval_text(figure, scale, own)
        if figure and not limits:
            limits = text.ABSENT
        cells.append(Cell(value, figure.value if figure else None, limits))
    return Column(title, scale.unit, "figure", cells, detail)


def stated_columns(cases: Sequence[CaseSummary]) -> list[Column]:
    """Means that an imported source states where it states no median."""
    return [_figures(title, cases, figures) for title, figures in stated_means(cases).items()]


def _count(number: int | None, total: int | None) -> Cell:
    """A number of samples, with its share of the total unless it is none or unknown."""
    if number is None:
        return Cell(text.ABSENT)
    share = f" ({text.percent_text(number / total)})" if number and total else ""
    return Cell(text.count(number), number, extra=share)


def _cpus(case: CaseSummary) -> Cell:
    if case.cpus_used is None:
        return Cell(text.ABSENT)
    return Cell(text.number(case.cpus_used.value, 2), case.cpus_used.value)


def _rounds(case: CaseSummary) -> Cell:
    counts = case.rounds
    total = counts.ok + counts.marked + counts.failed
    shown = text.count(counts.ok) if counts.ok == total else f"{counts.ok} of {total}"
    if case.precision and not case.precision.reached:
        width = case.precision.relative_half_width
        shown += (
            ", no interval" if width is None else f", \N{PLUS-MINUS SIGN}{text.percent_text(width)}"
        )
    return Cell(shown if total else text.ABSENT, counts.ok if total else None)


def _align(column: Column) -> None:
    """Pad figures so that their decimal points stand below each other."""
    if column.kind != "figure":
        return
    places = [_places(cell.text) for cell in column.cells]
    widest = max(places, default=0)
    for cell, own in zip(column.cells, places, strict=True):
        if cell.text != text.ABSENT and own < widest:
            cell.pad = POINT_SPACE * (own == 0) + FIGURE_SPACE * (widest - own)


def _places(shown: str) -> int:
    return len(shown.partition(".")[2])


def flat_facts(values: dict[str, object], prefix: str = "") -> Iterable[tuple[str, str]]:
    """Nested facts, such as a host profile, as (name, text); what is not known is an em dash."""
    for key, value in values.items():
        name = f"{prefix}{key}".replace("_", " ")
        if isinstance(value, dict) and value:
            yield from flat_facts(value, f"{name} / ")
        else:
            yield _fact(name, value)


def _fact(name: str, value: object) -> tuple[str, str]:
    if value is None or value == {} or value == []:
        return name, text.ABSENT
    if isinstance(value, bool):
        return name, "yes" if value else "no"
    if name.endswith(" bytes") and isinstance(value, int):
        return name.removesuffix(" bytes"), text.size_text(value)
    if isinstance(value, list):
        return name, ", ".join(_fact("", item)[1] for item in value)
    return name, str(value)
