"""What is generated is what `make generate` would write."""

from __future__ import annotations

import sys

import pytest
from docs_pages import ROOT

sys.path.insert(0, str(ROOT))

from tools import generate


def test_no_generated_file_is_stale() -> None:
    assert sorted(generate.stale()) == [], "run `make generate`"


def test_a_changed_file_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(generate, "GENERATED", {"docs/README.md": lambda: "another text"})
    assert list(generate.stale()) == ["docs/README.md"]
