"""Licences of dependencies: what is allowed, and that all of them are."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from tools.licences import Package, Rules, main, met

FREE = frozenset({"MIT", "Zlib", "Apache-2.0 WITH LLVM-exception"})


@pytest.mark.parametrize(
    ("expression", "fine"),
    [
        ("MIT", True),
        ("MIT OR GPL-3.0-only", True),
        ("MIT AND GPL-3.0-only", False),
        ("MIT/GPL-3.0", True),
        ("GPL-3.0-only", False),
        ("GPL-3.0-only OR (MIT AND Zlib)", True),
        ("GPL-3.0-only AND MIT OR Zlib", True),
        ("(GPL-3.0-only OR MIT) AND GPL-2.0-only", False),
        ("Apache-2.0 WITH LLVM-exception", True),
        ("Apache-2.0", False),
        ("", False),
        ("MIT OR", False),
        ("(MIT", False),
        ("MIT MIT", False),
        ("do what you want", False),
        ("none stated", False),
    ],
)
def test_an_expression_is_met_by_what_is_allowed(expression: str, fine: bool) -> None:
    assert met(expression, FREE) is fine


LEAVES = st.sampled_from(["MIT", "Zlib", "GPL-3.0-only", "AGPL-3.0-only"])
TREES = st.recursive(
    LEAVES, lambda inner: st.tuples(inner, st.sampled_from(["AND", "OR"]), inner), max_leaves=8
)


def text(tree: object) -> str:
    return tree if isinstance(tree, str) else f"({' '.join(map(text, tree))})"  # type: ignore[call-overload]


def truth(tree: object) -> bool:
    if isinstance(tree, str):
        return tree in FREE
    left, word, right = tree  # type: ignore[misc]
    return truth(left) and truth(right) if word == "AND" else truth(left) or truth(right)


@given(TREES)
def test_any_expression_is_as_true_as_its_parts(tree: object) -> None:
    assert met(text(tree), FREE) is truth(tree)


def test_an_exception_is_for_its_package_only() -> None:
    rules = Rules(frozenset({"MIT"}), {"MIT License": "MIT"}, {"odd": "why"})
    assert rules.allow(Package("odd", "1", "proprietary"))
    assert not rules.allow(Package("other", "1", "proprietary"))
    assert rules.allow(Package("other", "1", "MIT License"))


def test_all_dependencies_are_allowed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main() == 0, capsys.readouterr().out
