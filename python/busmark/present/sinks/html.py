"""Blocks of a document as HTML, for a page.

All text is escaped. What stands beside a name, such as the colour of a curve, comes from the page.
A table with a key can be sorted, and filtered where the page lists cases; its first rows are in the
page as it is opened, the others are kept for the script.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from html import escape
from itertools import groupby

from busmark.model.text import joined
from busmark.present import figures
from busmark.present.document import Block, Cell, Chart, Column, Row, Section, Table, Text
from busmark.present.sinks.panels import SHOWN, Panel, flag_of, own_keys, selectors

STATIC_ROWS = 50
"""Rows of each table in the page as it is opened, readable without a script."""

UPRIGHT, SIDEWAYS = 500, 740
"""Points between the margins of a sheet of A4, and a little less."""

SHORT, LONG = 24, 48
"""Characters of a text up to which it takes one line on a screen, and of a name from which on it
takes several."""

DETAIL = 4
"""Level of the headings within a case."""

LETTER, PADDING, BADGE = 4.9, 6.0, 14.0
"""Points of print that a letter, the edges of a cell and the mark of a finding take."""

MORE = (
    '<p class="more" aria-live="polite" hidden><span></span> <button type="button">100 more {}'
    '</button> <button type="button" data-all="">All</button></p>'
)


@dataclass(frozen=True, slots=True)
class Page:
    """Elements that a page adds to blocks."""

    swatches: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """Colour and mark of a label."""
    flags: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    """Element and title that explain a finding, by the letter of the finding."""
    numbers: Mapping[str, int] = field(default_factory=dict)
    """Places of cases in the list of the page."""
    panels: Mapping[str, Sequence[Panel]] = field(default_factory=dict)
    """Panels by the key of the chart."""
    showing: Mapping[str, Sequence[tuple[str, str]]] = field(default_factory=dict)
    """Element and title of the charts that show the cases of a finding, by the letter of the
    finding."""
    rows: dict[str, list[str]] = field(default_factory=dict)
    """Rows of tables that are beyond the first, by the table's key."""

    def case(self, case: str) -> str:
        """Return the element of a case; empty where the page has none."""
        return anchor(case) if case in self.numbers else ""


def anchor(case: str) -> str:
    """Return the identifier of the element of a case."""
    return "case-" + re.sub(r"[^A-Za-z0-9_.-]", "-", case)


def key_of(section: Section) -> str:
    """Return the identifier of the element of a section."""
    return section.key or section.title.lower().replace(" ", "-")


def section_html(section: Section, page: Page, *, level: int = 2) -> str:
    """Return a section.

    Args:
        section: what it has.
        page: what is added to its tables.
        level: of its heading; from `DETAIL` on it is a part of a case, and no target of links.
    """
    summary = f" <small>{escape(section.summary)}</small>" if section.summary else ""
    badge = ""
    if flag := flag_of(section.mark, page.flags):
        badge = f'<span class="flag is-{flag[1]}" aria-hidden="true">{escape(section.mark)}</span> '
    heading = f"{badge}{escape(section.title)}{summary}"
    title = f"<h{level}>{heading}</h{level}>\n" if section.title else ""
    key = key_of(section) if level < DETAIL else ""
    blocks = "\n".join(block_html(block, page, section.title, key) for block in section.blocks)
    if shown := page.showing.get(section.mark.lstrip("!")):
        links = ", ".join(f'<a href="#{escape(to)}">{escape(words)}</a>' for to, words in shown)
        blocks += f'\n<p class="note">Charts of these cases: {links}.</p>'
    named = f' id="{escape(key)}"' if key else ""
    if section.folded:
        blocks = f"<details><summary>{title.strip()}</summary>{blocks}</details>"
        title = ""
    kind = "part folds" if section.folded else "part"
    return f'<section class="{kind}"{named}>\n{title}{blocks}\n</section>'


def block_html(block: Block, page: Page, name: str, key: str) -> str:
    """Return a table, a chart's figure or a paragraph; `name`: of a table without a title; `key`:
    of the section."""
    if isinstance(block, Table):
        return table_html(block, page, name, key)
    if isinstance(block, Chart):
        return chart_html(block, page, name)
    return text_html(block) if isinstance(block, Text) else ""


def chart_html(chart: Chart, page: Page, name: str = "") -> str:
    """Return the figure in which the page's script draws a chart; its heading is hidden where it
    would repeat the section's, `name`."""
    panels, shared = page.panels[chart.key], bool(page.numbers)
    first = panels[0]
    key, title, caption = escape(chart.key), escape(chart.title), escape(first.caption)
    explanation = escape(first.explanation)
    own = own_keys(first, shared=shared)
    choices = "".join(
        f"<label{'' if name in own or name == SHOWN else ' hidden'}>{escape(name)} "
        f'<select autocomplete="off" data-key="{escape(name)}">'
        f"{''.join(f'<option>{escape(value)}</option>' for value in values)}</select></label>"
        for name, values in selectors(panels, shared=shared).items()
    )
    room = f"min-height:{first.height:.0f}px"
    left = f"Not drawn, to keep this page small: {chart.left_out} further cases."
    return (
        f'<figure class="chart"><h3{" hidden" if chart.title == name else ""}>{title} '
        f'<small class="axes">{escape(first.axes)}</small></h3>'
        f'<p class="note explanation">{explanation}</p>'
        f'<div class="controls">{choices}</div><div class="plot" id="{key}" role="img" '
        f'style="{room}" aria-label="{title}. {caption}"></div>'
        f'<figcaption>{caption}</figcaption><p class="legend note" hidden></p>'
        '<details class="data"><summary>Data</summary></details>'
        f'<p class="tools note"><a href="#{key}">Link to this chart</a> '
        '<button type="button" class="save">Save as SVG</button> <span class="moves" hidden>'
        "Drag to move, Ctrl and wheel to zoom, double click for all.</span></p>"
        f"{f'<p class=note>{left}</p>' if chart.left_out else ''}</figure>"
    )


def text_html(text: Text) -> str:
    """Return a sentence as a paragraph."""
    kind = f' class="is-{text.style}"' if text.style else ""
    if text.style == "code":
        return f'<pre tabindex="0"><code>{escape(str(text))}</code></pre>'
    return f"<p{kind}>{words_html(str(text).strip())}</p>"


def words_html(words: str) -> str:
    """Return text in which what stands between backticks is code."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(words))


def table_html(table: Table, page: Page, name: str = "", section: str = "") -> str:
    """Return a table in a region that scrolls, and its notes. Each group of columns of a brief
    table is a table of its own, so that all are in sight.

    Args:
        table: what it has.
        page: what is added to its cells.
        name: of a table without a title.
        section: identifier of the section, which the table must not have again.
    """
    own = f"table-{table.key}" if table.key == section else table.key
    first, *others = table.columns
    groups = [list(own) for _, own in groupby(others, key=lambda column: column.group)]
    if table.brief and len(groups) > 1:
        parts = (_part(table, [first, *own], table.filled_rows(own)) for own in groups)
        return "".join(table_html(part, page, name, section) for part in parts) + _notes(table)
    title = escape(table.title or name)
    caption = f"<caption>{escape(table.title)}</caption>" if table.title else ""
    interactive = bool(table.key) and not table.brief and len(table.rows) > 1
    kind = "values brief" if table.brief else "values headline" if interactive else "values"
    # Tables of a case are small; measuring each takes as long as writing it.
    points = _points(table) if interactive or section else 0
    if points <= SIDEWAYS:
        table = replace(table, columns=[replace(each, detail=False) for each in table.columns])
    rows = list(_body(table, page, interactive=interactive))
    shown = "".join(rows)
    if interactive:
        # A heading of a group precedes the first of its rows.
        shown = "".join(rows[:STATIC_ROWS])
        if rows[STATIC_ROWS:]:
            page.rows[own] = rows[STATIC_ROWS:]
    head = "".join(_head(table, sorts=interactive))
    minor = joined([column.title for column in table.columns if column.detail])
    without = f'<p class="note on-paper">On paper without {escape(minor)}.</p>' if minor else ""
    region = (
        f'<div class="scroll" tabindex="0" role="group" aria-label="Table: {title}">'
        f'<table class="{kind}">{caption}<thead>{head}</thead>'
        f"<tbody>{shown}</tbody></table></div>{without}"
    )
    if interactive:
        wide = " wide" if points > UPRIGHT else ""
        region = (
            f'<div class="result{wide}" id="{escape(own)}"><p class="hint" hidden></p>'
            f"{region}{MORE.format('rows')}</div>"
        )
    return f"{region}{_notes(table)}"


def _part(table: Table, columns: Sequence[Column], rows: Sequence[int]) -> Table:
    chosen = [replace(each, cells=[each.cells[row] for row in rows]) for each in columns]
    return replace(table, columns=chosen, rows=[table.rows[row] for row in rows], notes=())


def _points(table: Table) -> float:
    """Estimate the width in print: numbers are whole, other texts broken; intervals are below."""
    points = 0.0
    for column in table.columns:
        shown = figures.shown(column, table)
        texts = [f"{one.value}{one.more}" for one in shown]
        if column.kind in ("label", "text"):
            texts = [word for words in texts for word in words.split(" ")]
        longest = max(map(len, [*figures.heading(column, table)[1].split(), *texts]), default=0)
        longest = max(longest, *(len(one.interval) for one in shown), 0)
        badges = max((len(cell.marks) for cell in column.cells), default=0)
        points += LETTER * longest + BADGE * badges + PADDING
    return points


def _notes(table: Table) -> str:
    return "".join(f'<p class="note">{words_html(str(note))}</p>' for note in table.notes)


def _head(table: Table, *, sorts: bool) -> Iterator[str]:
    headings = [figures.heading(column, table) for column in table.columns]
    if any(group for group, _ in headings):
        yield "<tr>"
        for group, own in groupby(headings, key=lambda heading: heading[0]):
            span = len(list(own))
            yield (
                f'<th scope="colgroup" colspan="{span}">{escape(group)}</th>'
                if group
                else (f'<td colspan="{span}"></td>')
            )
        yield "</tr>"
    yield "<tr>"
    for place, (column, (_, title)) in enumerate(zip(table.columns, headings, strict=True)):
        words = escape(title)
        if sorts:
            arrow = '<span class="arrow" aria-hidden="true"></span>'
            words = f'<button type="button" data-column="{place}">{words}{arrow}</button>'
        note = f' title="{escape(column.note)}"' if column.note else ""
        yield f'<th scope="col" class="{_kind(column)}"{note}>{words}</th>'
    yield "</tr>"


def _kind(column: Column) -> str:
    kind = "words" if column.kind in ("label", "text") else column.kind
    return f"{kind} minor" if column.detail else kind


def _body(table: Table, page: Page, *, interactive: bool) -> Iterator[str]:
    """Yield rows; the heading of a group is with the first of its rows."""
    shown = [figures.shown(column, table) for column in table.columns]
    grouped = len(table.groups) > 1
    for name, rows in table.groups.items():
        heading = ""
        if grouped and name:
            span = f'scope="colgroup" colspan="{len(table.columns)}"'
            heading = f'<tr class="group"><th {span}>{escape(name)}</th></tr>'
        for at in rows:
            row = table.rows[at]
            group = name if grouped and interactive else ""
            cells = "".join(
                _cell(column, column.cells[at], texts[at], page, row, group, sorts=interactive)
                for column, texts in zip(table.columns, shown, strict=True)
            )
            own = ""
            if interactive:
                own = f' data-group="{escape(group)}"'
                if row.case in page.numbers:
                    own += f' data-case="{escape(row.case)}" data-n="{page.numbers[row.case]}"'
            yield f'{heading}<tr class="is-{row.role or "plain"}"{own}>{cells}</tr>'
            heading = ""


def _cell(
    column: Column,
    cell: Cell,
    shown: figures.CellText,
    page: Page,
    row: Row,
    group: str,
    *,
    sorts: bool,
) -> str:
    words, label = words_html(shown.value), column.kind == "label"
    target = page.case(cell.case) or (page.case(row.case) if label else "")
    if flag := flag_of(shown.value, page.flags):
        target = flag[2]
    address = cell.link or (f"#{target}" if target else "")
    if address:
        words = f'<a href="{escape(address)}">{words}</a>'
    if swatch := page.swatches.get(cell.label):
        words = (
            f'<span class="mark" style="color:{swatch["colour"]}" aria-hidden="true">'
            f"{swatch['mark']}</span>{words}"
        )
    words += f' <span class="interval">{escape(shown.interval)}</span>' if shown.interval else ""
    words += f' <span class="more">{escape(shown.more)}</span>' if shown.more else ""
    if label and group:
        words += f' <span class="of">{escape(group)}</span>'
    if label and row.status:
        kind = row.status.replace(" ", "_")
        words += f' <span class="tag {escape(kind)}">{escape(row.status)}</span>'
    words += "".join(_badge(mark, page) for mark in cell.marks)
    note = f' title="{escape(cell.note)}"' if cell.note else ""
    verdict = f" is-{cell.verdict}" if cell.verdict else ""
    value = cell.value if cell.value is not None else cell.text
    own = ""
    if sorts:
        own = f' data-sort="{escape("Infinity" if value == float("inf") else str(value))}"'
    if label:
        kind = ' class="long"' if len(shown.value) > LONG else ""
        return f'<th scope="row"{kind}{own}{note}>{words}</th>'
    kind = _kind(column)
    if column.kind == "text" and len(f"{shown.value} {shown.more}") <= SHORT:
        kind += " short"
    return f'<td class="{kind}{verdict}"{own}{note}>{words}</td>'


def _badge(mark: str, page: Page) -> str:
    flag = flag_of(mark, page.flags)
    if flag is None:
        return f' <span class="flag">{escape(mark)}</span>'
    _, severity, target, title = flag
    text = escape(f"{severity}: {title}")
    return (
        f' <a class="flag is-{severity}" href="#{escape(target)}" title="{text}" '
        f'aria-label="{text}">{escape(mark)}</a>'
    )
