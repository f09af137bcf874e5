"""The search for a sustained rate, over rounds of a middleware whose capacity is known."""

from __future__ import annotations

from typing import Any

import pytest
from control_fakes import PARAMS

from busmark.control import next_trial, shortfall, trial_figures
from busmark.scenario import CapacitySection
from busmark.store import Case

CASE = Case(
    id="000-capacity",
    status="planned",
    params=PARAMS.changed(test="capacity", duration_s=1.0, statistic="goodput"),
)
LIMIT_HZ = 5000.0
"""Limit of each of the two writers; beyond it what comes too fast is lost."""


def figures(rate_hz: float | None) -> dict[str, Any]:
    """Return the figures of a round at this rate; None is full speed."""
    sent = 2 * (20_000.0 if rate_hz is None else rate_hz)
    received = min(sent, 2 * LIMIT_HZ)
    return {
        "senders": 2, "written_per_s": sent, "samples_per_s": received,
        "sent": round(sent), "expected": round(sent),
        "lost": round(sent - received), "beyond": 0.0, "received": round(received),
    }  # fmt: skip


def search(asked: CapacitySection, broken: int = 0) -> list[dict[str, Any]]:
    """Return the rows of a whole search, the first `broken` of them failed."""
    rows: list[dict[str, Any]] = []
    while (trial := next_trial(CASE, rows, asked)) is not None:
        rate = trial.params.rate_hz
        row = {"round": len(rows), "order": len(rows), "status": "ok", "rate_hz": rate}
        if len(rows) < broken:
            rows.append({**row, "status": "failed"})
            continue
        measured = figures(rate)
        rows.append({**row, **measured, **trial_figures(trial, measured, rows, asked)})
    return rows


def test_the_first_trial_is_at_full_speed_and_the_last_ones_confirm() -> None:
    rows = search(CapacitySection())
    assert rows[0]["rate_hz"] is None and rows[0]["shortfall"] is None
    last = rows[-1]
    assert last["sustained_hz"] <= LIMIT_HZ <= last["bracket_high_hz"] * 1.001
    assert last["sustained_hz"] > LIMIT_HZ / 1.1 and last["confirmed"] == 3
    assert [row["rate_hz"] for row in rows[-3:]] == [last["sustained_hz"]] * 3


def test_a_trial_has_as_many_probes_as_a_percentile_needs() -> None:
    trial = next_trial(CASE, search(CapacitySection(max_trials=2)), CapacitySection())
    assert trial is not None
    rate, every = trial.params.rate_hz, trial.params.probe_every
    # Their number is random: 1000 and six standard deviations.
    assert 1200 <= rate / every < 2400


@pytest.mark.parametrize(
    ("change", "asked", "words"),
    [
        ({}, {}, None),
        ({"lost": 3}, {}, "lost 0.30 %"),
        ({"lost": 3}, {"max_loss": 0.01}, None),
        ({"written_per_s": 100.0}, {}, "writers reached 10 % of the rate"),
        ({"samples_per_s": 900.0}, {}, "readers do not keep up"),
        ({"expected": 3000, "samples_per_s": 2990.0}, {}, None),
        ({"expected": 3000, "samples_per_s": 1900.0}, {}, "readers do not keep up"),
        ({"beyond": 0.01}, {"max_p99_us": 1000.0}, None),
        ({"beyond": 0.02}, {}, None),
        ({"beyond": 0.02}, {"max_p99_us": 1000.0}, "percentile of the round trip too high: 2.0 %"),
        (
            {"beyond": None},
            {"max_p99_us": 1000.0},
            "99th percentile of the round trip is not known",
        ),
    ],
)
def test_what_a_trial_falls_short_in_is_reported(
    change: dict[str, Any], asked: dict[str, Any], words: str | None
) -> None:
    params = CASE.params.changed(rate_hz=500.0)
    found = shortfall(params, {**figures(500.0), **change}, CapacitySection(**asked))
    assert found is words if words is None else words in str(found)


@pytest.mark.parametrize(
    ("change", "asked", "words"),
    [
        ({}, {}, None),
        ({"lost": 3}, {}, "unanswered 0.30 %"),
        ({"written_per_s": 100.0}, {}, "clients reached 10 % of the rate"),
        ({"samples_per_s": 900.0}, {}, "responses do not keep up"),
        ({"beyond": 0.02}, {"max_p99_us": 1000.0}, "percentile of the response time too high"),
    ],
)
def test_what_a_trial_of_a_service_falls_short_in_is_reported(
    change: dict[str, Any], asked: dict[str, Any], words: str | None
) -> None:
    params = CASE.params.changed(test="service-capacity", rate_hz=500.0)
    found = shortfall(params, {**figures(500.0), **change}, CapacitySection(**asked))
    assert found is words if words is None else words in str(found)
