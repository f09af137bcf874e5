"""A sheet for each group of cases that may be compared: values by size and label, and charts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from xlsxwriter.chart import Chart
from xlsxwriter.utility import xl_range_abs

from busmark.analysis.figures import Figure
from busmark.analysis.model import Campaign, CaseSummary, Group
from busmark.analysis.words import text
from busmark.analysis.words.naming import described
from busmark.model.entry import Statistic
from busmark.model.quantities import ESTIMATES
from busmark.model.quantities.latency import PINGS, PROBES
from busmark.model.statistics import REPORTED
from busmark.present.blocks.cases import TITLES
from busmark.report import same_in_all
from busmark.report.workbook import charts, table
from busmark.report.workbook.book import FIRST_ROW, Book, Sheet
from busmark.report.workbook.styles import Kind

LATENCY_PERCENTS = (50.0, 75.0, 90.0, 95.0, 99.0, 99.9, 99.99, 99.999, 99.9999)

MOST_LINES = 40
"""Columns of a sheet; nobody compares more at a glance."""

FEW_LINES = 4
"""Up to which charts stand beside the table, where they are seen at once."""

Pick = Callable[[CaseSummary], Figure | None]


@dataclass(frozen=True, slots=True)
class Block:
    """Values of one kind: rows are sizes, columns labels."""

    title: str
    kind: Kind
    unit: str
    pick: Pick
    factor: float = 1.0


def _statistic(one: Statistic) -> Block:
    """Statistic of RTT/2."""
    title, axis = f"{one.title} RTT/2", f"{one.name} RTT/2"
    if one.percent is not None:
        title, axis = f"{one.meaning} of RTT/2 of a round", f"{one.name} of RTT/2 of a round"
    return Block(title, "us", f"{axis}, µs", lambda case: one.figure(PINGS.pick(case)), table.MICRO)


def _probe(case: CaseSummary) -> Figure | None:
    found = PROBES.pick(case)
    return found.median if found else None


PROBE = Block("Median one-way latency in the stream", "us", "one-way, µs", _probe, table.MICRO)


def _blocks(test: str) -> list[Block]:
    """What the tables of quantities and statistics have for a sheet of this test."""
    blocks = [_statistic(one) for one in REPORTED if one.in_sheets] if test == "latency" else []
    for one in ESTIMATES:
        if one.pick and (title := one.sheets.get(test)):
            kind, factor = table.UNITS[one.unit]
            axis = f"{title[0].lower()}{title[1:]}, {'µs' if one.unit == 'ns' else one.unit}"
            blocks.append(Block(title, kind, axis, one.pick, factor))
    return blocks + ([PROBE] if test == "throughput" else [])


@dataclass(frozen=True, slots=True)
class Line:
    """Cases that differ in size only: one column, one curve."""

    name: str
    label: str
    by_size: dict[int, CaseSummary]


def sheets(book: Book, campaign: Campaign) -> None:
    """One sheet per group that has something to show."""
    by_id = {case.id: case for case in campaign.cases}
    for group in campaign.groups:
        lines = _lines([by_id[c] for c in (*group.cases, *group.floors)])
        if lines and group.test in TITLES:
            sheet = _sheet(book, group, lines[:MOST_LINES])
            if len(lines) > MOST_LINES:
                sheet.parts.append(
                    f"The sheet {sheet.name} has {MOST_LINES} of {len(lines):,} columns; all cases "
                    "are on the sheet Summary."
                )


def _lines(cases: Sequence[CaseSummary]) -> list[Line]:
    found: dict[str, Line] = {}
    for case in cases:
        if case.size is None:
            continue
        further = described(case.workload)
        name = f"{case.label}, {further}" if further else case.label
        line = found.setdefault(name, Line(name, case.label, {}))
        line.by_size.setdefault(case.size, case)
    return [*found.values()]


def _sheet(book: Book, group: Group, lines: Sequence[Line]) -> Sheet:
    title = f"{TITLES.get(group.test, group.test)} {group.title}"
    sheet = book.sheet(
        f"{group.test.capitalize()} {group.title}",
        title,
        "charts and tables by size",
        note=_note(lines),
    )
    sheet.page.set_column(0, 0, 22)
    sheet.page.set_column(1, len(lines), 17)
    row = FIRST_ROW
    placed: list[Chart] = []
    for block in _blocks(group.test):
        values = [f for line in lines for c in line.by_size.values() if (f := block.pick(c))]
        if values:
            row, chart = _block(sheet, row, block, lines)
            placed.append(chart)
    if group.test == "latency":
        for size in _ends(lines):
            row, chart = _ladder(sheet, row, size, lines)
            placed.append(chart)
    for number, chart in enumerate(placed):
        if len(lines) <= FEW_LINES:
            charts.stack(sheet, FIRST_ROW, len(lines) + 2, number, chart)
        else:
            charts.place(sheet, row + 1, number, chart)
    return sheet


def _note(lines: Sequence[Line]) -> str:
    cases = [case for line in lines for case in line.by_size.values()]
    note = same_in_all.above(cases, [], cases[0].placement)
    note += " Rows below a table are the way from the value to the limits of its 95 % interval."
    if any(case.series and case.series.shape and case.series.shape.lost for case in cases):
        note += " Lost samples are later than any: a percentile among them is empty."
    note += _probes_note(cases)
    if len(lines) > charts.MOST_CURVES:
        note += f" Charts show the first {charts.MOST_CURVES} of {len(lines)} columns."
    return note.strip()


def _ends(lines: Sequence[Line]) -> list[int]:
    """The smallest and the largest size with a percentile."""
    sizes = [size for line in lines for size, case in line.by_size.items() if case.rtt_2]
    return sorted({min(sizes), max(sizes)}) if sizes else []


def _head(sheet: Sheet, row: int, title: str, lines: Sequence[Line]) -> None:
    styles = sheet.book.styles
    sheet.text(row, 0, title, styles.heading)
    sheet.text(row + 1, 0, "Size", styles.head)
    sheet.page.set_row(row + 1, 32)
    for number, line in enumerate(lines, 1):
        sheet.text(row + 1, number, line.name, styles.head)


def _block(sheet: Sheet, row: int, block: Block, lines: Sequence[Line]) -> tuple[int, Chart]:
    """The value, and how far it is to its limits; gives the row after it and its chart."""
    styles, page = sheet.book.styles, sheet.page
    sizes = sorted({size for line in lines for size in line.by_size})
    _head(sheet, row, block.title, lines)
    first = row + 2
    below, above = first + len(sizes) + 1, first + 2 * len(sizes) + 2
    sheet.text(below - 1, 0, "down to the lower limit", styles.note)
    sheet.text(above - 1, 0, "up to the upper limit", styles.note)
    values: list[float] = []
    for offset, size in enumerate(sizes):
        for start in (first, below, above):
            page.write_number(start + offset, 0, size, styles.cell("bytes"))
        for number, line in enumerate(lines, 1):
            case = line.by_size.get(size)
            figure = block.pick(case) if case else None
            style = styles.cell(block.kind, floor=bool(case and case.is_floor))
            if figure is None:
                page.write_blank(first + offset, number, None, style)
                continue
            values.append(figure.value / block.factor)
            page.write_number(first + offset, number, figure.value / block.factor, style)
            if figure.low is not None and figure.high is not None:
                down, up = figure.value - figure.low, figure.high - figure.value
                page.write_number(below + offset, number, down / block.factor, style)
                page.write_number(above + offset, number, up / block.factor, style)
    head, last = row + 1, first + len(sizes) - 1
    curves = [
        charts.Curve(
            charts.label_of(sheet.book.campaign, line.label),
            sheet.cells(number, head, head),
            sheet.cells(0, first, last),
            sheet.cells(number, first, last),
            low=_range(sheet, number, below, len(sizes)),
            high=_range(sheet, number, above, len(sizes)),
        )
        for number, line in enumerate(lines, 1)
    ]
    draw = charts.over_size if len(sizes) > 1 else charts.bars
    drawn = [size for line in lines for size, case in line.by_size.items() if block.pick(case)]
    chart = draw(sheet.book, block.title, block.unit, curves, drawn, values)
    return above + len(sizes) + 1, chart


def _range(sheet: Sheet, column: int, first: int, count: int) -> str:
    return f"='{sheet.name}'!{xl_range_abs(first, column, first + count - 1, column)}"


def _ladder(sheet: Sheet, row: int, size: int, lines: Sequence[Line]) -> tuple[int, Chart]:
    """Percentiles of one size: rows are percentiles, as far as samples support them. Those among
    the lost are empty, for a chart takes words for 0; a last row says how much came back."""
    styles, page = sheet.book.styles, sheet.page
    title = f"Percentiles of RTT/2 at {size:,} B, all rounds pooled"
    _head(sheet, row, title, lines)
    sheet.text(row + 1, 0, "Percentile", styles.head)
    first, values = row + 2, []
    for offset, percent in enumerate(LATENCY_PERCENTS):
        sheet.text(first + offset, 0, f"{percent:g} %", styles.cell("text"))
        for number, line in enumerate(lines, 1):
            case = line.by_size.get(size)
            rungs = case.rtt_2.percentiles if case and case.rtt_2 else []
            found = next((r.value_ns for r in rungs if r.percent == percent), None)
            style = styles.cell("us", floor=bool(case and case.is_floor))
            if found is None:
                page.write_blank(first + offset, number, None, style)
            else:
                values.append(found / table.MICRO)
                page.write_number(first + offset, number, found / table.MICRO, style)
    last = first + len(LATENCY_PERCENTS) - 1
    sheet.text(last + 1, 0, "came back", styles.note)
    for number, line in enumerate(lines, 1):
        case = line.by_size.get(size)
        latency = case.latency if case else None
        if latency and latency.sent is not None and latency.lost is not None:
            back = f"{latency.sent - latency.lost:,} of {latency.sent:,}"
            sheet.text(last + 1, number, back, styles.note)
    curves = [
        charts.Curve(
            charts.label_of(sheet.book.campaign, line.label),
            sheet.cells(number, row + 1, row + 1),
            sheet.cells(0, first, last),
            sheet.cells(number, first, last),
        )
        for number, line in enumerate(lines, 1)
    ]
    return last + 3, charts.ladder(sheet.book, title, "RTT/2, µs", curves, values)


def _probes_note(cases: Sequence[CaseSummary]) -> str:
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
