"""The answer says which rates were not reached."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from busmark.compare.campaign import Campaign, summarise
from synthetic_campaign import Builder

from busmark.store import Result


def campaign(directory: Path, marked: int, ok: int) -> Campaign:
    build = Builder(directory)
    case = build.case("udp-fast", rate_hz=2e6, arrivals="constant")
    for number in range(ok):
        build.pings(case, number, np.full(100, 8000.0))
    for number in range(ok, ok + marked):
        build.row(
            case, number, "marked",
            reason=f"reached {168_000 + number}/s of 2\u202f000\u202f000/s (criteria.min_rate)",
        )  # fmt: skip
    return summarise(Result(build.finish()))


def test_a_rate_that_no_round_reached_is_the_first_thing_told(tmp_path: Path) -> None:
    found = campaign(tmp_path, marked=3, ok=0)
    assert found.answers[0].sentence == (
        "At 64 B on one CPU, UDP socket cannot reach the rate: reached 168000/s of "
        "2\u202f000\u202f000/s; no figure counts."
    )
    (case,) = found.cases
    assert case.reason == (
        "3 rounds marked, such as: reached 168000/s of 2\u202f000\u202f000/s (criteria.min_rate)"
    )


def test_rounds_that_did_not_reach_it_are_counted_beside_those_that_did(tmp_path: Path) -> None:
    first = campaign(tmp_path, marked=1, ok=4).answers[0].sentence
    assert "did not reach its rate in 1 of 5 rounds: reached 168004/s of" in first


def test_nothing_is_said_where_every_round_reached_it(tmp_path: Path) -> None:
    found = campaign(tmp_path, marked=0, ok=4)
    assert not any("reach" in answer.sentence for answer in found.answers)
