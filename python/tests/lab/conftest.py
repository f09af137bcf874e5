"""Labs for tests: of names that nobody else has, gone afterwards."""

from __future__ import annotations

import contextlib
import uuid
from collections.abc import Iterator

import pytest

from busmark.errors import UserError
from busmark.plugins.lab.lab import lay_down
from busmark.plugins.lab import network


@pytest.fixture
def name(lab_is_possible: None) -> Iterator[str]:
    """A name for a lab, which is removed at the end if it is there."""
    chosen = f"t{uuid.uuid4().hex[:10]}"
    yield chosen
    with contextlib.suppress(UserError):
        lay_down(chosen)
    assert not [each for each in network.namespaces() if chosen in each]
