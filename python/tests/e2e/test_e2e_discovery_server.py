"""Participants of Fast DDS that find each other at a discovery server, also below ROS."""

from __future__ import annotations

import pytest
from e2e_harness import Lab, need_adapters, rows, scenario

ADAPTERS = ("fastdds", "fastdds3", "rmw")
MEASURE = "verify = true\nduration_s = 0.2\nwarmup_s = 0.05\nsamples = 100"


def run(lab: Lab, adapter: str, options: str, more: str = "") -> tuple[int, str]:
    need_adapters(adapter)
    matrix = f'adapter = "{adapter}"\n{more}\noption.{adapter} = {{ {options} }}'
    lab.scenario(scenario(matrix, measure=MEASURE, rounds="min = 1\nretries = 0"))
    soon = ("--set", "criteria.match_timeout_s=5.0")
    ended = lab.busmark("run", "scenario.toml", "--out", "result", *soon)
    return ended.code, ended.text


@pytest.mark.parametrize("adapter", ADAPTERS)
def test_the_run_starts_a_server_at_which_participants_meet(lab: Lab, adapter: str) -> None:
    code, text = run(lab, adapter, 'discovery = "server"')
    assert code == 0, text
    (row,) = rows(lab.folder / "result")
    assert (row["status"], row["lost"], row["corrupted"]) == ("ok", 0, 0), row
    lab.assert_nothing_left()


@pytest.mark.parametrize("adapter", ["fastdds"])
def test_where_no_server_listens_nobody_is_found(lab: Lab, adapter: str) -> None:
    code, text = run(lab, adapter, 'server = "127.0.0.1:9"')
    assert code != 0 and "matched 0 of 1" in text, text
