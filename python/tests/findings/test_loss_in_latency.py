"""Lost pings under best effort, and closed loops that stood still."""

from __future__ import annotations

import numpy as np
from planted import LATENCY, MS, Planted, clean, params

OPEN = params("udp", arrivals="constant", rate_hz=500.0)
BEST_EFFORT = {"reliability": "best_effort", "history": "keep_last", "depth": 1}


def test_loss_under_best_effort_is_found(campaign: Planted) -> None:
    case = {**OPEN, "qos": BEST_EFFORT}
    (finding,) = campaign.case("x", clean(1), case, lost=430).found("loss-in-latency")
    assert finding.severity == "warning" and "overwritten" in finding.title
    assert "1290 of 6000" in finding.evidence.replace("\N{NARROW NO-BREAK SPACE}", "").replace(
        ",", ""
    )
    assert "later than any" in finding.cause.replace("\n", " ") or "later" in finding.cause


def test_a_few_lost_are_a_note_and_fewer_are_none(campaign: Planted) -> None:
    campaign.case("x", clean(1), OPEN, lost=4)
    assert campaign.found("loss-in-latency")[0].severity == "note"


def test_a_loop_that_stood_still_is_found(campaign: Planted) -> None:
    rounds = clean(1, samples=50_000)
    for series in rounds:
        series[[1000, 20_000, 30_000]] = 200 * MS
    (finding,) = campaign.case("x", rounds).found("loop-stood-still")
    assert "3 pings took 600 ms" in finding.evidence


def test_lost_pings_are_stalls_of_the_loop_too(campaign: Planted) -> None:
    case = {**LATENCY, "timeout_s": 1.0}
    found = campaign.case("x", clean(1, samples=50_000), case, lost=1).found("loop-stood-still")
    assert len(found) == 1


def test_an_open_loop_charges_its_stalls(campaign: Planted) -> None:
    rounds = clean(1, samples=5000)
    for series in rounds:
        series[np.arange(1000, 1005)] = 200 * MS
    assert campaign.case("x", rounds, OPEN).found("loop-stood-still") == []
