"""Tests go through the doors of packages, so that what is behind them can change."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest
from docs_pages import ROOT

TESTS = ROOT / "python" / "tests"
FOLDERS = (
    "analysis", "bench", "compare", "docs", "findings", "frames", "model", "oracles", "present",
    "stats", "store", "tools", "track",
)  # fmt: skip
DOORS = {"busmark.cli.main", "busmark.compare.campaign", "busmark.estimate.columns",
         "busmark.estimate.frames", "busmark.estimate.stream", "busmark.model.parameters",
         "busmark.model.quantities", "busmark.model.statistics", "busmark.model.stream",
         "busmark.plugins.papers.repetition",
         "busmark.present.drawings"}  # fmt: skip
"""Modules that are public though they are within a package; all others are a package's own."""

PLACES = {TESTS / folder: "-" for folder in FOLDERS} | {
    path: path.parent.name for path in ROOT.glob("python/busmark/plugins/*/tests")
}
"""Folders of tests, each with its plug-in: tests of a plug-in belong to it, and see its modules."""

BY_HAND = {"test_figures.py", "test_sinks.py", "test_texts.py", "documents_campaigns.py",
           "test_papers_documents.py"}  # fmt: skip
"""Documents and cells are written by hand there."""


def modules(path: Path) -> Iterator[str]:
    """Yield every module of Busmark's that a file imports."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
        elif isinstance(node, ast.Import):
            yield from (name.name for name in node.names)


@pytest.mark.parametrize("folder", PLACES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_a_test_imports_doors_only(folder: Path) -> None:
    own = f"busmark.plugins.{PLACES[folder]}"
    found = {
        f"{path.name}: {module}"
        for path in folder.rglob("*.py") if path.name not in BY_HAND
        for module in modules(path)
        if module.startswith("busmark.") and module.count(".") > 1
        and module not in DOORS and not module.startswith(own)
    }  # fmt: skip
    assert not found
