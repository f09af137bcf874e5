"""A document: sections of tables, charts and text. Blocks make it, sinks write it.

A table has its values as numbers in base units, so that every sink shows the same: the terminal and
the page format them (`present.figures`), files have the numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from textwrap import dedent
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    import polars as pl

    from busmark.model.naming import Label
    from busmark.present.charts.shapes import Shape

Role = Literal["", "baseline", "floor"]
"""floor: the null adapter, which must not decide the unit or the digits of a column."""

Kind = Literal["label", "text", "count", "number", "figure", "ratio"]
"""count: shown with all its digits; figure: a value with an interval; ratio: over the row marked
1."""

Verdict = Literal["", "reference", "better", "worse", "equivalent", "undecided"]

Style = Literal["", "error", "warning", "note", "quiet", "code"]
"""code: lines that are not wrapped."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell of a table. Without value and text it is absent."""

    value: float | str | None = None
    """Value in the unit of the column's base: ns, Mbit/s, bytes, a share of 1."""
    low: float | None = None
    high: float | None = None
    text: str = ""
    """Shown instead of the value, which sorting goes by."""
    more: str = ""
    """Shown behind the value, where there is room."""
    note: str = ""
    """Shown to a reader who points at it: why it is absent, what it rests on."""
    verdict: Verdict = ""
    """Verdict that the interval of a ratio allows."""
    marks: tuple[str, ...] = ()
    """Findings that concern it, such as "!b"."""
    label: str = ""
    """The label whose colour and mark stand before a name."""
    case: str = ""
    """Identifier of the case that it is of, where the row is of several."""
    unit: str = ""
    """Base unit, where the column has none: rows of different quantities."""
    link: str = ""
    """Address of what it names, as seen from the page."""


ABSENT = Cell()


@dataclass(frozen=True, slots=True)
class Column:
    """A heading and the cells below it."""

    title: str
    cells: Sequence[Cell]
    kind: Kind = "text"
    unit: str = ""
    """Base unit of the cells, as in `model.text.SCALES`; 1: a share."""
    group: str = ""
    """Heading over this column and its neighbours of the same group."""
    detail: bool = False
    """Whether the column may be left out where there is no room."""
    scale: str = ""
    """Title of the column, or of the group of columns, whose unit and scale it shares; empty: its
    own."""
    note: str = ""
    """Meaning of its values, for readers who point at its heading."""


@dataclass(frozen=True, slots=True)
class Row:
    """Properties of a whole row."""

    role: Role = ""
    group: str = ""
    """Heading above the rows of the same group."""
    case: str = ""
    """Identifier of the case that it is of."""
    status: str = ""
    """Why it is not complete, in a word: "failed"."""


@dataclass(frozen=True, slots=True)
class Text:
    """A sentence or two: a template of `present.texts`, and what fills it."""

    template: str
    values: dict[str, object] = field(default_factory=dict)
    style: Style = ""

    def __str__(self) -> str:
        from busmark.present.texts import TEXTS

        return TEXTS[self.template].format(**self.values)


@dataclass(frozen=True, slots=True)
class Table:
    """Columns of the same length, and what is to be known of them."""

    columns: Sequence[Column]
    rows: Sequence[Row]
    title: str = ""
    notes: Sequence[Text] = ()
    key: str = ""
    """Name of its sheet, file and element; empty: it has none of its own."""
    brief: bool = False
    """Whether another table has the same rows with all details, so that intervals may be left out
    where there is no room."""

    def filled_rows(self, columns: Sequence[Column]) -> list[int]:
        """Return the rows that have something in these columns."""
        rows = range(len(self.rows))
        return [row for row in rows if any(column.cells[row] != ABSENT for column in columns)]

    def marks(self, row: int) -> list[str]:
        """Return the marks of findings on a row, each once."""
        return list(dict.fromkeys(m for column in self.columns for m in column.cells[row].marks))

    @property
    def groups(self) -> dict[str, list[int]]:
        """Rows by the heading above them."""
        found: dict[str, list[int]] = {}
        for place, row in enumerate(self.rows):
            found.setdefault(row.group, []).append(place)
        return found


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart, for sinks that draw: a shape, which has its data and their axes."""

    key: str
    """Name of its file and element."""
    title: str
    """Title: what is drawn, with its unit."""
    shapes: Sequence[Shape]
    """Shapes, one for each choice of what is shown; each has its keys and its caption."""
    explanation: str = ""
    """Text for a reader who sees such a chart for the first time."""
    explanations: Sequence[str] = ()
    """Explanations, one for each shape, where these differ."""
    keys: Sequence[Sequence[tuple[str, str]]] = ()
    """Keys by which each shape is chosen, besides its own."""
    marks: Sequence[Sequence[str]] = ()
    """Marks of the findings that concern each shape."""
    left_out: int = 0
    """Cases for which there are data, but no room."""
    captions: Sequence[str] = ()
    """Captions, one for each shape, instead of the shape's own."""
    notes: Sequence[str] = ()
    """Notes, one for each shape: what the marks in it mean, for sinks without links."""
    labels: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    """Files for gnuplot by the text of a label, each with the variable in it that has the figures
    of what is drawn."""


@dataclass(frozen=True, slots=True)
class SourceText:
    """A cell of a notebook, Markdown or Python; other sinks leave it out."""

    text: str
    is_code: bool = False


def code(text: str) -> SourceText:
    """Return the source of a cell of Python, without the indentation of all its lines."""
    return SourceText(dedent(text).strip(), is_code=True)


@dataclass(frozen=True, slots=True)
class FrameTable:
    """A table that is a data frame, read when a sink writes it: a row for each case, figure or
    sample, with the columns of `busmark.open`."""

    key: str
    """Name of its file."""
    read: Callable[[], pl.DataFrame | pl.LazyFrame]

    @property
    def table(self) -> Table:
        """The same as cells, for a sink that has no frames."""
        frame = self.read().lazy().collect()
        columns = [Column(one.name, [Cell(value) for value in one.to_list()]) for one in frame]
        return Table(columns, [Row() for _ in range(frame.height)], key=self.key)


Block = Table | FrameTable | Chart | Text | SourceText


@dataclass(frozen=True, slots=True)
class Section:
    """A heading, and what stands below it."""

    title: str
    blocks: Sequence[Block]
    summary: str = ""
    """Behind the title, in a line: "2 met, 1 missed"."""
    folded: bool = False
    """Whether the section is folded on the page, and opened by a click."""
    detail: bool = False
    """Whether the terminal leaves it to `busmark show DIRECTORY#CASE` and to files."""
    key: str = ""
    """Identifier of its element; empty: its title in small letters."""
    part: str = ""
    """Heading over this section and its neighbours of the same part."""
    mark: str = ""
    """Mark of the finding that it explains."""

    @property
    def tables(self) -> Iterator[Table]:
        """Tables, also those that are data frames."""
        for block in self.blocks:
            if isinstance(block, Table | FrameTable):
                yield block if isinstance(block, Table) else block.table


CASES = "cases"
"""Key of the section in which a page lists the entries of a document."""


@dataclass(frozen=True, slots=True)
class ListedCase:
    """A case that a page lists, and shows in full when it is opened."""

    id: str
    label: str
    heading: str
    """Description in a line."""
    summary: str
    """Result in a few words."""
    status: str
    reason: str
    values: Mapping[str, str]
    """Values by which it can be chosen."""
    sections: Sequence[Section]
    """Sections with its details; empty: there is no room for them."""


@dataclass(frozen=True, slots=True)
class Test:
    """The verdict of a case on a requirement or a criterion, for CI."""

    classname: str
    name: str
    seconds: float
    """Measured for it."""
    fails: bool
    met: bool
    kind: str
    """Verdict in a word."""
    reason: str

    @property
    def outcome(self) -> Literal["passed", "failure", "skipped"]:
        return "failure" if self.fails else "passed" if self.met else "skipped"


@dataclass(frozen=True, slots=True)
class Suite:
    """Test cases of one criterion or requirement."""

    name: str
    tests: Sequence[Test]


@dataclass(frozen=True, slots=True)
class Metric:
    """A figure that CI follows over time."""

    case: str
    figure: str
    unit: str
    value: float
    low: float | None
    high: float | None
    confidence: float
    more_is_better: bool
    counts: Mapping[str, int] = field(default_factory=dict)
    """Numbers of what it is based on, such as rounds."""


"""Tables for programs by the name of their file, each read when it is written."""


@dataclass(frozen=True, slots=True)
class Document:
    """Sections in the order in which they are read."""

    title: str
    lines: Sequence[str]
    """Below the title: what it is of, when and where."""
    sections: Sequence[Section]
    entries: Sequence[ListedCase] = ()
    """Cases by which tables and charts of a page can be filtered."""
    links: Sequence[tuple[str, str]] = ()
    """Words and address of pages that belong to it."""
    kind: str = "report"
    """Kind of document in a word: above the title of a page, and in the names of files."""
    swatches: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """Colour and mark of each label."""
    labels: Sequence[Label] = ()
    """Labels of cases whose curves the reader of a page may overlay."""
    data: Mapping[str, Callable[[Path], object]] = field(default_factory=dict)
    """Further files for gnuplot by name, and what writes each."""
    suites: Sequence[Suite] = ()
    metrics: Sequence[Metric] = ()
    begun_utc: str = ""
    """Time at which the campaign began that the suites judge."""
    properties: Mapping[str, str] = field(default_factory=dict)
    """Properties of the campaign that the suites judge."""

    @property
    def stem(self) -> str:
        """Return the name of its files, without an ending."""
        return self.kind.replace(" ", "-")

    def drawn(self) -> Document:
        """Return the document with the charts alone."""
        kept = [
            replace(section, blocks=charts)
            for section in self.sections
            if (charts := [each for each in section.blocks if isinstance(each, Chart)])
        ]
        return replace(self, sections=kept)
