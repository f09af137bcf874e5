"""A document as a Jupyter notebook that was run: sections as Markdown, charts and its own cells as
code."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import Any

import nbformat
from nbformat import v4

from busmark import files
from busmark.present.document import Chart, Document, Section, SourceText, code
from busmark.present.markup import escaped, section_markdown
from busmark.present.sinks.kernel import execute
from busmark.present.vega import specification

WIDTH = 900
"""Pixels of a chart."""

# nbformat has no types.
_NEW: dict[str, Any] = {
    "markdown": v4.new_markdown_cell,
    "code": v4.new_code_cell,
    "notebook": v4.new_notebook,
}


def write(document: Document, folder: Path) -> list[Path]:
    """Write the notebook into `folder`, where its cells are run, with what they gave.

    Raises:
        UserError: a cell fails; nothing is written then.
    """
    made = notebook(document)
    execute(made, folder)
    path = folder / f"{document.stem}.ipynb"
    files.write(path, json.dumps(made, ensure_ascii=False, indent=1, sort_keys=True) + "\n")
    return [path]


def notebook(document: Document) -> nbformat.NotebookNode:
    """Return the notebook, not run; for any Python kernel that has Busmark."""
    cells = list(sources(document))
    made: nbformat.NotebookNode = _NEW["notebook"](
        cells=[_NEW["code" if each.is_code else "markdown"](each.text) for each in cells]
    )
    made.metadata["kernelspec"] = {
        "name": "python3",
        "display_name": "Python 3",
        "language": "python",
    }
    for number, cell in enumerate(made.cells, 1):
        # They are random otherwise, and the same result must give the same file.
        cell["id"] = f"cell-{number:03d}"
    return made


def sources(document: Document) -> Iterator[SourceText]:
    """Return the cells of the title and of all sections."""
    lines = "\n\n".join(f"*{escaped(line)}*" for line in document.lines)
    yield SourceText(f"# {escaped(document.title)}\n\n{lines}".strip())
    blocks = [block for section in document.sections for block in section.blocks]
    if any(isinstance(block, Chart) for block in blocks):
        yield code("from busmark.present.display import Drawing")
    for section in document.sections:
        rest = replace(section, folded=False)
        for kind, group in groupby(section.blocks, key=_kind):
            blocks = list(group)
            if kind is None:
                yield SourceText(section_markdown(replace(rest, blocks=blocks)))
            for block in blocks:
                if isinstance(block, Chart):
                    yield from _chart(block)
                elif isinstance(block, SourceText):
                    yield block
            rest = Section("", [])


def _kind(block: object) -> type | None:
    return type(block) if isinstance(block, Chart | SourceText) else None


def _chart(chart: Chart) -> Iterator[SourceText]:
    """Yield a heading, and a cell for each shape, which has its data."""
    yield SourceText(f"### {escaped(chart.title)}\n\n{escaped(chart.explanation)}".strip())
    for shape in chart.shapes:
        caption = f"{chart.title}. {shape.caption}".strip(". ")
        # JSON that Python reads has its True and None.
        yield code(f"Drawing({specification(shape, width=WIDTH)!r}, {caption!r})")
