"""In which order rounds are run, and how many of them."""

from __future__ import annotations

from pathlib import Path

import pytest
from e2e_harness import Lab, begun, need_adapters, rows, scenario

MATRIX = 'adapter = "null"\nsize = [1, 2, 4, 8, 16, 32]'


def run(lab: Lab, name: str, *settings: str) -> Path:
    out = lab.folder / name
    options = [part for setting in settings for part in ("--set", setting)]
    ended = lab.busmark("run", "scenario.toml", "--out", out, *options)
    assert ended.code == 0, ended.text
    return out


@pytest.fixture(scope="module")
def campaigns(shared_lab: Lab) -> dict[str, Path]:
    """The same scenario twice, and once with another seed."""
    need_adapters("null")
    shared_lab.scenario(scenario(MATRIX, rounds="min = 3\nseed = 7"))
    return {
        "one": run(shared_lab, "one"),
        "same": run(shared_lab, "same"),
        "other": run(shared_lab, "other", "rounds.seed=8"),
    }


def test_the_same_seed_gives_the_same_order(campaigns: dict[str, Path]) -> None:
    assert begun(campaigns["one"]) == begun(campaigns["same"])


def test_another_seed_gives_another_order(campaigns: dict[str, Path]) -> None:
    assert begun(campaigns["one"]) != begun(campaigns["other"])
    assert set(begun(campaigns["one"])) == set(begun(campaigns["other"]))


def test_rounds_are_interleaved(campaigns: dict[str, Path]) -> None:
    """No case begins a round before every case has had the one before."""
    for out in campaigns.values():
        numbers = [number for _, number in begun(out)]
        assert numbers == sorted(numbers)


def test_every_round_has_an_order_of_its_own(campaigns: dict[str, Path]) -> None:
    order = begun(campaigns["one"])
    by_round = [[case for case, number in order if number == wanted] for wanted in range(3)]
    assert by_round[0] != by_round[1] or by_round[1] != by_round[2]


def test_the_table_has_the_order_of_execution(campaigns: dict[str, Path]) -> None:
    for out in campaigns.values():
        table = sorted(rows(out), key=lambda row: int(row["order"]))
        assert [row["order"] for row in table] == list(range(18))
        assert [(row["case"], row["round"]) for row in table] == begun(out)


@pytest.mark.parametrize(("target", "rounds"), [("0.0", 3), ("1e-12", 5)])
def test_rounds_are_added_until_the_interval_is_narrow_enough(
    lab: Lab, target: str, rounds: int
) -> None:
    """Without a target as few as allowed; for one that no measurement meets, as many."""
    need_adapters("udp")
    lab.scenario(scenario('adapter = "udp"', rounds=f"min = 3\nmax = 5\ntarget = {target}"))
    assert len(rows(run(lab, "result"))) == rounds


def test_added_rounds_are_numbered_through_and_end_with_the_budget(lab: Lab) -> None:
    need_adapters("udp", "tcp")
    rounds = "min = 2\nmax = 1000\ntarget = 1e-9\nbudget_s = 5.0"
    lab.scenario(scenario('adapter = ["udp", "tcp"]', rounds=rounds))
    ended = lab.busmark("run", "scenario.toml", "--out", "result")
    assert ended.code == 0, ended.text
    assert "0 of 2" in " ".join(ended.text.split())
    for case in ("000", "001"):
        numbers = [r["round"] for r in rows(lab.folder / "result") if r["case"].startswith(case)]
        assert numbers == list(range(len(numbers))) and 2 <= len(numbers) < 1000


@pytest.mark.parametrize("budget", ["budget_s", "case_budget_s"])
def test_a_budget_below_the_rounds_that_every_case_has_is_refused(lab: Lab, budget: str) -> None:
    rounds = f"min = 20\nmax = 30\ntarget = 0.01\n{budget} = 1.0"
    lab.scenario(scenario('adapter = "null"', rounds=rounds))
    ended = lab.quickly("run", "scenario.toml", "--out", "result")
    assert ended.code == 2 and f"rounds.{budget}: 20 rounds take about" in ended.err
    assert not (lab.folder / "result").exists()
