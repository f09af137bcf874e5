"""The catalogues of the texts of findings."""

from __future__ import annotations

from pathlib import Path

import pytest
from seams import run

from busmark.findings import registry

TEXTS = registry.OWN.read_text(encoding="utf-8")
FIRST = TEXTS.index("[machine-changed]")


@pytest.fixture
def catalogue(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Have another catalogue read instead of the core's."""
    path = tmp_path / "texts.toml"
    monkeypatch.setattr(registry, "OWN", path)
    registry.by_subject.cache_clear()
    registry.rules.cache_clear()
    return path


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (TEXTS.replace("[machine-changed]", "[machine-changes]"), "machine-changes: there is no"),
        (TEXTS[:FIRST] + TEXTS[TEXTS.index("\n[", FIRST) :], "machine-changed: it has no title"),
        (TEXTS.replace("cause =", "causes =", 1), "machine-changed.causes: "),
        (TEXTS.replace('title = "The machine changed during rounds"', "title = 3"), ".title: "),
        (TEXTS + "[", "not TOML"),
    ],
)
def test_a_catalogue_that_is_wrong_is_refused(catalogue: Path, text: str, says: str) -> None:
    catalogue.write_text(text, encoding="utf-8")
    ended = run("doctor")
    registry.by_subject.cache_clear()
    registry.rules.cache_clear()
    assert ended.code == 2 and f"{catalogue}: " in ended.text and says in ended.text


def test_findings_of_a_plug_in_stand_where_its_catalogue_says() -> None:
    order = list(registry.rules())
    assert order.index("late-retransmission") == order.index("tcp-retransmits") + 1
    assert len(order) == len({*order})
