"""Documents as files that are reviewed: `BUSMARK_GOLDEN=write pytest` writes them anew."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from synthetic_campaign import Builder, comparison
from varied_campaigns import alike_campaign, varied_campaign

from busmark.analysis import Campaign, summarise
from busmark.store import Result

FOLDER = Path(__file__).parent / "golden"

Golden = Callable[[str, str], None]


@pytest.fixture
def golden() -> Golden:
    def check(name: str, text: str) -> None:
        path = FOLDER / name
        if os.environ.get("BUSMARK_GOLDEN") == "write":
            path.write_text(text, encoding="utf-8")
        assert text == path.read_text(encoding="utf-8"), f"{name} is not as it was reviewed"

    return check


@pytest.fixture(scope="session")
def campaign(tmp_path_factory: pytest.TempPathFactory) -> Campaign:
    """A comparison with everything in it."""
    directory = tmp_path_factory.mktemp("comparison")
    return summarise(Result(comparison(directory, samples=1500, rounds=3)))


@pytest.fixture(scope="session")
def varied(tmp_path_factory: pytest.TempPathFactory) -> Campaign:
    return varied_campaign(tmp_path_factory.mktemp("varied"))


@pytest.fixture(scope="session")
def alike(tmp_path_factory: pytest.TempPathFactory) -> Campaign:
    return alike_campaign(tmp_path_factory.mktemp("alike"))


@pytest.fixture(scope="session")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Campaign:
    """An interrupted campaign with markup in every text, nothing measured."""
    build = Builder(tmp_path_factory.mktemp("hostile"))
    markup = "</script><img src=http://example.org/x> \N{RIGHT-TO-LEFT OVERRIDE}[bold]\nline"
    build.case("udp-1", transport=markup)
    build.case("udp-2", "unsupported", markup)
    build.findings.append(
        {"id": "x", "severity": "error", "title": markup, "cause": markup, "evidence": markup,
         "remedy": markup}
    )  # fmt: skip
    directory = build.finish(
        scenario={"name": markup, "question": markup}, command=markup, finished_utc=None,
        missing_adapters={"rti": markup}, hosts={}, adapters={},
    )  # fmt: skip
    (directory / "cases.parquet").unlink()
    return summarise(Result(directory))
