"""Campaigns for the reports' tests, analysed once."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "analysis"))

import synthetic_campaign
from browser import Browser
from busmark.compare.campaign import Campaign, summarise

from busmark.present.pages import render
from busmark.store import Result


@pytest.fixture(scope="session")
def campaign(tmp_path_factory: pytest.TempPathFactory) -> Campaign:
    """A comparison with everything in it."""
    directory = tmp_path_factory.mktemp("comparison")
    return summarise(Result(synthetic_campaign.comparison(directory, samples=1500, rounds=3)))


@pytest.fixture(scope="session")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Campaign:
    """An interrupted campaign with markup in every text, nothing measured."""
    directory = tmp_path_factory.mktemp("hostile") / "result"
    return summarise(Result(synthetic_campaign.hostile(directory)))


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """A headless browser; without one the test is skipped."""
    with Browser(tmp_path_factory.mktemp("profile")) as opened:
        yield opened


@pytest.fixture(scope="module")
def path(campaign: Campaign, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of the comparison."""
    path = tmp_path_factory.mktemp("page") / "report.html"
    path.write_text(render(campaign), encoding="utf-8")
    return path
