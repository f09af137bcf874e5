"""Ratios, limits and verdicts on known numbers."""

from __future__ import annotations

import pytest

from compare import (
    AT_LEAST,
    AT_MOST,
    CANNOT_TELL,
    FAILED,
    MET,
    NO_TARGET,
    NOT_MET,
    Target,
    limit_row,
    ratio_row,
)

LATENCY = Target(AT_MOST, 1.02)
THROUGHPUT = Target(AT_LEAST, 0.98)


def pairs(*ratios: float) -> list[tuple[float, float]]:
    """Return rounds of these ratios on a machine that becomes slower and slower."""
    return [(ratio * 10 * 2**n, 10 * 2**n) for n, ratio in enumerate(ratios)]


def test_the_machines_drift_cancels_in_the_ratio() -> None:
    row = ratio_row(pairs(1.01, 1.01, 1.01, 1.01), LATENCY)
    assert row["ratio"] == pytest.approx(1.01)
    assert row["interval"] == pytest.approx([1.01, 1.01])
    assert (row["met"], row["verdict"], row["excess"], row["rounds"]) == (True, MET, 0, 4)


def test_the_sides_are_medians_of_their_rounds() -> None:
    row = ratio_row([(1.0, 2.0), (3.0, 4.0), (100.0, 50.0)], LATENCY)
    assert (row["ours"], row["other"]) == (3.0, 4.0)


def test_a_miss_beyond_doubt() -> None:
    row = ratio_row(pairs(1.10, 1.11, 1.12), LATENCY)
    assert (row["met"], row["verdict"]) == (False, NOT_MET)
    assert row["excess"] == pytest.approx(1.11 / 1.02 - 1, rel=1e-3)


def test_a_miss_within_the_noise() -> None:
    row = ratio_row(pairs(0.80, 1.40, 1.10), LATENCY)
    assert (row["met"], row["verdict"]) == (False, CANNOT_TELL)


def test_throughput_is_bounded_from_below() -> None:
    assert ratio_row(pairs(1.5, 1.6), THROUGHPUT)["verdict"] == MET
    row = ratio_row(pairs(0.49, 0.49, 0.49), THROUGHPUT)
    assert row["verdict"] == NOT_MET
    assert row["excess"] == pytest.approx(0.5)


def test_one_round_decides_nothing_but_the_estimate() -> None:
    row = ratio_row(pairs(1.10), LATENCY)
    assert row["interval"] is None
    assert (row["met"], row["verdict"]) == (False, NOT_MET)


def test_no_pair_is_no_verdict() -> None:
    row = ratio_row([], LATENCY)
    assert (row["met"], row["verdict"], row["ratio"], row["rounds"]) == (None, FAILED, None, 0)
    assert limit_row([], Target(AT_MOST, 60))["verdict"] == FAILED


def test_a_limit_is_judged_by_the_median() -> None:
    row = limit_row([50.0, 58.0, 90.0], Target(AT_MOST, 60))
    assert (row["ours"], row["met"], row["judged"], row["other"]) == (58.0, True, "ours", None)
    assert row["worst"] == 90.0
    assert row["interval"] is None, "three rounds are too few for an interval of the median"


def test_the_interval_of_a_limit_is_made_of_rounds() -> None:
    row = limit_row([float(n) for n in range(1, 11)], Target(AT_MOST, 4))
    assert row["interval"] == [2.0, 9.0]
    assert row["verdict"] == CANNOT_TELL


def test_without_a_target_there_is_a_ratio_and_no_verdict() -> None:
    row = ratio_row(pairs(1.2, 1.2), None)
    assert row["ratio"] == pytest.approx(1.2)
    assert (row["target"], row["met"], row["excess"]) == (None, None, None)
    assert row["verdict"] == NO_TARGET
