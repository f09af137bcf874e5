"""How many rounds a case gets: a budget that its first rounds exceed is refused."""

from __future__ import annotations

import pytest
from e2e_harness import Lab, scenario


@pytest.mark.parametrize("budget", ["budget_s", "case_budget_s"])
def test_a_budget_below_the_rounds_that_every_case_has_is_refused(lab: Lab, budget: str) -> None:
    rounds = f"min = 20\nmax = 30\ntarget = 0.01\n{budget} = 1.0"
    lab.scenario(scenario('adapter = "null"', rounds=rounds))
    ended = lab.quickly("run", "scenario.toml", "--out", "result")
    assert ended.code == 2 and f"rounds.{budget}: 20 rounds take about" in ended.err
    assert not (lab.folder / "result").exists()
