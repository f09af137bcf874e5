"""Interface and address of a bus: what is not named is what this machine has. The program that
attaches there."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import seams

from busmark.errors import UserError
from busmark.plugins.bus import attachment
from busmark.plugins.bus.attachment import Attachment, completed
from busmark.plugins.bus.commands.traffic import places

HERE = [
    {"name": "lo", "address": "127.0.0.1", "loopback": True},
    {"name": "eth0", "address": "10.0.0.5", "loopback": False},
    {"name": "eth0", "address": "fe80::1", "loopback": False},
]


@pytest.fixture(autouse=True)
def two_interfaces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(attachment, "_interfaces", lambda: HERE)


@pytest.mark.parametrize(
    ("named", "found"),
    [
        ((None, None), ("lo", "127.0.0.1")),
        (("eth0", None), ("eth0", "10.0.0.5")),
        ((None, "10.0.0.5"), ("eth0", "10.0.0.5")),
        (("eth0", "fe80::1"), ("eth0", "fe80::1")),
    ],
)
def test_what_is_not_named_is_what_the_machine_has(named: Any, found: tuple[str, str]) -> None:
    assert completed(*named) == found


def test_an_interface_that_is_not_there_is_refused_with_those_that_are() -> None:
    with pytest.raises(UserError, match=r"eth0 with 10\.0\.0\.5") as refused:
        completed("eth9", None)
    assert refused.value.where == "--interface"


def test_whoever_finds_nobody_learns_of_the_other_interfaces() -> None:
    assert "eth0 (10.0.0.5)" in Attachment("cyclonedds").elsewhere()
    assert "--interface lo" in Attachment("x", interface="eth0", address="10.0.0.5").elsewhere()


def test_packets_between_programs_of_one_machine_are_looked_for_on_the_loopback() -> None:
    there = Attachment("x", interface="eth0", address="10.0.0.5")
    assert places(there, "udp") == [("eth0", "udp"), ("lo", "(udp) and host 10.0.0.5")]
    assert places(Attachment("x"), "udp") == [("lo", "udp")]


@pytest.mark.parametrize("text", [None, "\x7fELF, but not really"])
def test_a_program_that_cannot_be_started_is_named(tmp_path: Path, text: str | None) -> None:
    path = tmp_path / "my-bus"
    if text:
        path.write_text(text)
        path.chmod(0o755)
    ended = seams.run("bus", "list", "--adapter", "null", BUSMARK_BUS=str(path))
    assert ended.code == 2
    assert str(path) in ended.text and "BUSMARK_BUS" in ended.text and "busmark-bus" in ended.text
