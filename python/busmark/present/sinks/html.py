"""Blocks of a document as HTML, for a page.

All text is escaped. What stands beside a name, such as the colour of a curve, comes from the page.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from html import escape
from itertools import groupby

from busmark.present import figures
from busmark.present.document import Block, Cell, Chart, Column, Section, Table, Text


@dataclass(frozen=True, slots=True)
class Page:
    """What a page adds to a table."""

    swatches: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """Colour and mark of a label."""
    findings: Mapping[str, str] = field(default_factory=dict)
    """Element that explains a mark, such as "!b"."""
    case: Callable[[str], str] = lambda case: ""
    """Element of a case."""


def key_of(section: Section) -> str:
    """Return the identifier of the element of a section."""
    return section.key or section.title.lower().replace(" ", "-")


def section_html(section: Section, page: Page, *, folds: bool = False) -> str:
    """Return a section; `folds`: a folded one is opened by a click."""
    summary = f" <small>{escape(section.summary)}</small>" if section.summary else ""
    title = f"<h2>{escape(section.title)}{summary}</h2>\n" if section.title else ""
    label = escape(section.title or "Notes")
    blocks = "\n".join(block_html(block, page, section.title) for block in section.blocks)
    key = key_of(section)
    named = f' id="{escape(key)}"' if key else ""
    begin = f'<section class="part"{named} aria-label="{label}">'
    if folds and section.folded:
        return f"{begin}\n<details><summary>{title.strip()}</summary>{blocks}</details>\n</section>"
    return f"{begin}\n{title}{blocks}\n</section>"


def block_html(block: Block, page: Page, name: str = "") -> str:
    """Return a table, a chart's figure or a paragraph; `name`: of a table without a title."""
    if isinstance(block, Table):
        return table_html(block, page, name)
    return chart_html(block) if isinstance(block, Chart) else text_html(block)


def chart_html(chart: Chart) -> str:
    """Return the figure in which the page's script draws a chart."""
    key, title, caption = escape(chart.key), escape(chart.title), escape(chart.shapes[0].caption)
    explanation = escape(chart.explanation)
    choices = "".join(
        f'<label>{escape(name)} <select autocomplete="off" data-key="{escape(name)}">'
        f"{''.join(f'<option>{escape(value)}</option>' for value in values)}</select></label>"
        for name, values in selectors(chart).items()
    )
    return (
        f'<figure class="chart"><h3>{title}</h3><p class="note explanation">{explanation}</p>'
        f'<div class="controls">{choices}</div>'
        f'<div class="plot" id="{key}" role="img" aria-label="{title}. {caption}"></div>'
        f'<figcaption>{caption}</figcaption><p class="legend note" hidden></p>'
        '<details class="data"><summary>Data</summary></details>'
        f'<p class="tools note"><a href="#{key}">Link to this chart</a> '
        '<button type="button" class="save">Save as SVG</button> <span class="moves" hidden>'
        "Drag to move, Ctrl and wheel to zoom, double click for all.</span></p></figure>"
    )


def selectors(chart: Chart) -> dict[str, list[str]]:
    """Return the keys of which the shapes of a chart have several values, with these."""
    values: dict[str, dict[str, None]] = {}
    for shape in chart.shapes:
        for name, value in shape.keys:
            values.setdefault(name, {})[value] = None
    return {name: list(found) for name, found in values.items() if len(found) > 1}


def text_html(text: Text) -> str:
    """Return a sentence as a paragraph."""
    kind = f' class="is-{text.style}"' if text.style else ""
    return f"<p{kind}>{_with_code(str(text).strip())}</p>"


def _with_code(words: str) -> str:
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(words))


def table_html(table: Table, page: Page, name: str = "") -> str:
    """Return a table in a region that scrolls, and its notes. Each group of columns of a brief
    table is a table of its own, so that all are in sight."""
    first, *others = table.columns
    groups = [list(own) for _, own in groupby(others, key=lambda column: column.group)]
    if table.brief and len(groups) > 1:
        parts = [replace(table, columns=[first, *own], notes=()) for own in groups]
        return "".join(table_html(part, page, name) for part in parts) + _notes(table)
    title = table.title or name
    caption = f"<caption>{escape(table.title)}</caption>" if table.title else ""
    kind = "values brief" if table.brief else "values"
    return (
        f'<div class="scroll" tabindex="0" role="region" aria-label="Table: {escape(title)}">'
        f'<table class="{kind}">{caption}<thead>{"".join(_head(table))}</thead>'
        f"<tbody>{''.join(_body(table, page))}</tbody></table></div>{_notes(table)}"
    )


def _notes(table: Table) -> str:
    return "".join(f'<p class="note">{escape(str(note))}</p>' for note in table.notes)


def _head(table: Table) -> Iterator[str]:
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
    for column, (_, title) in zip(table.columns, headings, strict=True):
        note = f' title="{escape(column.note)}"' if column.note else ""
        yield f'<th scope="col" class="{_kind(column)}"{note}>{escape(title)}</th>'
    yield "</tr>"


def _kind(column: Column) -> str:
    return "words" if column.kind in ("label", "text") else column.kind


def _body(table: Table, page: Page) -> Iterator[str]:
    shown = [figures.shown(column, table) for column in table.columns]
    grouped = len(table.groups) > 1
    for name, rows in table.groups.items():
        if grouped and name:
            span = f'scope="colgroup" colspan="{len(table.columns)}"'
            yield f'<tr class="group"><th {span}>{escape(name)}</th></tr>'
        for at in rows:
            row = table.rows[at]
            yield f'<tr class="is-{row.role or "plain"}">'
            for column, texts in zip(table.columns, shown, strict=True):
                yield _cell(
                    column,
                    column.cells[at],
                    texts[at],
                    page,
                    page.case(row.case) if row.case else "",
                )
            yield "</tr>"


def _cell(column: Column, cell: Cell, shown: figures.Shown, page: Page, case: str) -> str:
    words = _with_code(shown.value) if column.kind == "text" else escape(shown.value)
    target = page.case(cell.case) if cell.case else case if column.kind == "label" else ""
    if target := page.findings.get(shown.value, target):
        words = f'<a href="#{escape(target)}">{words}</a>'
    if swatch := page.swatches.get(cell.label):
        words = (
            f'<span class="mark" style="color:{swatch["colour"]}" aria-hidden="true">'
            f"{swatch['mark']}</span>{words}"
        )
    words += f' <span class="interval">{escape(shown.interval)}</span>' if shown.interval else ""
    words += f' <span class="more">{escape(shown.more)}</span>' if shown.more else ""
    for mark in cell.marks:
        words += (
            f' <a class="flag" href="#{escape(page.findings.get(mark, ""))}">{escape(mark)}</a>'
        )
    note = f' title="{escape(cell.note)}"' if cell.note else ""
    verdict = f" is-{cell.verdict}" if cell.verdict else ""
    if column.kind == "label":
        return f'<th scope="row"{note}>{words}</th>'
    return f'<td class="{_kind(column)}{verdict}"{note}>{words}</td>'
