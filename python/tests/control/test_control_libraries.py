"""What is measured is the library whose checksum is stored, and no other is loaded."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from control_fakes import scenario

from busmark.adapters import Adapter
from busmark.adapters.conformance import digest
from busmark.control.begin import resume
from busmark.control.libraries import Libraries
from busmark.errors import UserError
from busmark.store import Case, Manifest
from busmark.store.writer import ResultWriter


def libraries(path: Path) -> Libraries:
    return Libraries({"x": Adapter("x", path, {}, None)}, {"x": digest(path)})


def test_a_library_that_was_replaced_ends_the_campaign(tmp_path: Path) -> None:
    path = tmp_path / "libx.so"
    path.write_bytes(b"one")
    watched = libraries(path)
    watched.check()
    (tmp_path / "new").write_bytes(b"two")
    (tmp_path / "new").replace(path)
    with pytest.raises(UserError, match="not the one that the finished rounds were run with"):
        watched.check()


def test_a_library_that_is_written_again_as_it_was_is_the_same(tmp_path: Path) -> None:
    path = tmp_path / "libx.so"
    path.write_bytes(b"one")
    watched = libraries(path)
    watched.check()
    path.write_bytes(b"one")
    os.utime(path, (1, 1))
    watched.check()


def test_going_on_loads_no_library_of_another_checksum(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The directory may be a stranger's, and name any library."""
    path = tmp_path / "libevil.so"
    path.write_bytes(b"code")
    loaded: list[Path] = []
    module = sys.modules["busmark.adapters.describe"]
    monkeypatch.setattr(module, "_start_worker", lambda _task, given: loaded.append(given))
    asked = scenario()
    asked.matrix.adapter = [str(path)]
    manifest = Manifest(
        busmark_version="0", created_utc="", command="", seed=1, cookie="1",
        scenario=asked.model_dump(mode="json"), scenario_text="", hosts={},
        cases=[Case(id="000-x", params={"adapter": str(path)}, status="planned")],
        adapters={str(path): {"sha256": "0" * 64}},
    )  # fmt: skip
    ResultWriter.create(tmp_path / "r", manifest).close()
    with pytest.raises(UserError, match="not the one that the finished rounds were run with"):
        resume(None, tmp_path / "r", [])
    assert loaded == []
