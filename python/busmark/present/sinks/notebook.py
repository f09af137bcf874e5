"""A document as a Jupyter notebook that was run: sections as Markdown, charts and working cells as
code."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from textwrap import dedent
from typing import Any

import nbformat
from nbformat import v4

from busmark.present.document import Chart, Document, Section
from busmark.present.markup import escaped
from busmark.present.sinks.kernel import execute
from busmark.present.sinks.markdown import section_markdown
from busmark.store.atomic import write_text

FILE = "report.ipynb"

# nbformat has no types.
_NEW: dict[str, Any] = {
    "markdown": v4.new_markdown_cell, "code": v4.new_code_cell, "notebook": v4.new_notebook,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Source:
    """What a cell holds: Markdown, or Python."""

    text: str
    is_code: bool = False


def code(text: str) -> Source:
    """Return the source of a cell of Python, without the indentation of all its lines."""
    return Source(dedent(text).strip(), is_code=True)


def write(
    document: Document, first: Sequence[Source], last: Sequence[Source], folder: Path
) -> list[Path]:
    """Write the notebook into `folder`, with what its cells gave.

    Args:
        document: what it shows.
        first: cells behind the title, which the charts need.
        last: cells at the end.
        folder: also where the cells are run.

    Raises:
        UserError: a cell fails; nothing is written then.
    """
    made = notebook([Source(_title(document)), *first, *sources(document), *last])
    execute(made, folder)
    path = folder / FILE
    write_text(path, json.dumps(made, ensure_ascii=False, indent=1, sort_keys=True) + "\n")
    return [path]


def notebook(cells: Sequence[Source]) -> nbformat.NotebookNode:
    """Return the notebook, not run; for any Python kernel that has Busmark."""
    made: nbformat.NotebookNode = _NEW["notebook"](
        cells=[_NEW["code" if each.is_code else "markdown"](each.text) for each in cells]
    )
    made.metadata["kernelspec"] = {
        "name": "python3", "display_name": "Python 3", "language": "python",
    }  # fmt: skip
    for number, cell in enumerate(made.cells, 1):
        # They are random otherwise, and the same result must give the same file.
        cell["id"] = f"cell-{number:03d}"
    return made


def sources(document: Document) -> Iterator[Source]:
    """Return the cells of all sections."""
    for section in document.sections:
        rest = replace(section, folded=False)
        for is_chart, group in groupby(section.blocks, key=lambda each: isinstance(each, Chart)):
            blocks = list(group)
            if not is_chart:
                yield Source(section_markdown(replace(rest, blocks=blocks)))
            for block in blocks:
                if isinstance(block, Chart):
                    yield from _chart(block)
            rest = Section("", [])


def _title(document: Document) -> str:
    lines = "\n\n".join(f"*{escaped(line)}*" for line in document.lines)
    return f"# {escaped(document.title)}\n\n{lines}"


def _chart(chart: Chart) -> Iterator[Source]:
    """A heading, and a cell for each choice of cases."""
    yield Source(f"### {escaped(chart.title)}\n\n{escaped(chart.explanation)}".strip())
    for shape in chart.shapes:
        choice = f", {dict(shape.keys)!r}" if shape.keys else ""
        yield code(f"chart(r, {chart.key!r}{choice})")
