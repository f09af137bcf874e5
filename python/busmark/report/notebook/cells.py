"""Cells, and the notebook they make."""

from __future__ import annotations

import json
from collections.abc import Sequence
from textwrap import dedent
from typing import Any

import nbformat
from nbformat import v4

from busmark.report.markup import escaped

# nbformat has no types.
_NEW: dict[str, Any] = {
    "markdown": v4.new_markdown_cell, "code": v4.new_code_cell, "notebook": v4.new_notebook,
}  # fmt: skip


def text(source: str) -> nbformat.NotebookNode:
    """A cell of Markdown."""
    cell: nbformat.NotebookNode = _NEW["markdown"](dedent(source).strip())
    return cell


def code(source: str) -> nbformat.NotebookNode:
    """A cell of Python."""
    cell: nbformat.NotebookNode = _NEW["code"](dedent(source).strip())
    return cell


def notebook(cells: Sequence[nbformat.NotebookNode]) -> nbformat.NotebookNode:
    """Notebook of these cells; for any Python kernel that has Busmark."""
    made: nbformat.NotebookNode = _NEW["notebook"](cells=list(cells))
    made.metadata["kernelspec"] = {
        "name": "python3", "display_name": "Python 3", "language": "python",
    }  # fmt: skip
    for number, cell in enumerate(made.cells, 1):
        # They are random otherwise, and the same result must give the same file.
        cell["id"] = f"cell-{number:03d}"
    return made


def written(made: nbformat.NotebookNode) -> str:
    """The file's text."""
    return json.dumps(made, ensure_ascii=False, indent=1, sort_keys=True) + "\n"


def bullets(sentences: Sequence[str], otherwise: str) -> str:
    """A list of sentences, as plain text."""
    return "\n".join(f"- {escaped(sentence)}" for sentence in sentences) or otherwise
