"""A directory in which nothing could be begun: what is to be done with it."""

from __future__ import annotations

from pathlib import Path

import pytest

from busmark.errors import UserError
from busmark.store import EVENTS, FOLDERS, LOCK, MANIFEST, Manifest, ResultWriter


def manifest() -> Manifest:
    return Manifest(
        busmark_version="0", created_utc="", command="", seed=1, cookie="ff", scenario={},
        scenario_text="", hosts={}, adapters={}, cases=[],
    )  # fmt: skip


def begun(directory: Path) -> None:
    """Make what a start leaves that found no room for the manifest."""
    directory.mkdir()
    for folder in FOLDERS:
        (directory / folder).mkdir()
    for name in (LOCK, EVENTS, f"{MANIFEST}.partial"):
        (directory / name).touch()


def test_one_without_a_manifest_is_taken_by_run_and_resume_says_so(tmp_path: Path) -> None:
    directory = tmp_path / "r"
    begun(directory)
    with pytest.raises(UserError, match="Run it again without --resume"):
        ResultWriter.resume(directory)
    ResultWriter.create(directory, manifest()).close()
    ResultWriter.resume(directory).close()


def test_one_that_holds_something_else_is_not_called_a_campaign(tmp_path: Path) -> None:
    (tmp_path / "notes").touch()
    with pytest.raises(UserError, match="holds no campaign"):
        ResultWriter.create(tmp_path, manifest())
    with pytest.raises(UserError, match="not a result directory"):
        ResultWriter.resume(tmp_path)
