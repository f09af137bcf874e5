"""A folder, a TMPDIR and a watch over left-over processes for every end-to-end test."""

from __future__ import annotations

import os
import shutil
import signal
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from e2e_harness import Lab


def make_lab(folder: Path) -> Iterator[Lab]:
    scratch = Path(tempfile.mkdtemp(prefix="bm-", dir="/tmp"))
    lab = Lab(folder, scratch)
    try:
        yield lab
    finally:
        for process in lab.processes():
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        shutil.rmtree(scratch, ignore_errors=True)


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[Lab]:
    yield from make_lab(tmp_path)


@pytest.fixture(scope="session")
def allowed() -> None:
    """Skip tests that capture packets where that cannot be done."""
    from busmark.errors import UserError
    from busmark.plugins.capture.dumpcap import check

    try:
        check("lo", "")
    except UserError as error:
        pytest.skip(str(error))


@pytest.fixture(scope="module")
def shared_lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    """Make a lab for a campaign that many tests look at."""
    yield from make_lab(tmp_path_factory.mktemp("campaign"))
