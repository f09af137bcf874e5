"""Labs for tests: of names that nobody else has, gone afterwards."""

from __future__ import annotations

import contextlib
import subprocess
import uuid
from collections.abc import Iterator

import pytest

from busmark.errors import UserError
from busmark.plugins.lab.lab import lay_down


@pytest.fixture
def name(lab_is_possible: None) -> Iterator[str]:
    """Yield a name for a lab, which is removed at the end if it is there."""
    chosen = f"t{uuid.uuid4().hex[:10]}"
    yield chosen
    with contextlib.suppress(UserError):
        lay_down(chosen)
    listed = subprocess.run(["ip", "netns", "list"], capture_output=True, text=True, check=True)
    assert chosen not in listed.stdout
