"""Verdicts on what the thesis expects of a secured run."""

from __future__ import annotations

from typing import Any

import pytest
from documents_campaigns import latency, text

from busmark.plugins.papers.repetition import Repetition, repetition


def compared(slower: float, *, without: str = "rti", size: str = "quick") -> Repetition:
    """Return a repetition: secured cases are slower by this factor, one adapter has no security."""

    def figures(p: dict[str, Any], round_number: int) -> dict[str, Any] | None:
        secured = p.get("security", "none") != "none"
        if secured and p["adapter"] == without:
            return None
        noise = 1 + 0.02 * (-1) ** round_number if secured else 1.0
        factor = (slower if secured else 1.0) * noise
        median = 20_000.0 * factor
        return {"samples_per_s": 1e5 / factor, "median_ns": median, "latency": latency(median)}

    found = repetition(text(f"secured-2023/{size}", figures))
    assert found is not None
    return found


def verdicts(found: Repetition) -> dict[str, str]:
    return {check.name: seen.verdict for a in found.answers for check, seen in a.lines}


@pytest.mark.parametrize("size", ["quick", "full"])
def test_what_security_costs_agrees_with_what_was_expected(size: str) -> None:
    for name, verdict in verdicts(compared(1.5, size=size)).items():
        assert verdict == ("undecided" if "RTI" in name else "agrees"), name


def test_security_that_costs_nothing_agrees_with_nothing() -> None:
    assert "agrees" not in verdicts(compared(1.0)).values()


def test_security_that_makes_faster_disagrees() -> None:
    found = verdicts(compared(0.5))
    assert {verdict for name, verdict in found.items() if "RTI" not in name} == {"disagrees"}


def test_pairs_of_two_vendors_and_single_profiles_are_in_no_ratio() -> None:
    for answer in compared(1.5).answers:
        for _, seen in answer.lines:
            for pair in seen.pairs:
                assert all(
                    "fastdds-cyclonedds" not in case and "-cyclonedds-fastdds" not in case
                    for case in pair.cases
                )
                secured, plain = pair.cases
                assert "securedall" in secured and "secured" not in plain
