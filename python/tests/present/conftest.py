"""Documents as files that are reviewed: `BUSMARK_GOLDEN=write pytest` writes them anew."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
import synthetic_campaign
from busmark.compare.campaign import Campaign, summarise
from varied_campaigns import alike_campaign, varied_campaign

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
def result(tmp_path_factory: pytest.TempPathFactory) -> Result:
    """A comparison with everything in it."""
    directory = tmp_path_factory.mktemp("comparison")
    return Result(synthetic_campaign.comparison(directory, samples=1500, rounds=3))


@pytest.fixture(scope="session")
def campaign(result: Result) -> Campaign:
    return summarise(result)


@pytest.fixture(scope="session")
def varied(tmp_path_factory: pytest.TempPathFactory) -> Campaign:
    return varied_campaign(tmp_path_factory.mktemp("varied"))


@pytest.fixture(scope="session")
def alike(tmp_path_factory: pytest.TempPathFactory) -> Campaign:
    return alike_campaign(tmp_path_factory.mktemp("alike"))


@pytest.fixture(scope="session")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Campaign:
    """An interrupted campaign with markup in every text, nothing measured."""
    directory = tmp_path_factory.mktemp("hostile") / "result"
    return summarise(Result(synthetic_campaign.hostile(directory)))
