"""Sentences about cases say no more than is known of them, also of imported ones."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from synthetic_campaign import Builder

from busmark.analysis import summarise
from busmark.analysis.model import CaseSummary
from busmark.analysis.words import remarks
from busmark.store import Result


def case_of(directory: Path, rounds: int, samples: int) -> CaseSummary:
    build = Builder(directory)
    name = build.case("x")
    for number in range(rounds):
        latency = np.random.default_rng(number).normal(20_000, 100, samples)
        build.pings(name, number, np.rint(latency))
    build.finish()
    return summarise(Result(directory)).case(name)


def without(case: CaseSummary, *, count: int | None, samples: int | None) -> CaseSummary:
    """As if the source did not state percentiles and the rounds' medians."""
    assert case.latency and case.latency.half_round_trip
    half = case.latency.half_round_trip.model_copy(update={"p99": None, "count": count})
    attempts = [a.model_copy(update={"times": None, "samples": samples}) for a in case.attempts]
    latency = case.latency.model_copy(update={"half_round_trip": half})
    return case.model_copy(update={"latency": latency, "attempts": attempts})


def test_one_round_only_is_said_of_one_round_only(tmp_path: Path) -> None:
    one, several = case_of(tmp_path / "1", 1, 50), case_of(tmp_path / "3", 3, 50)
    assert "one round only" in remarks.between_rounds([one])[0]
    assert "medians of 3 rounds" in remarks.between_rounds([several])[0]
    assert remarks.between_rounds([without(several, count=150, samples=50)]) == []


def test_too_few_samples_are_told_where_their_number_is_known(tmp_path: Path) -> None:
    case = case_of(tmp_path / "few", 3, 50)
    assert "too few" in remarks.tails([case])[0]
    for count, samples, told in (
        (150, None, True), (150, 50, True), (None, 50, True), (None, None, False),
        (30_000, None, False), (30_000, 10_000, False),
    ):  # fmt: skip
        (sentence,) = remarks.tails([without(case, count=count, samples=samples)])
        assert ("too few" in sentence) is told, sentence
        assert ("samples, " in sentence) is (count is not None)
