"""In which order rounds are run, and how many of them."""

from __future__ import annotations

from pathlib import Path

import pytest
from e2e_harness import Lab, need_adapters, rows, scenario


def run(lab: Lab, name: str, *settings: str) -> Path:
    out = lab.folder / name
    options = [part for setting in settings for part in ("--set", setting)]
    ended = lab.busmark("run", "scenario.toml", "--out", out, *options)
    assert ended.code == 0, ended.text
    return out


@pytest.mark.parametrize(("target", "rounds"), [("1e-12", 5)])
def test_rounds_are_added_until_the_interval_is_narrow_enough(
    lab: Lab, target: str, rounds: int
) -> None:
    """Without a target as few as allowed; for one that no measurement meets, as many."""
    need_adapters("udp")
    lab.scenario(scenario('adapter = "udp"', rounds=f"min = 3\nmax = 5\ntarget = {target}"))
    assert len(rows(run(lab, "result"))) == rounds


@pytest.mark.parametrize("budget", ["budget_s", "case_budget_s"])
def test_a_budget_below_the_rounds_that_every_case_has_is_refused(lab: Lab, budget: str) -> None:
    rounds = f"min = 20\nmax = 30\ntarget = 0.01\n{budget} = 1.0"
    lab.scenario(scenario('adapter = "null"', rounds=rounds))
    ended = lab.quickly("run", "scenario.toml", "--out", "result")
    assert ended.code == 2 and f"rounds.{budget}: 20 rounds take about" in ended.err
    assert not (lab.folder / "result").exists()
