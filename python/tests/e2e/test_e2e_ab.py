"""`busmark ab`: a side with a planted delay and an environment of its own; a gate that fails."""

from __future__ import annotations

import json

import pytest
from e2e_harness import Lab, need_adapters, scenario

from busmark.store import Result


@pytest.fixture
def ab(lab: Lab) -> Lab:
    """Write a scenario of the adapter whose delay can be planted."""
    need_adapters("reference")
    measure = "duration_s = 0.2\nwarmup_s = 0.02\nmax_samples = 2000"
    matrix = 'adapter = "reference"\ntransport = "pipe"'
    lab.scenario(scenario(matrix, measure=measure, rounds="min = 3"))
    return lab


def test_a_side_with_a_delay_fails_the_gate_and_has_its_environment(ab: Lab) -> None:
    ended = ab.busmark(
        "ab", "as-is", "as-is delay_us=20000 env:BUSMARK_TEST=1 -- nice -n 1",
        "--scenario", "scenario.toml", "--out", "slow", "--fail-if", "median.latency > 1.05",
    )  # fmt: skip
    assert ended.code == 1, ended.text
    # The gate first, the report of the campaign behind it.
    first, _, rest = ended.out.partition("\nGate  ✗ failed: 1 failed\n")
    assert first.startswith("candidate vs. baseline\n1 case · rounds interleaved"), ended.out
    assert "What the sides differ in" in rest and "each adapter has" not in rest
    assert "Round-trip latency" in rest.partition("How this was compared")[2]
    again = ab.quickly(
        "compare", "slow", "--by", "side", "--fail-if", "median.latency > 1.05", "--json"
    )
    assert again.code == 1, again.text
    document = json.loads(again.out)
    (pair,) = document["pairs"]
    assert pair["paired"] and pair["changes"][0]["verdict"] == "slower"
    assert [judged["outcome"] for judged in document["criteria"]] == ["failed"]
    sides = {case.params.side: case.params for case in Result(ab.folder / "slow").manifest.cases}
    assert sides["candidate"].side_prefix == "nice -n 1"
    assert sides["baseline"].side_prefix is None


def test_a_side_of_an_unknown_adapter_is_refused(ab: Lab) -> None:
    sides = ("reference", "nosuch")
    ended = ab.quickly("ab", *sides, "--scenario", "scenario.toml", "--out", "none")
    assert ended.code == 2 and "nosuch" in ended.err
