"""The formatter lays out everything but tables."""

from __future__ import annotations

import ast

import pytest
from docs_pages import ROOT

LITERALS = (ast.Tuple, ast.List, ast.Set, ast.Dict)


def is_table(node: ast.AST) -> bool:
    """Return whether it has three rows, each of several cells, or many names."""
    parts = node.values if isinstance(node, ast.Dict) else getattr(node, "elts", [])
    rows = sum(isinstance(part, (*LITERALS, ast.Call, ast.Starred)) for part in parts)
    return isinstance(node, LITERALS) and (rows >= 3 or len(parts) >= 20)


@pytest.mark.parametrize("folder", ["python/busmark", "tools", "bench", "packaging"])
def test_what_the_formatter_leaves_out_has_a_table(folder: str) -> None:
    for path in (ROOT / folder).rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        ends = {n for n, line in enumerate(text.splitlines(), 1) if line.endswith("# fmt: skip")}
        for node in ast.walk(ast.parse(text)) if ends else ():
            if isinstance(node, ast.stmt) and node.end_lineno in ends:
                assert any(map(is_table, ast.walk(node))), (path, node.lineno)
