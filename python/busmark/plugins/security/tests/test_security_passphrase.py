"""The file of a passphrase: of a command and of a scenario alike."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from pydantic import ValidationError

from busmark.errors import UserError
from busmark.plugins.security.reading import passphrase
from busmark.scenario import Scenario


@pytest.mark.parametrize(
    ("content", "found"),
    [
        (b"secret\nmore\n", "secret"),
        (b"secret\r\n", "secret"),
        (b"ab\x0ccd\n", "ab\x0ccd"),
        ("pa\x85ss".encode(), "pa\x85ss"),
        (b"x" * 1023, "x" * 1023),
    ],
)
def test_it_is_the_first_line(tmp_path: Path, content: bytes, found: str) -> None:
    path = tmp_path / "file"
    path.write_bytes(content)
    assert passphrase(path) == found


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (b"", "empty"),
        (b"\nsecret\n", "empty"),
        (b"x" * 1024, "too long"),
        ("ß".encode() * 600, "too long"),
        (b"\x9a", "not text in UTF-8"),
    ],
)
def test_what_is_none_is_refused(tmp_path: Path, content: bytes, text: str) -> None:
    path = tmp_path / "file"
    path.write_bytes(content)
    with pytest.raises(UserError, match=text) as refused:
        passphrase(path)
    assert refused.value.where == str(path)


@pytest.mark.parametrize("kind", ["absent", "folder", "pipe"])
def test_it_is_an_ordinary_file(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "file"
    if kind == "folder":
        path.mkdir()
    elif kind == "pipe":
        os.mkfifo(path)
    with pytest.raises(UserError, match=r"cannot be read: [A-Za-z]"):
        passphrase(path)


def test_a_run_that_makes_its_own_documents_takes_none() -> None:
    with pytest.raises(ValidationError, match="passphrase_file goes with directory"):
        Scenario.model_validate({"name": "x", "security": {"passphrase_file": "file"}})
