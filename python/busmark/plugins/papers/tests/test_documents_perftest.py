"""Verdicts on the thesis of 2023: on its own tables, and on a world that is otherwise."""

from __future__ import annotations

from typing import Any

import pytest
from documents_campaigns import latency, text
from perftest_tables import AVE, MAX, MEDIAN, PER_S, SIZES, STD

from busmark.plugins.papers.repetition import Repetition, repetition


def as_in_the_tables(p: dict[str, Any], round_number: int) -> dict[str, Any] | None:
    """Return values: rounds 0 and 1 are campaign one, 2 and 3 campaign two; the odd are 1 % off.

    A single outlier makes no test: that round failed.
    """
    number = 1 + 2 * (round_number // 2) + (p["test"] == "latency")
    at = SIZES.index(p["size"])
    ave = AVE[number][at]
    if ave is None:
        return None
    off = 1 + 0.01 * (round_number % 2)
    known = {
        "mean_ns": ave,
        "std_ns": STD[number][at],
        "max_ns": MAX[number][at],
        "median_ns": MEDIAN[number][at],
    }
    figures = {name: 1e3 * value * off for name, value in known.items() if value is not None}
    return {
        "samples_per_s": PER_S[number][at] * off,
        "mbit_per_s": PER_S[number][at] * p["size"] * 8e-6,
        "median_ns": figures["median_ns"],
        "latency": latency(figures.pop("mean_ns"), **figures),
    }


def otherwise(p: dict[str, Any], round_number: int) -> dict[str, Any]:
    """Return everything the other way round."""
    throughput, late = p["test"] == "throughput", round_number >= 2
    # Latency grows where it fell, and falls where it grew; samples/s grow throughout.
    rising = min(p["size"], 8192) / 32
    mean = 1e4 * rising * (8192 / max(p["size"], 8192)) ** 0.5
    per_s = 1e3 * p["size"] ** 0.5 if throughput else 4e4 * p["size"] ** 0.01
    per_s *= 0.5 if late else 1.0
    if throughput:
        mean *= 0.1 * (0.5 if late else 1.0)
    else:
        mean *= 2.0 if late else 1.0
    return {
        "samples_per_s": per_s,
        "mbit_per_s": per_s * p["size"] * 8e-6,
        "received": 990,
        "median_ns": mean,
        "latency": latency(mean),
    }


def compared(figures: Any, size: str = "quick") -> Repetition:
    found = repetition(text(f"perftest-2023/{size}", figures))
    assert found is not None
    return found


@pytest.fixture(scope="module")
def held() -> Repetition:
    return compared(as_in_the_tables)


def test_what_the_thesis_states_holds_of_its_own_tables(held: Repetition) -> None:
    lines = [(check.name, seen.verdict) for a in held.answers for check, seen in a.lines]
    assert [name for name, verdict in lines if verdict == "disagrees"] == []
    agreeing = [name for name, verdict in lines if verdict == "agrees"]
    # Its tables do not contain everything that it states about two single campaigns.
    open_ones = {name.rsplit(", ", 2)[0] for name, verdict in lines if verdict == "undecided"}
    assert all("second campaign over first" in name for name in open_ones), open_ones
    assert len(agreeing) > 0.7 * len(lines)


def test_statements_without_checks_say_why(held: Repetition) -> None:
    for answer in held.answers:
        assert answer.lines or answer.statement.remark


def test_next_to_nothing_agrees_where_it_is_otherwise() -> None:
    found = compared(otherwise)
    agreeing = {c.name for a in found.answers for c, e in a.lines if e.verdict == "agrees"}
    # Samples grow faster here than they become fewer, so Mbit/s rise in any world.
    assert all(name.startswith("Mbit/s, each size") for name in agreeing), agreeing


def test_the_full_pack_answers_the_same_checks() -> None:
    found = compared(as_in_the_tables, "full")
    assert all(seen.pairs for answer in found.answers for _, seen in answer.lines)


def test_without_the_vendor_its_checks_stay_open() -> None:
    def without(p: dict[str, Any], number: int) -> dict[str, Any] | None:
        return None if p["adapter"] == "rti" else as_in_the_tables(p, number)

    for answer in compared(without).answers:
        for check, seen in answer.lines:
            assert ("RTI" in check.name) == (not seen.pairs)
