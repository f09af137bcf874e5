"""Samples in memory that Fast DDS lends: they arrive as written, and by no packet."""

from __future__ import annotations

import shutil

from e2e_harness import Lab, need_adapters, rows, scenario
from nodes_harness import ALONE, need_root

import busmark

MATRIX = """\
adapter = ["fastdds", "fastdds3"]
transport = "udp"
size = 65536
option.fastdds = { loan = ["copy", "in_place"], data_sharing = "on" }
option.fastdds3 = { loan = ["copy", "in_place"], data_sharing = "on" }
"""
MEASURE = "verify = true\nduration_s = 0.2\nwarmup_s = 0.05\nsamples = 300"


def test_lent_samples_arrive_as_they_were_written_and_by_no_packet(lab: Lab) -> None:
    need_root()
    need_adapters("fastdds", "fastdds3")
    captured = bool(shutil.which("dumpcap"))
    text = scenario(MATRIX, measure=MEASURE, rounds="min = 1\nretries = 0")
    lab.scenario(f"capture = {str(captured).lower()}\n{text}")
    # Alone in a network, or packets of others would be captured too.
    ended = lab.busmark("run", "scenario.toml", "--out", "result", prefix=ALONE)
    assert ended.code == 0, ended.text
    found = rows(lab.folder / "result")
    assert [(row["status"], row["lost"], row["corrupted"]) for row in found] == [("ok", 0, 0)] * 4
    if captured:
        wire = busmark.open(lab.folder / "result").wire().collect()
        for _, own in wire.group_by("case"):
            packets = dict(own.select("purpose", "packets").iter_rows())
            # What the participants say of themselves is there, so the capture was.
            assert packets.get("discovery", 0) > 0 and packets.get("data", 0) == 0, packets


def test_in_place_needs_memory_of_the_writers_own(lab: Lab) -> None:
    need_adapters("fastdds")
    matrix = 'adapter = "fastdds"\noption.fastdds = { loan = "in_place" }'
    lab.scenario(scenario(matrix, rounds="min = 1\nretries = 0"))
    ended = lab.busmark("run", "scenario.toml", "--out", "result")
    assert ended.code != 0 and "in_place needs data_sharing=on" in ended.text, ended.text
