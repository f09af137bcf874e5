"""The Python of the pages runs on a real result directory."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from docs_pages import blocks, name
from synthetic_campaign import comparison

EXAMPLES = [
    pytest.param(block.text, id=f"{name(block.page)}-{index}")
    for index, block in enumerate(blocks("python"))
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a folder with the result that the examples name."""
    place = tmp_path_factory.mktemp("examples")
    directory = place / "busmark-results" / "quickstart"
    directory.mkdir(parents=True)
    comparison(directory, samples=200, rounds=3)
    return place


@pytest.mark.parametrize("text", EXAMPLES)
def test_an_example_runs_and_prints(
    text: str, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for module in re.findall(r"^import (pandas|duckdb)", text, re.MULTILINE):
        pytest.importorskip(module)
    if "pandas" in text:
        pytest.importorskip("pyarrow", reason="pandas reads Parquet with pyarrow")
    monkeypatch.chdir(folder)
    exec(compile(text, "example", "exec"), {})
    assert len(capsys.readouterr().out.splitlines()) > 2
