"""Samples in memory that Fast DDS lends: they arrive as written, and by no packet."""

from __future__ import annotations

import shutil

import pytest
from e2e_harness import Lab, need_adapters, rows, scenario
from nodes_harness import ALONE, need_root

import busmark

ADAPTERS = ("fastdds", "fastdds3")


def run(lab: Lab, adapter: str, loan: str, more: str = "", capture: str = "") -> tuple[int, str]:
    need_adapters(adapter)
    options = f'option.{adapter} = {{ loan = "{loan}", data_sharing = "on" }}'
    matrix = f'adapter = "{adapter}"\ntransport = "udp"\nsize = 65536\n{options}\n{more}'
    measure = "verify = true\nduration_s = 0.2\nwarmup_s = 0.05\nsamples = 300"
    lab.scenario(capture + scenario(matrix, measure=measure, rounds="min = 1\nretries = 0"))
    # Alone in a network, or packets of others would be captured too.
    prefix = ALONE if capture else ()
    ended = lab.busmark("run", "scenario.toml", "--out", "result", prefix=prefix)
    return ended.code, ended.text


@pytest.mark.parametrize("adapter", ADAPTERS)
@pytest.mark.parametrize("loan", ["copy", "in_place"])
def test_lent_samples_arrive_as_they_were_written(lab: Lab, adapter: str, loan: str) -> None:
    code, text = run(lab, adapter, loan)
    assert code == 0, text
    (row,) = rows(lab.folder / "result")
    assert (row["status"], row["lost"], row["corrupted"]) == ("ok", 0, 0), row


@pytest.mark.skipif(not shutil.which("dumpcap"), reason="dumpcap is not here")
@pytest.mark.parametrize("adapter", ADAPTERS)
def test_no_packet_carries_a_lent_sample(lab: Lab, adapter: str) -> None:
    need_root()
    code, text = run(lab, adapter, "in_place", capture="capture = true\n")
    assert code == 0, text
    wire = busmark.open(lab.folder / "result").wire().collect()
    packets = dict(wire.select("purpose", "packets").iter_rows())
    # What the participants say of themselves is there, so the capture was.
    assert packets.get("discovery", 0) > 0 and packets.get("data", 0) == 0, packets


@pytest.mark.parametrize("adapter", ["fastdds"])
def test_in_place_needs_memory_of_the_writers_own(lab: Lab, adapter: str) -> None:
    need_adapters(adapter)
    option = f'option.{adapter} = {{ loan = "in_place" }}'
    lab.scenario(scenario(f'adapter = "{adapter}"\n{option}', rounds="min = 1\nretries = 0"))
    ended = lab.busmark("run", "scenario.toml", "--out", "result")
    assert ended.code != 0 and "in_place needs data_sharing=on" in ended.text, ended.text
