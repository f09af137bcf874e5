"""Captures that cannot be decoded, and rounds that are kept all the same."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path
from typing import Any

import pytest

from busmark.plugins.capture import hops
from busmark.control.round import RoundData
from busmark.store import Case

CASE = Case(id="c", params={"test": "latency"}, status="planned")


def round_of(folder: Path, *contents: bytes) -> RoundData:
    pair = {"monotonic_ns": time.monotonic_ns(), "realtime_ns": time.time_ns()}
    data = RoundData(participants=[{"participant": "a", "node": None, **pair}])
    for number, content in enumerate(contents):
        path = folder / f"{number}.pcapng"
        path.write_bytes(content)
        data.artefacts[f"capture.{number}"] = path
        data.captures.append({"file": str(number), "interface": "lo", "node": None})
    return data


def decoded(folder: Path, data: RoundData) -> hops.Wire:
    found = asyncio.run(hops.decode(CASE, 0, data, 1, folder))
    assert not [*folder.glob("unfinished*")]
    return found


def test_a_round_without_a_capture_has_nothing(tmp_path: Path) -> None:
    data = round_of(tmp_path)
    assert decoded(tmp_path, data) == hops.Wire() and not data.companions


def test_a_capture_that_is_none_is_reported_and_has_no_table(tmp_path: Path) -> None:
    data = round_of(tmp_path, b"this is no capture, but long enough to be one")
    assert decoded(tmp_path, data) == hops.Wire()
    (sentence,) = data.companions["hops"]
    assert "packets of lo were not evaluated" in sentence


def test_a_program_that_is_not_there_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def absent(*_: Any) -> list[str]:
        return [str(tmp_path / "absent")]

    monkeypatch.setattr(hops, "command", absent)
    data = round_of(tmp_path, b"")
    assert decoded(tmp_path, data) == hops.Wire()
    assert "were not evaluated" in data.companions["hops"][0]


def test_what_a_damaged_capture_still_has_is_in_the_table_but_its_costs_are_not(
    tmp_path: Path,
) -> None:
    section = b"\x0a\x0d\x0d\x0a\x1c\0\0\0\x4d\x3c\x2b\x1a\x01\0\0\0" + b"\xff" * 8 + b"\x1c\0\0\0"
    interface = b"\x01\0\0\0\x14\0\0\0\x01\0\0\0\0\0\x04\0\x14\0\0\0"
    packet = b"\x06\0\0\0\x24\0\0\0" + b"\0" * 12 + b"\x04\0\0\0" * 2 + b"abcd" + b"\x24\0\0\0"
    data = round_of(tmp_path, section + interface + packet + b"\x06\0\0\0\xff\xff\0\0")
    found = decoded(tmp_path, data)
    assert list(found.frames) == ["hops"] and not found.figures
    (sentence,) = data.companions["hops"]
    assert "the packets of lo end early" in sentence
