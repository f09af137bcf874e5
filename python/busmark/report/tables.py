"""The headline tables of a campaign, as text in cells: the same for the page and the terminal."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from busmark.analysis.case.background import loads_text, shares_text
from busmark.analysis.case.timed_pairs import Pairs
from busmark.analysis.figures import Figure
from busmark.analysis.model import Campaign, CaseSummary, Group
from busmark.analysis.words import text
from busmark.analysis.words.naming import described
from busmark.findings.kinds import Flag, Flags, by_case, kinds
from busmark.findings.kinds import Kind as Finding
from busmark.model.entry import Described, Estimate, Heading, Number
from busmark.model.quantities import OF_CASES
from busmark.model.quantities.latency import PINGS, PROBES
from busmark.model.statistics import REPORTED
from busmark.report import same_in_all
from busmark.report.imported import imported_note, stated_means

FIGURE_SPACE = "\N{FIGURE SPACE}"
POINT_SPACE = "\N{PUNCTUATION SPACE}"

BATCHED = (
    " For a stream in batches, goodput is measured within batches, each from start to end: "
    "pauses and time-outs between them do not count."
)

TAIL = 50.0
"""Percentiles above this are called the tail."""

UPRIGHT = 500
"""Points between the margins of an upright sheet of A4, and a little less."""

LETTER, PADDING, BADGE = 4.4, 8.0, 14.0
"""Points of print that a letter, the edges of a cell and the mark of a finding take."""

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
    flags: tuple[Flag, ...] = ()
    """Findings that concern it."""


@dataclass(slots=True)
class Column:
    """Heading, unit and cells; `detail` columns may be dropped where there is no room."""

    title: str
    unit: str
    kind: Kind
    cells: list[Cell]
    detail: bool = False
    of: tuple[str, ...] = ()
    """Its figure, by the names that rules of findings have for it."""
    tells_rows: bool = False
    """Whether it says what a row is, rather than what was measured."""


@dataclass(slots=True)
class Row:
    """Remarks on a row as a whole."""

    case: str
    label: str
    status: str
    is_floor: bool
    ends_size: bool = False
    """The next row is of another size."""
    flags: tuple[Flag, ...] = ()
    """Findings that concern the case, whether its cells have them or not."""


@dataclass(slots=True)
class Table:
    """One group of cases."""

    id: str
    title: str
    note: str
    columns: list[Column]
    rows: list[Row]
    same: str = ""
    """What is the same in all rows, in a sentence or two."""
    remarks: list[str] = field(default_factory=list)
    """Why a row is not complete."""

    @property
    def flagged(self) -> list[Finding]:
        """Findings that concern any of its rows, in the order of their letters."""
        found = {flag.kind.letter: flag.kind for row in self.rows for flag in row.flags}
        return sorted(found.values(), key=lambda kind: (len(kind.letter), kind.letter))

    @property
    def wide(self) -> bool:
        """Whether it needs a sheet of paper turned sideways."""
        return sum(map(_points, self.columns)) > UPRIGHT


def _points(column: Column) -> float:
    """Width in print: numbers are not broken, other texts between words."""
    words = [word for cell in column.cells for word in cell.text.split(" ")]
    if column.kind in ("number", "figure"):
        words = [cell.text + cell.pad + cell.extra for cell in column.cells]
    longest = max(map(len, [*column.title.split(), *words]), default=0)
    intervals = max((len(cell.interval) for cell in column.cells), default=0)
    badges = max((len(cell.flags) for cell in column.cells), default=0)
    cells = 2 if column.kind == "figure" else 1
    return LETTER * (longest + intervals) + BADGE * badges + PADDING * cells


TITLES = {
    "latency": "Round-trip latency", "throughput": "Throughput", "capacity": "Sustained throughput",
    "discovery": "Discovery",
}  # fmt: skip


def tables(campaign: Campaign) -> list[Table]:
    """One table per test and placement; unsupported cases are in none."""
    by_id = {case.id: case for case in campaign.cases}
    found = by_case(kinds(campaign.findings))
    made = [_table(group, by_id, campaign) for group in campaign.groups]
    for table in made:
        _flag(table, found)
    return made


def _flag(table: Table, found: Mapping[str, Flags]) -> None:
    """Puts findings on the cells of the figures in question; on a row's first where it has none of
    them."""
    for index, row in enumerate(table.rows):
        if row.case not in found:
            continue
        row.flags = found[row.case].flags
        for flag in row.flags:
            for column in _concerned(table, flag) or table.columns[:1]:
                column.cells[index].flags += (flag,)


def _concerned(table: Table, flag: Flag) -> list[Column]:
    """Columns of the figures in question; of a group of figures the first, so that the badges of
    one finding do not widen every column."""
    named = [c for c in table.columns if c.of and c.of[0] in flag.concerns]
    groups = [c for c in table.columns if c not in named and set(c.of) & set(flag.concerns)]
    return named or groups[:1]


def _table(group: Group, by_id: dict[str, CaseSummary], campaign: Campaign) -> Table:
    cases = _with_floors(group, by_id)
    columns = [Column(label_title(cases), "", "label", [Cell(c.label, c.label) for c in cases])]
    columns += _dimensions(cases, "workload")
    choices = _dimensions(cases, "choices")
    columns += [column for column in choices if not column.detail]
    test = group.test if group.test in TITLES else "latency"
    columns += _measured(test, cases)
    columns += stated_columns(cases)
    if any(load.rounds for case in cases for load in case.loads):
        # Two levels are long: they may be broken.
        kind: Kind = "text" if any(len(case.loads) > 1 for case in cases) else "number"
        shown = [_load(c) for c in cases]
        columns.append(Column("Load achieved", "", kind, shown, of=("load",)))
    columns += [c for one in OF_CASES if (c := _of_cases(one, test, cases, last=True))]
    counted = "Trials" if group.test == "capacity" else "Rounds"
    columns.append(Column(counted, "", "number", [_rounds(c) for c in cases], of=("rounds",)))
    columns += [column for column in choices if column.detail]
    if campaign.source is not None:
        # What a tool does not measure has no column.
        columns = [
            c for c in columns if c.kind != "figure" or any(x.sort is not None for x in c.cells)
        ]
    of_all = {column.title: told for column in columns if (told := _in_words(column))}
    columns = [column for column in columns if column.title not in of_all]
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
        remarks=[_remark(c) for c in cases if c.reason],
        same=same_in_all.above(cases, [*of_all.values()], group.placement),
    )


def label_title(cases: Sequence[CaseSummary]) -> str:
    """The heading of a column of labels: what they are."""
    titles = [case.label_title for case in cases if not case.is_floor]
    return max(titles, key=len, default="Middleware")


def _in_words(column: Column) -> str:
    """What all cells of the column say, where that needs no column."""
    if column.kind != "number":
        return ""
    shown = [cell.text for cell in column.cells]
    return same_in_all.counted(column.title, shown, column.cells[0].sort)


def _remark(case: CaseSummary) -> str:
    further = described(case.workload)
    which = ", ".join(filter(None, (case.label, text.size_text(case.size), further)))
    return f"{which}: {case.status}, {case.reason}."


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
        return imported_note(campaign, cases) + probes_note(cases)
    level = f"{campaign.confidence:.0%}".replace("%", " %")
    if group.test == "throughput":
        known = [c.throughput for c in cases if c.throughput]
        clean = known and all(t.duplicated == t.out_of_order == 0 for t in known)
        return (
            f"Goodput counted at the reader. In brackets: {level} interval of a typical round (the "
            "median over rounds)."
            + (BATCHED if any(t.batches for t in known) else "")
            + (" No sample was duplicated or out of order." if clean else "")
            + probes_note(cases)
            + pairs_note(cases)
            + beside_note(cases)
            + phases_note(cases)
            + _precision(cases)
        )
    if group.test == "capacity":
        return _criterion(campaign) + beside_note(cases) + phases_note(cases)
    if group.test == "discovery":
        return (
            "Times are from just before the first call that creates something; a column “− "
            "creation” counts from the return of the last, and what is below 0 came before. A "
            "typical round: the median over rounds of the median of its repetitions. In brackets: "
            f"{level} interval. Lost before: samples per repetition that were sent after creation, "
            "before the first received one, and did not arrive." + _precision(cases)
        )
    arrivals = {c.latency.arrivals for c in cases if c.latency}
    models = [
        {"closed": "closed loop (a ping waits for its pong)",
         "open": "open loop (counted from the intended time of sending)"}[a]
        for a in sorted(arrivals)
    ]  # fmt: skip
    told = f" Arrivals: {text.joined(models)}." if models else ""
    return (
        "RTT/2 is half of the measured round trip; median and percentiles describe a typical "
        f"round (the median over rounds). In brackets: {level} interval.{_losses(cases)}{told}"
        + beside_note(cases)
        + phases_note(cases)
        + _precision(cases)
    )


def _losses(cases: Sequence[CaseSummary]) -> str:
    """How lost pings count, where there are some."""
    if not any(case.latency and case.latency.lost for case in cases):
        return ""
    return " A lost ping counts as later than any that came back."


def beside_note(cases: Sequence[CaseSummary]) -> str:
    """What of the scenario's own ran beside these cases, and what of it was lost."""
    running = [case for case in cases if case.params.beside]
    told = ""
    ran = {str(case.params.beside) for case in running}
    if len(ran) == 1 and len(running) == len(cases):
        told += f" Beside it ran {ran.pop()}."
    sizes = len({case.size for case in running}) > 1
    lost, whole = [], 0
    for case in running:
        if case.beside_expected is None:
            continue
        if not case.beside_lost:
            whole += case.beside_expected
            continue
        size = text.size_text(case.size) if sizes else ""
        which = ", ".join(filter(None, (case.label, size, described(case.workload))))
        share = f"{text.count(case.beside_lost)} of {text.count(case.beside_expected)}"
        lost.append(f"{which} {share}")
    if lost and whole:
        lost.append(f"none of {text.count(whole)} otherwise")
    if lost:
        return f"{told} Lost of these samples: {'; '.join(lost)}."
    return told + (f" None of these {text.count(whole)} samples was lost." if whole else "")


def phases_note(cases: Sequence[CaseSummary]) -> str:
    """That figures are over several phases, where some are."""
    known = [str(case.params.timeline) for case in cases if case.params.timeline]
    if not known:
        return ""
    told = text.joined([*dict.fromkeys(known)])
    return (
        f" In the middle of every round something changes ({told}): the figures are over all "
        "phases together. The details of a case, `busmark show DIRECTORY#CASE`, have each phase."
    )


def probes_note(cases: Sequence[CaseSummary]) -> str:
    """How the latency of a stream takes lost samples, where it has a latency and some were lost."""
    streams = [(case, case.throughput) for case in cases if case.throughput]
    told = ""
    if any(stream.probes_lost for _, stream in streams):
        told += " A lost sample counts as later than any that arrived."
    unknown = [
        case.label
        for case, stream in streams
        if stream.probe_one_way and stream.probe_one_way.lost_share is None
    ]
    if unknown:
        told += (
            f" One-way latencies are of what arrived alone with {text.joined(unknown)}: samples "
            "were lost, and it is not known whether such were among them."
        )
    return told


MOST_PAIRS = 4
"""Cases whose worst pairs a note names."""


def pairs_note(cases: Sequence[CaseSummary]) -> str:
    """Which pair of writer and reader is the slowest in a stream at a rate, and which lost most."""
    known = [(case, case.throughput.pairs) for case in cases
             if case.throughput and case.throughput.pairs]  # fmt: skip
    told = ""
    for case, pairs in known[:MOST_PAIRS]:
        sizes = text.size_text(case.size) if len({case.size for case in cases}) > 1 else ""
        parts = (case.label, sizes, described(case.workload))
        which = f" with {', '.join(filter(None, parts))}" if len(cases) > 1 else ""
        slow, name = pairs.slowest, ranked_by(pairs)
        middle = text.time_text(pairs.median_ns)
        told += (
            f" Slowest of {text.count(pairs.count)} pairs of writer and reader{which}: "
            f"{slow.writer} → {slow.reader}, {name} one-way "
            + (text.time_text(slow.ranked_ns) if slow.ranked_ns is not None else "among the lost")
            + (f" (median pair: {middle})." if pairs.median_ns is not None else ".")
        )
        if lossy := pairs.most_lost:
            told += (
                f" Most lost: {lossy.writer} → {lossy.reader}, {text.count(lossy.lost)} of "
                f"{text.count(lossy.expected)} ({text.percent_text(lossy.lost / lossy.expected)})."
            )
        if pairs.recorded_every > 1:
            told += f" One sample in {text.count(pairs.recorded_every)}, at random, is recorded."
    if len(known) > MOST_PAIRS:
        told += " The details of the other cases, `busmark show DIRECTORY#CASE`, name theirs."
    return told


def ranked_by(pairs: Pairs) -> str:
    """The statistic by which pairs are ranked."""
    return "median" if pairs.percent == 50.0 else f"p{pairs.percent:g}"


def _criterion(campaign: Campaign) -> str:
    """What had to be met, and how it was found."""
    asked = campaign.criterion
    if not asked:
        return "What a rate had to meet is not known: it is missing in the manifest."
    p99 = f", 99th percentile of the round trip up to {text.number(asked['max_p99_us'])} µs"
    loss = text.percent_text(asked["max_loss"])
    keeps_up, confidence = (round(100 * asked[name]) for name in ("keeps_up", "confidence"))
    return (
        f"The greatest rate with a loss of at most {loss}, writers and readers at {keeps_up} % of "
        f"it or more{p99 if asked['max_p99_us'] else ''}; found by trials that may mislead. In "
        f"brackets: where the limit is, with {confidence} % probability. Confirmed: trials at that "
        "rate that passed afterwards."
    )


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
    if chosen := [p.chosen_s for p in known if p.chosen_s]:
        shortest, longest = min(low for low, _ in chosen), max(high for _, high in chosen)
        limits = dict.fromkeys(f"{seconds:g}" for seconds in (shortest, longest))
        told += f" How long a round measures was chosen by the run: {' to '.join(limits)} s."
    widths = [w for p in known if (w := p.fixed_relative_half_width) is not None]
    times = [p.fixed_s for p in known if p.fixed_s is not None]
    if not widths:
        return told
    range_ = " to ".join(
        dict.fromkeys(text.percent_text(width) for width in (min(widths), max(widths)))
    )
    return (
        f"{told} A fixed schedule of 20 rounds (latency: of 2,000 samples) would have taken "
        f"{text.duration(sum(times))} for \N{PLUS-MINUS SIGN}{range_}."
    )


def _dimensions(
    cases: Sequence[CaseSummary], attribute: Literal["workload", "choices"]
) -> list[Column]:
    """What varies between the cases; the size is part of the workload."""
    compared = [c for c in cases if not c.is_floor] or list(cases)
    columns = []
    if attribute == "workload" and (len({c.size for c in cases}) > 1 or len(cases) == 1):
        sizes = [Cell(text.size_text(c.size), c.size) for c in cases]
        columns.append(Column("Size", "", "number", sizes))
    for name in dict.fromkeys(name for c in compared for name in getattr(c, attribute)):
        values = [getattr(c, attribute).get(name, text.ABSENT) for c in cases]
        if len({v for v, c in zip(values, cases, strict=True) if not c.is_floor}) > 1:
            shown = [Cell(v, None if v == text.ABSENT else v) for v in values]
            minor = attribute == "choices" and name not in same_in_all.SEEN
            columns.append(
                Column(name.capitalize(), "", "text", shown, detail=minor, tells_rows=True)
            )
    return columns


def _measured(test: str, cases: Sequence[CaseSummary]) -> list[Column]:
    """What the tables of quantities and statistics have for a table of this test."""
    columns = _statistics(cases, PINGS) if test == "latency" else []
    columns += [c for one in OF_CASES if (c := _of_cases(one, test, cases, last=False))]
    if test == "throughput":
        columns += _statistics(cases, PROBES)
    return columns + (_found(cases) if test == "capacity" else [])


def _statistics(cases: Sequence[CaseSummary], of: Described) -> list[Column]:
    """Statistics of pings or probes, all in the unit of the median."""
    found = [of.pick(case) for case in cases]
    columns, medians = [], [distribution.median if distribution else None for distribution in found]
    for one in REPORTED:
        heading = one.in_latency if of is PINGS else one.in_stream
        figures = [one.figure(distribution) for distribution in found]
        if heading and (heading.when == "always" or any(figures)):
            column = _figures(heading.text, cases, figures, scale_by=medians, detail=heading.minor)
            column.of = (one.key, "latency", *(("tail",) if (one.percent or 0) > TAIL else ()))
            columns.append(_with_lost(column, cases, one.key))
    return columns


def _with_lost(column: Column, cases: Sequence[CaseSummary], name: str) -> Column:
    """The column with "lost: 25 %" where the percentile falls among the pings that were lost."""
    for cell, case in zip(column.cells, cases, strict=True):
        if told := text.lost_text(case, name):
            # Later than any number.
            cell.text, cell.sort, cell.interval = told, float("inf"), ""
    return column


def _of_cases(
    one: Estimate | Number, test: str, cases: Sequence[CaseSummary], *, last: bool
) -> Column | None:
    """Columns of a figure that is not one of latencies; `last`: the ones behind all others."""
    heading = one.tables.get(test)
    if heading is None or heading.last != last:
        return None
    if isinstance(one, Number):
        cells = [_number(one, case) for case in cases]
        column = Column(heading.text, one.unit, "number", cells, heading.minor)
    else:
        column = _estimate(one, heading, cases)
    column.of = (one.key,)
    known = [cell.sort for cell in column.cells if cell.sort is not None]
    kept = {"always": True, "known": bool(known), "some": any(known)}[heading.when]
    return column if kept else None


def _estimate(one: Estimate, heading: Heading, cases: Sequence[CaseSummary]) -> Column:
    """With limits, or in one column with all others that have none."""
    figures = [one.pick(case) if one.pick else None for case in cases]
    if heading.interval and one.unit in text.SCALES:
        scales = text.SCALES[one.unit]
        return _figures(heading.text, cases, figures, scales, detail=heading.minor)
    values = [figure.value if figure else None for figure in figures]
    shown = [text.percent_text(v) if one.unit == "1" else text.number(v, 2) for v in values]
    cells = [Cell(told, value) for told, value in zip(shown, values, strict=True)]
    return Column(heading.text, "", "number", cells, heading.minor)


def _number(one: Number, case: CaseSummary) -> Cell:
    """With its share of the total unless it is none or unknown."""
    value = one.pick(case)
    total = one.of(case) if one.of else None
    if value is None:
        return Cell(text.ABSENT)
    share = f" ({text.percent_text(value / total)})" if value and total else ""
    shown = text.number(value) if one.unit else text.amount(value)
    number, words = one.besides(case) if one.besides else (0, "")
    more = f", {text.count(number)} {words}" if number else ""
    return Cell(shown + more, value, extra=share)


def _found(cases: Sequence[CaseSummary]) -> list[Column]:
    """How a search ended."""
    found = [c.capacity for c in cases]
    confirmed = [
        Cell(f"{f.confirmed} of {f.confirm}", f.confirmed) if f else Cell(text.ABSENT)
        for f in found
    ]
    limits = [(f.limited_by or text.ABSENT) if f else text.ABSENT for f in found]
    return [
        Column("Confirmed", "", "number", confirmed),
        Column("Limited by", "", "text", [Cell(limit, limit) for limit in limits]),
    ]


def _figures(
    title: str,
    cases: Sequence[CaseSummary],
    figures: Sequence[Figure | None],
    scales: Sequence[text.Scale] = text.TIME,
    *,
    scale_by: Sequence[Figure | None] | None = None,
    detail: bool = False,
) -> Column:
    """A column in one unit: by `scale_by`, by default its own. Floors do not decide it."""
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


def _load(case: CaseSummary) -> Cell:
    """Sorted by its level where there is one; two levels have no order."""
    one = case.loads[0].achieved if len(case.loads) == 1 else None
    shares = shares_text(case.loads)
    return Cell(loads_text(case.loads), one, extra=f" ({shares})" if shares else "")


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
    """Nested facts, such as a host profile, as (name, text); what is not known is an em dash.
    Entries of a list that have a `key`, such as options of an adapter, are facts of that name."""
    for key, value in values.items():
        name = f"{prefix}{key}".replace("_", " ")
        if isinstance(value, list) and value and all(isinstance(v, dict) for v in value):
            value = {v.get("key", n): v.get("value", v) for n, v in enumerate(value, 1)}
        if isinstance(value, dict) and value:
            yield from flat_facts(value, f"{name} / ")
        else:
            yield _fact(name, value)


def _fact(name: str, value: object) -> tuple[str, str]:
    if value is None or value in ({}, [], ""):
        return name, text.ABSENT
    if isinstance(value, bool):
        return name, "yes" if value else "no"
    if name.endswith(" bytes") and isinstance(value, int):
        return name.removesuffix(" bytes"), text.size_text(value)
    if isinstance(value, list):
        return name, ", ".join(_fact("", item)[1] for item in value)
    if isinstance(value, dict):
        return name, ", ".join(" ".join(fact) for fact in flat_facts(value))
    return name, text.number(value) if isinstance(value, float) else str(value)
