"""`busmark ab` on real campaigns: the same twice, and a side with a planted delay."""

from __future__ import annotations

import json

import pytest
from e2e_harness import Lab, need_adapters, scenario


@pytest.fixture(scope="module")
def ab(shared_lab: Lab) -> Lab:
    """A scenario of the adapter whose delay can be planted."""
    need_adapters("reference")
    shared_lab.scenario(
        scenario(
            'adapter = "reference"\ntransport = "pipe"',
            measure="duration_s = 0.2\nwarmup_s = 0.02\nmax_samples = 2000",
            rounds="min = 3",
        )
    )
    return shared_lab


def test_a_side_with_a_delay_fails_the_gate(ab: Lab) -> None:
    ended = ab.busmark(
        "ab", "reference", "reference delay_us=20000", "--scenario", "scenario.toml",
        "--out", "slow",
        "--fail-if", "median.latency > 1.05", "--json",
    )  # fmt: skip
    assert ended.code == 1, ended.text
    document = json.loads(ended.out)
    (pair,) = document["pairs"]
    assert pair["paired"] and pair["changes"][0]["verdict"] == "slower"
    assert [judged["outcome"] for judged in document["criteria"]] == ["missed"]


def test_the_same_twice_is_interleaved_with_its_environment(ab: Lab) -> None:
    ended = ab.busmark(
        "ab", "as-is", "as-is env:BUSMARK_TEST=1 -- nice -n 1", "--scenario", "scenario.toml",
        "--out", "same", "--fail-if", "median.latency > 1000x",
    )  # fmt: skip
    assert ended.code == 0, ended.text
    assert "candidate vs. baseline\n1 case · rounds interleaved" in ended.out
    result = ab.folder / "same"
    manifest = json.loads((result / "manifest.json").read_text(encoding="utf-8"))
    sides = {case["params"]["side"]: case["params"] for case in manifest["cases"]}
    assert sides["candidate"]["side_prefix"] == "nice -n 1"
    assert sides["baseline"]["side_prefix"] is None
    again = ab.quickly("compare", "same", "--by", "side")
    assert again.code == 0 and "one by one" in " ".join(again.out.split())


def test_a_side_of_an_unknown_adapter_is_refused(ab: Lab) -> None:
    sides = ("reference", "nosuch")
    ended = ab.quickly("ab", *sides, "--scenario", "scenario.toml", "--out", "none")
    assert ended.code == 2 and "nosuch" in ended.err
