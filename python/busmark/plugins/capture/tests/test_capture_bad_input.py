"""What is no capture is refused; what is damaged or unusual is analysed, with remarks."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path

import made_captures as made
import pytest
from click.testing import CliRunner, Result
from seams import command as busmark

from busmark.errors import UserError

WHOLE = made.pcapng(made.deployment(40))


def analysed(folder: Path, content: bytes, *options: str) -> Result:
    path = folder / "capture"
    path.write_bytes(content)
    command = ["capture", "analyse", str(path), "--json", *options]
    return CliRunner().invoke(busmark, command)


def cut_gzip() -> bytes:
    return gzip.compress(made.pcapng(made.deployment(2000)))[:-5000]


def damaged() -> bytes:
    found = bytearray(WHOLE)
    at = len(WHOLE) // 2
    found[at : at + 2000] = b"\xff" * 2000
    return bytes(found)


REFUSED: dict[str, tuple[bytes, str]] = {
    "empty": (b"", "the file is empty"),
    "three bytes": (b"abc", "less than four bytes"),
    "an archive": (b"PK\3\4 and so on", "neither pcapng nor pcap"),
    "a cut header": (WHOLE[:20], "the file ends within the header of a section"),
    "a cut first packet": (made.pcap(made.deployment(1))[:50], "the file ends within packet 1"),
    "gzip of nothing": (gzip.compress(b""), "the file is empty"),
    "gzip that is none": (b"\x1f\x8b\x08" + b"\xff" * 40, "compressed file"),
}


@pytest.mark.parametrize("name", REFUSED)
@pytest.mark.usefixtures("captures_can_be_read")
def test_what_is_no_capture_is_refused(tmp_path: Path, name: str) -> None:
    content, text = REFUSED[name]
    result = analysed(tmp_path, content)
    assert isinstance(result.exception, UserError)
    assert text in str(result.exception)
    assert "Give a capture" in str(result.exception)


@pytest.mark.parametrize("missing", ["nowhere.pcapng", "."])
def test_a_file_that_cannot_be_read_is_refused(tmp_path: Path, missing: str) -> None:
    command = ["capture", "analyse", str(tmp_path / missing)]
    result = CliRunner().invoke(busmark, command)
    assert isinstance(result.exception, UserError)


def tagged() -> bytes:
    frames = [
        (time, frame[:12] + b"\x81\0\0\5" + frame[12:]) for time, frame in made.deployment(40)
    ]
    return made.pcapng(frames)


def six() -> bytes:
    pairs = [(made.CLIENT, made.AGENT), (made.AGENT + 1, made.READER)]
    frames = [(0, made.udp(*pairs[0], made.greeting(), six=True))]
    for number in range(40):
        payload = number.to_bytes(4, "little") * 10
        begin = (number + 1) * 1_000_000
        frames.append((begin, made.udp(*pairs[0], made.write(number, payload), six=True)))
        frames.append((begin + 9, made.udp(*pairs[1], made.data(number, payload), six=True)))
    return made.pcapng(frames)


ANALYSED: dict[str, tuple[Callable[[], bytes], str, int]] = {
    "cut off": (lambda: WHOLE[:-2001], "reading ended at byte", 30),
    "damaged": (damaged, "reading ended at byte", 10),
    "gzip cut off": (cut_gzip, "reading ended at byte", 100),
    "capture with drops": (
        lambda: made.pcapng(made.deployment(40), dropped=7),
        "lost 7 packets",
        40,
    ),
    "VLAN": (tagged, "", 40),
    "IPv6": (six, "", 40),
    "short snap length": (
        lambda: made.pcap(made.deployment(40), snap=70),
        "cut off by the snap",
        40,
    ),
}


@pytest.mark.parametrize("name", ANALYSED)
@pytest.mark.usefixtures("captures_can_be_read")
def test_what_can_be_read_is_analysed_with_a_remark(tmp_path: Path, name: str) -> None:
    make, remark, least = ANALYSED[name]
    result = analysed(tmp_path, make())
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert not remark or any(remark in text for text in found["remarks"]), found["remarks"]
    assert bool(found["remarks"]) == bool(remark), found["remarks"]
    assert found["hops"][0]["samples"] >= least


@pytest.mark.usefixtures("captures_can_be_read")
def test_captures_without_packets_or_with_foreign_ones_say_so(tmp_path: Path) -> None:
    empty = analysed(tmp_path, made.pcap([]))
    none = json.loads(empty.stdout)
    assert isinstance(empty.exception, UserError), "nothing can be read: exit code 2"
    assert none["remarks"] == ["the capture holds no packet"]
    foreign = [(number, made.udp(5353, 5353, b"something else")) for number in range(9)]
    others = analysed(tmp_path, made.pcap(foreign))
    assert isinstance(others.exception, UserError)
    found = json.loads(others.stdout)
    assert (found["hops"], found["ways"], found["packets"]) == ([], [], 9)
    assert "no RTPS and no DDS-XRCE" in found["remarks"][0]
    strange = analysed(tmp_path, made.pcap(foreign, link=105))
    assert isinstance(strange.exception, UserError)
    assert any("link type" in remark for remark in json.loads(strange.stdout)["remarks"])


def test_no_page_is_written_of_a_capture_in_which_nothing_can_be_read(tmp_path: Path) -> None:
    page = tmp_path / "it.html"
    snapped = made.pcap(made.deployment(40), snap=42)
    assert isinstance(analysed(tmp_path, snapped, "--html", str(page)).exception, UserError)
    assert not page.exists()


@pytest.mark.usefixtures("captures_can_be_read")
def test_foreign_traffic_beside_changes_no_figure(tmp_path: Path) -> None:
    frames = made.deployment(40)
    beside = [(time + 3, made.udp(5353, 5353, bytes(50))) for time, _ in frames]
    mixed = sorted([*frames, *beside])
    alone, both = (
        json.loads(analysed(tmp_path, made.pcapng(each)).stdout) for each in (frames, mixed)
    )
    assert alone["ways"] == both["ways"]
    assert alone["hops"] == both["hops"]
