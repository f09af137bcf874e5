"""Delays of a known law go in; the report has the law's quantiles, beyond what the machine adds.

The reference adapter delays every sample by a function of seed, writer and sequence number, which
is computed here once more. No way is shorter than that, and the quantiles of the sum of two series
lie between the one's plus the least and plus the greatest of the other: that bounds the report from
both sides and asks nothing of the machine.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from math import log
from typing import Any

import numpy as np
import pytest
from e2e_harness import Lab, assert_intact, need_adapters, scenario
from numpy.typing import NDArray
from scipy.stats import gamma, triang
from seams import viewed

from busmark.model.case import CaseSummary

MEAN_US = 3000.0
HALF_US = 2000.0
SEED = 11
PINGER, RESPONDER = 1, 2
"""Writers of the only pair of participants."""

Array = NDArray[np.float64]


def mixed(state: int) -> int:
    """Compute the output function of splitmix64 (Steele, Lea & Flood 2014)."""
    word = 2**64 - 1
    z = (state + 0x9E3779B97F4A7C15) & word
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & word
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & word
    return z ^ (z >> 31)


def unit(writer: int, seq: int) -> float:
    """Return the number in [0, 1) by which the adapter chooses a sample's delay: its draw 7."""
    seeded = (SEED + 7 * 0x9E3779B97F4A7C15) % 2**64
    return (mixed(mixed(mixed(seeded) ^ writer) ^ seq) >> 11) / 2**53


@dataclass(frozen=True)
class Injected:
    """A law of delays, and the law of the sum of two."""

    options: str
    delay_us: Callable[[float], float]
    of_two: Any


LAWS = {
    "exponential": Injected(
        "option.reference.delay_distribution = 'exponential'",
        lambda u: -MEAN_US * log(1.0 - u),
        gamma(2, scale=MEAN_US),
    ),
    "uniform": Injected(
        "option.reference.delay_distribution = 'uniform'\n"
        f"option.reference.delay_spread_us = {HALF_US}",
        lambda u: MEAN_US + (2.0 * u - 1.0) * HALF_US,
        triang(0.5, loc=2 * (MEAN_US - HALF_US), scale=4 * HALF_US),
    ),
}


@dataclass(frozen=True)
class Case:
    """What a case measured, and what had been injected into each ping that came back (ns)."""

    shown: CaseSummary
    whole: Array
    """From the intended sending to the reading of the pong."""
    there: Array
    back: Array
    delays: Array
    """Shape (2, n): of the ping and of its pong."""


@pytest.fixture(scope="module")
def cases(shared_lab: Lab) -> dict[str, Case]:
    """Run one latency case per law, two rounds each, open loop."""
    need_adapters("reference")
    matrices = [
        "test = 'latency'\nadapter = 'reference'\ntransport = 'pipe'\nsize = 64\nrate_hz = 200\n"
        "qos.reliability = 'reliable'\nqos.history = 'keep_all'\n"
        f"placement = 'free'\noption.reference.seed = {SEED}\n"
        f"option.reference.delay_us = {MEAN_US}\n{law.options}"
        for law in LAWS.values()
    ]
    text = scenario(
        matrices[0],
        measure="duration_s = 60\nwarmup_s = 0\nsamples = 300",
        also="\n".join(f"[[also]]\n{matrix}" for matrix in matrices[1:]),
    )
    path = shared_lab.scenario(text, "delays.toml")
    out = shared_lab.folder / "delays"
    ended = shared_lab.busmark("run", path, "--out", out)
    assert ended.code == 0, ended.text
    shown = shared_lab.busmark("show", out, "--json")
    assert shown.code == 0, shown.text
    values = {case["id"]: case for case in json.loads(shown.out)["cases"]}
    result = assert_intact(out)
    found = {}
    for (name, law), case in zip(LAWS.items(), result.manifest.cases, strict=True):
        rows = [result.samples(case.id, number).drop_nulls("read_ns") for number in (0, 1)]
        seqs = [seq for table in rows for seq in table["seq"].to_list()]

        @cache
        def delay_ns(writer: int, seq: int, law: Injected = law) -> float:
            return 1e3 * law.delay_us(unit(writer, seq))

        found[name] = Case(
            viewed(values[case.id]),
            np.concatenate([(r["read_ns"] - r["intended_ns"]).to_numpy() for r in rows]),
            np.concatenate([(r["echo_read_ns"] - r["sent_ns"]).to_numpy() for r in rows]),
            np.concatenate([(r["read_ns"] - r["echo_sent_ns"]).to_numpy() for r in rows]),
            np.array([[delay_ns(writer, seq) for seq in seqs] for writer in (PINGER, RESPONDER)]),
        )
    return found


@pytest.mark.parametrize("law", LAWS)
def test_no_sample_is_faster_than_its_delay(cases: dict[str, Case], law: str) -> None:
    case = cases[law]
    assert case.there.size >= 300, "of 600, which are sent reliably"
    # The adapter rounds to a nanosecond.
    assert (case.there - case.delays[0]).min() >= -1.0
    assert (case.back - case.delays[1]).min() >= -1.0


@pytest.mark.parametrize("law", LAWS)
def test_the_report_has_the_quantiles_of_the_delays(cases: dict[str, Case], law: str) -> None:
    case = cases[law]
    injected = case.delays.sum(axis=0)
    round_trip, half = case.shown.round_trip, case.shown.rtt_2
    assert round_trip and half and round_trip.count == injected.size
    added = case.whole - injected
    rungs = {p.percent: p for p in round_trip.percentiles if p.value_ns is not None}
    # How far up the ladder goes depends on how many samples a busy machine has left independent.
    assert {50.0, 75.0, 90.0} <= set(rungs)
    for percent, rung in rungs.items():
        wanted = float(np.percentile(injected, percent, method="inverted_cdf"))
        assert wanted + added.min() - 1 <= rung.value_ns <= wanted + added.max() + 1
        if rung.low_ns is not None:
            assert rung.low_ns <= rung.value_ns <= rung.high_ns
    halves = {p.percent: p.value_ns for p in half.percentiles}
    assert halves[90.0] == rungs[90.0].value_ns / 2
