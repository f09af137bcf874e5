"""How figures are written, the same in every sink that people read.

One unit for a column, chosen by its smallest value, floors apart. Value and interval have the same
number of decimals: three significant digits of the value, four where three hide the interval, and
no more than three of the half of the interval's width. What is absent is an em dash.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from busmark.model import text
from busmark.model.quantities.latency import PROBES_LOST, PROBES_SENT
from busmark.model.quantities.stream import LOST, SENT
from busmark.model.text import ABSENT, Interval, decimals, number, percent_text
from busmark.present.document import Cell, Column, Row, Table, Text

if TYPE_CHECKING:
    from busmark.model.case import CaseSummary

QUANTITIES = {
    "half_round_trip": "RTT/2",
    "round_trip": "round trip",
    "one_way": "one-way latency",
    "response_time": "response time",
    "half_round_trip_jitter": "jitter of RTT/2",
    "round_trip_jitter": "jitter of the round trip",
    "one_way_jitter": "jitter of one-way latency",
    "response_time_jitter": "jitter of the response time",
    "half_round_trip_ipdv": "IPDV of RTT/2",
    "round_trip_ipdv": "IPDV of the round trip",
    "one_way_ipdv": "IPDV of one-way latency",
    "response_time_ipdv": "IPDV of the response time",
    "per_hop": "latency per hop",
    "per_hop_jitter": "jitter per hop",
    "publish": "publishing, until acknowledged",
    "publish_delay": "delay of publishing",
}
"""Names of what was timed; others are called as in tables of programs."""

FAR = 100.0
"""A limit that is this many times from its ratio, and from 1, is shown as a bound: two rounds may
extrapolate to 30 905."""


def quantity_name(quantity: str) -> str:
    """Return the name of what was timed, for the middle of a sentence."""
    return QUANTITIES.get(quantity, quantity.replace("_", " "))


def ratio_with_interval(ratio: Interval) -> str:
    """Return "1.34 [1.30, 1.38]"."""
    cell = Cell(ratio.value, ratio.low, ratio.high)
    return f"{ratio_text(cell)} {interval_of_ratio(cell)}".strip()


def p_text(value: float | None) -> str:
    """Return a p-value; below 0.0001 it is shown as such."""
    if value is None:
        return ABSENT
    return "<0.0001" if value < 0.0001 else number(value, 4)


PERCENT = text.UnitScale("%", 0.01)

SIGNS = {"equivalent": "=", "undecided": "?", "reference": "1"}
"""Signs that a ratio with this verdict shows instead of its value."""


@dataclass(frozen=True, slots=True)
class CellText:
    """A cell as text. `value` of a column end at the same place after their decimal point."""

    value: str
    interval: str = ""
    more: str = ""

    def __str__(self) -> str:
        return " ".join(part for part in (self.value.strip(), self.interval, self.more) if part)


def scales_of(unit: str) -> Sequence[text.UnitScale]:
    """Return the scales of a base unit."""
    if unit == "1":
        return (PERCENT,)
    return text.SCALES.get(unit) or (text.UnitScale(unit, 1.0),)


def scale_of(column: Column, table: Table) -> text.UnitScale:
    """Return the unit in which a column is shown."""
    named = [one for one in table.columns if one.title == column.scale]
    by = [one for one in named if one.group == column.group][:1] or named[:1]
    by = by or [
        one for one in table.columns if column.scale and one.group == column.scale and one.unit
    ]
    known = [pair for one in by or [column] for pair in zip(one.cells, table.rows, strict=True)]
    values = [cell.value for cell, row in known if row.role != "floor" and not cell.text]
    every = values or [cell.value for cell, _ in known]
    numbers = [abs(value) for value in every if isinstance(value, int | float)]
    return text.scale_for(numbers, scales_of(column.unit))


def heading(column: Column, table: Table) -> tuple[str, str]:
    """Return the heading of its group, and its own; the unit stands in the first that it is of."""
    unit = scale_of(column, table).unit if column.unit else ""
    if not column.group:
        return "", f"{column.title}, {unit}" if unit else column.title
    own = [one for one in table.columns if one.group == column.group and one.unit]
    units = {scale_of(one, table).unit for one in own}
    if len(units) == 1:
        return f"{column.group}, {units.pop()}", column.title
    return column.group, f"{column.title}, {unit}" if unit else column.title


def headings(table: Table) -> list[str]:
    """Return the heading of each column in one line, for tables without headings over groups. Where
    a group has several ratios, each is of the figure before it."""
    found, figure = list[str](), ""
    for column in table.columns:
        group, own = heading(column, table)
        alike = [c for c in table.columns if c.group == column.group and c.title == column.title]
        if column.kind != "ratio":
            figure = own
        elif group:
            # It has no unit.
            group, own = column.group, f"{figure}: {own}" if len(alike) > 1 else own
        found.append(": ".join(filter(None, (group, own))))
    return found


def shown(column: Column, table: Table) -> list[CellText]:
    """Return the texts of a column, with their decimal points below each other."""
    scale = scale_of(column, table)
    texts = [
        _shown(column, cell, row, scale) for cell, row in zip(column.cells, table.rows, strict=True)
    ]
    return _aligned(texts, column.cells) if column.kind == "figure" else texts


def _shown(column: Column, cell: Cell, row: Row, scale: text.UnitScale) -> CellText:
    if cell.text:
        value, sign, limits = cell.text.partition(" [")
        return CellText(value, f"[{limits}" if sign else "", cell.more)
    if column.kind == "ratio":
        return CellText(ratio_text(cell), interval_of_ratio(cell), cell.more)
    if cell.value is None:
        return CellText(text.ABSENT if column.kind != "label" else "", more=cell.more)
    if isinstance(cell.value, str):
        return CellText(cell.value, more=cell.more)
    if column.kind == "count":
        return CellText(text.count(int(cell.value)), more=cell.more)
    if cell.unit:
        scale = text.scale_for([abs(cell.value)], scales_of(cell.unit))
    figure = _InUnit(cell.value, cell.low, cell.high)
    places = text.places_for(figure, scale)
    if cell.low is not None and cell.high is not None and cell.high > cell.low:
        # Digits far beyond the width of the interval say nothing.
        width = (cell.high - cell.low) / scale.factor
        narrow = text.decimals(width / 2)
        # A value of 0 has no digits of its own.
        places = min(places, narrow) if cell.value else text.decimals(width, 2)
    if row.role == "floor":
        # It is far below the rest: none of its digits matters beside it.
        places = min(places, text.decimals(cell.value / scale.factor, 2))
    value = text.value_text(figure, scale, places)
    if cell.unit and scale.unit:
        value = f"{value} {scale.unit}"
    return CellText(value, text.interval_text(figure, scale, places), cell.more)


@dataclass(frozen=True, slots=True)
class _InUnit:
    value: float
    low: float | None
    high: float | None


def ratio_text(cell: Cell) -> str:
    """Return "1.61", "0.62" where it is less, or the sign of the verdict."""
    if cell.verdict in SIGNS:
        return SIGNS[cell.verdict]
    value = cell.value
    return text.number(value, _places(cell)) if isinstance(value, int | float) else ""


def interval_of_ratio(cell: Cell) -> str:
    """Return the limits of a ratio with the same decimals as its text; empty where there are
    none. Limits far from the ratio and from 1 are bounds: "[<0.01, >120]". A limit above 0 does not
    read as 0: "[0.02, 85.0]"."""
    value, low, high = cell.value, cell.low, cell.high
    if low is None or high is None or not isinstance(value, int | float):
        return ""
    least, most, places = min(value, 1.0) / FAR, max(value, 1.0) * FAR, _places(cell)
    hidden = low > 0 == round(low, places)
    below = number(low, decimals(low, 1) if hidden else places)
    # "[0.0021, 27.3]": what is far from 1 has fewer decimals.
    above = number(high, places if high < 10 else min(places, decimals(high, 4)))
    if not least <= low <= most:
        below = f"<{number(least, decimals(least, 1))}"
    if not least <= high <= most:
        above = f">{number(most, 0)}"
    return f"[{below}, {above}]"


def _places(cell: Cell) -> int:
    """Choose the decimals of a ratio: three digits, two of how far it is from 1, no more than two
    of the half of the interval's width, below 1 one, and two digits at least; and as many as it
    takes that neither it nor a limit reads as 1."""
    known = [v for v in (cell.value, cell.low, cell.high) if isinstance(v, int | float) and v > 0]
    if not known:
        return 0
    value = known[0]
    places = max(text.decimals(value, 3), min(text.decimals(value - 1, 2), 3))
    if cell.low is not None and cell.high is not None and cell.high > cell.low:
        half = (cell.high - cell.low) / 2
        narrow = text.decimals(half, 2)
        if value < 1:
            narrow = max(text.decimals(half, 1), text.decimals(value, 2))
        places = min(places, narrow)
    elif value < 1:
        places = text.decimals(value, 2)
    while places < 4 and any(round(value, places) == 1 != value for value in known):
        places += 1
    return places


def _aligned(texts: list[CellText], cells: Sequence[Cell]) -> list[CellText]:
    """Pad the texts with spaces behind, so that decimal points stand below each other."""
    places = [len(one.value.partition(".")[2]) for one in texts]
    numeric = [
        not cell.text and not cell.unit and isinstance(cell.value, int | float) for cell in cells
    ]
    most = max((own for own, aligns in zip(places, numeric, strict=True) if aligns), default=0)
    made = []
    for one, own, aligns in zip(texts, places, numeric, strict=True):
        pad = (1 if own == 0 else 0) + most - own if aligns and own < most else 0
        made.append(CellText(one.value + " " * pad, one.interval, one.more))
    return made


def see(table: Table) -> tuple[list[str], list[Text]]:
    """Return the findings on each row, but for those on every row, of which the line is."""
    rows = [table.marks(row) for row in range(len(table.rows))]
    common = [mark for mark in rows[0] if all(mark in own for own in rows)] if rows else []
    cells = [_by_severity(mark for mark in own if mark not in common) for own in rows]
    values: dict[str, object] = {"title": "In every row", "facts": _by_severity(common)}
    return cells, [Text("facts", values)] if common else []


def _by_severity(marks: Iterable[str]) -> str:
    """Return "!!a !cd f"."""
    letters: dict[str, list[str]] = {"!!": [], "!": [], "": []}
    for mark in marks:
        letter = mark.lstrip("!")
        letters[mark[: len(mark) - len(letter)]].append(letter)
    return " ".join(sign + "".join(sorted(own)) for sign, own in letters.items() if own)


def in_words(counts: Mapping[str, int]) -> str:
    """Return "2 met, 1 missed" of counts that are not 0."""
    return ", ".join(f"{text.count(number)} {what}" for what, number in counts.items() if number)


def lost_text(case: CaseSummary, name: str) -> str:
    """Return "lost: 25 %" where this figure (median, p99, p999) of the case's RTT/2 falls among
    what was lost, "samples lost: 25 %" for the one-way latency of a stream, "probes lost: 25 %"
    where that is of probes alone; else empty."""
    found = case.exchange
    sent, lost = SENT.value(case), LOST.value(case)
    if case.has_stream:
        found = case.one_way
        sent, lost = PROBES_SENT.value(case), PROBES_LOST.value(case)
    if not lost or not sent:
        return ""
    times = case.times("one_way") if case.has_stream else None
    if found is None and times and not times.why_hidden("median"):
        return ""  # what arrived has no one-way latency
    of = ""
    if case.has_stream:
        of = "samples " if sent == (LOST.of(case) if LOST.of else None) else "probes "
    if found is None:
        return f"{of}lost: {percent_text(lost / sent)}"
    reason = case.why_hidden(name, found.quantity)
    return f"{of}{reason.partition(';')[0]}" if reason else ""
