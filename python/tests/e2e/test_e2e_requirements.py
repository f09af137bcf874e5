"""Requirements of a campaign: exit code, further rounds, refusals, and the table that is kept."""

from __future__ import annotations

import json

from e2e_harness import Lab, need_adapters, rows, scenario

MEASURE = "duration_s = 0.2\nwarmup_s = 0.02\nsamples = 200"
MATRIX = 'adapter = "reference"\ntransport = "pipe"'


def required(that: str, more: str = "") -> str:
    return f"[[require]]\nthat = {json.dumps(that)}\n{more}\n"


def test_what_is_missed_ends_with_1(lab: Lab) -> None:
    need_adapters("reference")
    slow = f"{MATRIX}\noption.reference.delay_us = 20000"
    late = required("median(half_round_trip) <= 1ms")
    ended = lab.campaign(
        scenario(slow, measure=MEASURE, rounds="min = 5\nmax = 5", also=late), code=1
    )
    assert "1 missed" in ended.out
    (found,) = json.loads(lab.busmark("show", "result", "--json").out)["requirements"]
    assert found["verdict"] == "missed" and found["fails"]


def test_what_is_undecided_gets_further_rounds_and_what_is_met_ends_with_0(lab: Lab) -> None:
    """None of 400 samples lost shows at most 8 %, none of 1,200 at most 1 %."""
    need_adapters("reference")
    text = scenario(
        MATRIX, measure=MEASURE, rounds="min = 2\nmax = 12", also=required("loss <= 1%")
    )
    lab.scenario(text)
    planned = lab.busmark("plan", "scenario.toml")
    assert "2 to 12" in planned.out and "loss <= 1 %" in planned.out
    met = ("--require", "median(half_round_trip) <= 10s")
    ended = lab.busmark("run", "scenario.toml", "--out", "result", *met)
    assert ended.code == 0, ended.text
    assert 2 < len(rows(lab.folder / "result")) <= 12
    assert lab.quickly("show", "result", "--require", "median(latency) <= 1ns").code == 1
    undecided = ("--require", "loss <= 0.0001%")
    assert lab.quickly("show", "result", *undecided).code == 1
    assert lab.busmark("show", "result", *undecided, "--undecided", "pass").code == 0
    ended = lab.quickly(
        "run", "scenario.toml", "--out", "passes", "--set", "rounds.max=2",
        "--require", "loss <= 0.5%", "--undecided", "pass", "--set", "require=[]",
    )  # fmt: skip
    assert ended.code == 2, "a limit that 400 samples cannot show is refused"
