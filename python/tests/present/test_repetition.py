"""The document that compares a campaign with a paper: packed results, as reviewed."""

from __future__ import annotations

import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest
from present_documents import page_text, printed

from busmark.analysis import summarise
from busmark.documents import Repetition, repetition
from busmark.present.blocks.repetition import document
from busmark.present.sinks.markdown import markdown
from busmark.present.sinks.page import page
from busmark.store import Result

RESULTS = Path(__file__).parents[1] / "oracles" / "results"

Golden = Callable[[str, str], None]


@pytest.fixture(scope="module")
def repeated(tmp_path_factory: pytest.TempPathFactory) -> Repetition:
    """Throughput of OpenDDSBench, most of its middleware missing."""
    folder = tmp_path_factory.mktemp("openddsbench")
    with tarfile.open(RESULTS / "openddsbench.tar.xz") as packed:
        packed.extractall(folder, filter="data")
    found = repetition(summarise(Result(folder / "result"), with_series=False))
    assert found is not None
    return found


def test_a_repetition_is_as_reviewed(repeated: Repetition, golden: Golden) -> None:
    shown = document(repeated)
    golden("repetition-80.txt", printed(shown, 80))
    golden("repetition.md", markdown(shown))
    golden("repetition-page.txt", page_text(page(shown, "comparison")))


def test_statements_of_other_scenarios_are_counted(repeated: Repetition) -> None:
    assert f"on latency, are in other scenarios of the pack: {len(repeated.not_asked)}." in printed(
        document(repeated), None
    )


@pytest.mark.parametrize("width", [40, 80, 140])
def test_no_line_is_wider_than_the_terminal(repeated: Repetition, width: int) -> None:
    assert max(map(len, printed(document(repeated), width).splitlines())) <= width
