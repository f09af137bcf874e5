"""A result directory for the frames' tests."""

from __future__ import annotations

from pathlib import Path

import pytest
from synthetic_campaign import comparison

import busmark
from busmark.results import Results


@pytest.fixture(scope="session")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return comparison(tmp_path_factory.mktemp("frames"), samples=1200, rounds=3)


@pytest.fixture(scope="session")
def results(directory: Path) -> Results:
    return busmark.open(directory)
