"""Captures with a snap length that is too short, and packets that were captured twice."""

from __future__ import annotations

import struct
from pathlib import Path

import made_captures as made
import pytest

from busmark.plugins.capture.analysis import analyse
from busmark.plugins.capture.model import Analysis

pytestmark = pytest.mark.usefixtures("captures_can_be_read")

KEPT = Path(__file__).parents[5] / "crates/busmark-packets/tests/data"


def snapped(folder: Path, name: str, length: int) -> Analysis:
    """Analyse a real capture as if it had been made with this snap length."""
    content = (KEPT / f"{name}.pcapng").read_bytes()
    parts, at = [], 0
    while at < len(content):
        kind, size = struct.unpack_from("<II", content, at)
        block = content[at : at + size]
        if kind == 6:
            head, (kept,) = block[8:28], struct.unpack_from("<I", block, 20)
            cut = head[:12] + struct.pack("<I", min(kept, length)) + head[16:]
            block = made.block(6, cut + block[28 : 28 + min(kept, length)])
        parts.append(block)
        at += size
    path = folder / f"{name}-{length}.pcapng"
    path.write_bytes(b"".join(parts))
    return analyse(path)


def test_of_a_stream_that_is_cut_off_lengths_and_numbers_are_read(tmp_path: Path) -> None:
    whole = {hop.kind: hop for hop in analyse(KEPT / "D2-tcp-r-50.pcapng").hops}
    found = snapped(tmp_path, "D2-tcp-r-50", 80)
    kinds = [hop.kind for hop in found.hops]
    assert kinds == ["WRITE_DATA", "DATA"]
    for hop in found.hops:
        # The others follow another message within their segment, behind what was captured.
        assert 28 < hop.samples < 32
        assert hop.samples + hop.not_seen <= whole[hop.kind].samples
        assert (hop.payload_bytes.min, hop.payload_bytes.max) == (40, 40)
        assert hop.confirmation is not None
    short = [remark for remark in found.remarks if "snap length is too short" in remark]
    assert len(short) == 4
    assert all("84 B are enough for lengths and numbers" in remark for remark in short)


@pytest.mark.parametrize("length", [54, 60, 66])
def test_a_stream_without_any_content_is_not_called_foreign(tmp_path: Path, length: int) -> None:
    found = snapped(tmp_path, "D2-tcp-r-50", length)
    assert found.hops == []
    assert sum(flow.tcp_data_segments for flow in found.flows) == 280
    text = " ".join(found.remarks)
    assert "snap length is too short" in text
    assert "cannot be said what they carry" in text
    assert "foreign" not in text


def test_a_packet_on_two_interfaces_is_one(tmp_path: Path) -> None:
    def cooked(frame: bytes, interface: int, kind: int) -> bytes:
        return struct.pack("!HHIHBB8x", 0x0800, 0, interface, 1, kind, 6) + frame[14:]

    once = made.deployment(20)
    twice = [
        (time_ns + 3_000 * copy, cooked(frame, 2 + copy, 4 * copy))
        for time_ns, frame in once
        for copy in (0, 1)
    ]
    found, wanted = tmp_path / "twice.pcap", tmp_path / "once.pcap"
    found.write_bytes(made.pcap(twice, link=276))
    wanted.write_bytes(made.pcap(once))
    both, one = analyse(found), analyse(wanted)
    assert [hop.repeated for hop in both.hops] == [0, 0, 0]
    assert both.ways[0].latency == one.ways[0].latency
    assert both.protocols["copy"] == len(once)
    assert any(f"{len(once)} packets on two interfaces" in remark for remark in both.remarks)
