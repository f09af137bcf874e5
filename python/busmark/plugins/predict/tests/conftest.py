"""A result with the truth known, made once."""

from __future__ import annotations

import pytest
from predict_results import two_adapters

from busmark.store import Result


@pytest.fixture(scope="session")
def measured(tmp_path_factory: pytest.TempPathFactory) -> Result:
    return two_adapters(tmp_path_factory.mktemp("measured"))
