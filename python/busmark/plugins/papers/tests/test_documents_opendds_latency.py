"""Verdicts on OpenDDSBench's statements on latency: where they hold, and the other way round."""

from __future__ import annotations

from typing import Any

import pytest
from documents_campaigns import latency, text

from busmark.plugins.papers.repetition import Repetition, repetition


def as_in_2010(p: dict[str, Any], _: int) -> dict[str, Any]:
    """Return latency on a line, skewed right, jitter even to both sides, hops not correlated."""
    mean = 60e3 + 3.0 * p["size"]
    shape = latency(
        mean,
        std_ns=0.05 * mean,
        p2_ns=0.98 * mean,
        p98_ns=1.1 * mean,
        max_ns=2 * mean,
        jitter_ns=0.02 * mean,
        jitter_p2_ns=-0.1 * mean,
        jitter_p98_ns=0.1 * mean,
        there_mean_ns=mean,
        there_std_ns=0.06 * mean,
        there_max_ns=2.5 * mean,
    )
    return {"median_ns": mean, "latency": shape}


def otherwise(p: dict[str, Any], _: int) -> dict[str, Any]:
    """Return bent latency, skewed left, the tail elsewhere at each size, hops that cancel out."""
    mean = 1e3 + p["size"] ** 2 / 1e3
    shape = latency(
        mean,
        std_ns=0.05 * mean,
        p2_ns=0.5 * mean,
        p98_ns=(1.4 + p["size"] / 1e4) * mean,
        median_ns=mean,
        max_ns=9 * mean,
        jitter_p2_ns=-0.5 * mean,
        jitter_p98_ns=0.1 * mean,
        there_mean_ns=0.3 * mean,
        there_std_ns=mean,
        there_max_ns=2 * mean,
    )
    shape |= {"p2_ns": -5 * mean}
    return {"median_ns": mean, "latency": shape}


def compared(figures: Any, size: str) -> Repetition:
    found = repetition(text(f"openddsbench-2010/{size}", figures))
    assert found is not None
    return found


def verdicts(found: Repetition) -> dict[str, str]:
    return {check.name: seen.verdict for a in found.answers for check, seen in a.lines}


@pytest.mark.parametrize("size", ["latency-quick", "latency-full"])
def test_every_check_agrees_where_it_holds(size: str) -> None:
    assert set(verdicts(compared(as_in_2010, size)).values()) == {"agrees"}


def test_no_check_agrees_where_none_holds() -> None:
    found = verdicts(compared(otherwise, "latency-quick"))
    assert [name for name, verdict in found.items() if verdict == "agrees"] == []


def test_statements_on_throughput_are_not_asked_of_latency_and_listed() -> None:
    found = compared(as_in_2010, "latency-quick")
    parts = {answer.statement.part for answer in found.answers}
    assert parts == {"latency"}
    assert {statement.part for statement in found.skipped} == {"throughput"}
    asked = [answer.statement for answer in found.answers]
    assert [*asked, *found.skipped] == [*found.document.statements]


def test_without_one_clock_what_is_one_way_stays_open() -> None:
    def apart(p: dict[str, Any], number: int) -> dict[str, Any]:
        figures = as_in_2010(p, number)
        absent = dict.fromkeys(("there_mean_ns", "there_std_ns", "there_max_ns"))
        return {**figures, "latency": figures["latency"] | absent}

    for name, verdict in verdicts(compared(apart, "latency-quick")).items():
        assert (verdict == "undecided") == (" of one hop over " in name), name
