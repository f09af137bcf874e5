"""Flows of the scenario's own: their figures, and that the case's own figures do not count them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from own_flows_campaign import FLOW_NS, LOST, PINGS, ROUNDS, campaign
from seams import Estimates, document, done, shown


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The same pings, with flows in the background and alone."""
    folder = tmp_path_factory.mktemp("flows")
    return (campaign(folder / "with", beside=True).directory,
            campaign(folder / "alone", beside=False).directory)  # fmt: skip


def test_the_figures_of_the_case_are_those_that_it_has_alone(both: tuple[Path, Path]) -> None:
    here, alone = (shown(each).cases[0] for each in both)
    assert here.latency == alone.latency and here.latency.sent == ROUNDS * 900
    known = [Estimates(each).results.latencies("udp-64") for each in both]
    assert known[0].equals(known[1])
    (pair,) = document("compare", both[1], both[0], "--by", "beside").pairs
    assert {change.change.value for change in pair.changes if change.change} <= {0.0, 1.0}


FLOWS: dict[tuple[str, str], dict[str, Any]] = {
    ("flow", "command"): {"asked": ROUNDS * PINGS, "unanswered": ROUNDS * LOST,
                          "half_round_trip": FLOW_NS / 2},
    ("flow", "bulk"): {"asked": ROUNDS * 50, "unanswered": ROUNDS, "one_way": 400_000.0,
                       "read_rate": 4000.0, "expected": ROUNDS * 500, "lost": ROUNDS * 10,
                       "theoretical_rate": None},
    # A part of what console writes is at full speed: what was to be written is not a number.
    ("participant", "console"): {"write_rate": 5020.0, "asked_rate": None, "expected": None},
    ("participant", "plant"): {"read_rate": 4000 + 20.0 * (PINGS - LOST) / PINGS,
                               "lost": ROUNDS * (LOST + 10), "write_rate": None},
    ("system", "all"): {"sent": ROUNDS * (2000 + PINGS + 500), "lost": ROUNDS * (LOST + 10)},
}  # fmt: skip


@pytest.mark.parametrize(("scope", "of"), FLOWS)
def test_every_flow_and_participant_has_its_figures(
    both: tuple[Path, Path], scope: str, of: str
) -> None:
    rows = Estimates(both[0]).frame.filter(scope=scope, of=of, over="rounds")
    rows = rows.filter(rows["statistic"].is_in(["median", "value", "count"]))
    found = {row["quantity"]: row["value"] for row in rows.to_dicts()}
    for quantity, value in FLOWS[scope, of].items():
        assert found.get(quantity) == (value and pytest.approx(value)), quantity


def test_a_percentile_of_a_flow_among_its_lost_pings_is_none(both: tuple[Path, Path]) -> None:
    row = Estimates(both[0]).row("half_round_trip", "p99", scope="flow", of="command")
    assert row["value"] is None and row["reason"]
    text = done("show", both[0])
    assert "command" in text and "lost: 2.0 %" in text
