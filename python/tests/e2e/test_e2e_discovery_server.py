"""Participants of Fast DDS that find each other at a discovery server, also below ROS."""

from __future__ import annotations

from e2e_harness import Lab, need_adapters, rows, scenario

ADAPTERS = ("fastdds", "fastdds3", "rmw")
MEASURE = "verify = true\nduration_s = 0.2\nwarmup_s = 0.05\nsamples = 100"


def test_the_run_starts_a_server_at_which_participants_meet(lab: Lab) -> None:
    need_adapters(*ADAPTERS)
    options = "".join(f'option.{name}.discovery = "server"\n' for name in ADAPTERS)
    matrix = f"adapter = [{', '.join(map(repr, ADAPTERS))}]\n{options}"
    lab.campaign(scenario(matrix, measure=MEASURE, rounds="min = 1\nretries = 0"))
    found = rows(lab.folder / "result")
    assert [(row["status"], row["lost"], row["corrupted"]) for row in found] == [("ok", 0, 0)] * 3
    lab.assert_nothing_left()
