"""The document that compares a campaign with a paper, of a packed result."""

from __future__ import annotations

import tarfile
from collections.abc import Callable
from pathlib import Path

from present_documents import page_text, printed

from busmark.compare.campaign import summarise
from busmark.plugins.papers.blocks import document
from busmark.plugins.papers.repetition import repetition
from busmark.present.sinks.markdown import markdown
from busmark.present.sinks.page import page
from busmark.store import Result

PACKED = Path(__file__).parents[1] / "oracles" / "results" / "openddsbench.tar.xz"


def test_a_repetition_is_as_reviewed(tmp_path: Path, golden: Callable[[str, str], None]) -> None:
    with tarfile.open(PACKED) as packed:
        packed.extractall(tmp_path, filter="data")
    found = repetition(summarise(Result(tmp_path / "result"), with_series=False))
    assert found is not None
    shown = document(found)
    golden("repetition-80.txt", printed(shown, 80))
    golden("repetition.md", markdown(shown))
    golden("repetition-page.txt", page_text(page(shown)))
