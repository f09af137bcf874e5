from __future__ import annotations

from pathlib import Path

import pytest
from planted import Planted


@pytest.fixture
def campaign(tmp_path: Path) -> Planted:
    return Planted(tmp_path / "result")
