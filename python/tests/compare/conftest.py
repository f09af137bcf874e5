"""Campaigns that most tests compare, written once."""

from __future__ import annotations

from pathlib import Path

import pytest
from compare_results import campaign


@pytest.fixture(scope="session")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a folder with `base`, `again` (the same) and `slow` (5 % slower)."""
    folder = tmp_path_factory.mktemp("campaigns")
    campaign(folder / "base", seed=1)
    campaign(folder / "again", seed=2)
    campaign(folder / "slow", 1.05, seed=3)
    return folder
