"""Samples in memory that Fast DDS lends: they arrive as written, and not through a transport."""

from __future__ import annotations

import pytest
from e2e_harness import Lab, need_adapters, rows, scenario

import busmark

ADAPTERS = ("fastdds", "fastdds-jazzy", "fastdds3")


def run(lab: Lab, adapter: str, loan: str, more: str = "") -> tuple[int, str]:
    need_adapters(adapter)
    options = f'option.{adapter} = {{ loan = "{loan}", data_sharing = "on" }}'
    matrix = f'adapter = "{adapter}"\ntransport = "udp"\nsize = 65536\n{options}\n{more}'
    lab.scenario(
        scenario(
            matrix,
            measure="verify = true\nduration_s = 0.2\nwarmup_s = 0.05\nsamples = 300",
            rounds="min = 1\nretries = 0",
        )
    )
    ended = lab.busmark("run", "scenario.toml", "--out", "result")
    return ended.code, ended.text


@pytest.mark.parametrize("adapter", ADAPTERS)
@pytest.mark.parametrize("loan", ["copy", "in_place"])
def test_lent_samples_arrive_as_they_were_written(lab: Lab, adapter: str, loan: str) -> None:
    code, text = run(lab, adapter, loan)
    assert code == 0, text
    (row,) = rows(lab.folder / "result")
    assert (row["status"], row["lost"], row["corrupted"]) == ("ok", 0, 0), row


@pytest.mark.parametrize("adapter", ADAPTERS)
def test_a_payload_of_no_fixed_size_is_refused_with_the_reason(lab: Lab, adapter: str) -> None:
    code, text = run(lab, adapter, "copy", 'payload = "long"')
    assert code != 0 and "samples of a fixed size have the payload octet" in text, text
    assert busmark.open(lab.folder / "result").manifest.cases
