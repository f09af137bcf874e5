"""Rounds whose length the run chooses, with real workers."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from e2e_harness import (
    Ended,
    Lab,
    events,
    need_adapters,
    rows,
    scenario,
)

MEASURE = 'duration_s = "auto"\nwarmup_s = 0.02\ninterval_s = 0.01'
ROUNDS = "min = 4\nmax = 6\ntarget = 0.02"
ALSO = '[[also]]\nadapter = "udp"\ntest = "throughput"\nrate_hz = 500.0\nsize = 64'

Campaign = tuple[Lab, Path, Ended]


@pytest.fixture(scope="module")
def campaign(shared_lab: Lab) -> Campaign:
    need_adapters("udp", "null")
    matrix = 'adapter = ["udp", "null"]\nsize = 32'
    path = shared_lab.scenario(scenario(matrix, measure=MEASURE, rounds=ROUNDS, also=ALSO))
    out = shared_lab.folder / "result"
    return shared_lab, out, shared_lab.busmark("run", path, "--out", out)


def test_every_round_says_how_long_it_was_to_measure(campaign: Campaign) -> None:
    _, out, ended = campaign
    assert ended.code == 0, ended.text
    found = rows(out)
    assert {row["test"] for row in found} == {"latency", "throughput"}
    for row in found:
        assert row["status"] == "ok", row["reason"]
        assert row["chosen_s"] > 0.0
        # It ends with the last pong or write before that time, however busy the machine is.
        assert row["measured_s"] > 0.0
    for case in {row["case"] for row in found}:
        assert 4 <= sum(row["case"] == case for row in found) <= 6


def test_what_was_chosen_is_reported_in_a_sentence(campaign: Campaign) -> None:
    _, out, ended = campaign
    lines = [event for event in events(out) if event["event"] == "length_chosen"]
    chosen = {(row["case"], row["round"]): row["chosen_s"] for row in rows(out)}
    for event in lines:
        assert chosen[event["case"], event["round"]] == event["measured_s"]
        assert event["round"] >= 3, "the pilot comes first"
        assert f"{event['case']}: {event['reason']}" in ended.err
    pilots = {row["case"]: row["chosen_s"] for row in rows(out) if row["round"] == 2}
    for (case, number), seconds in chosen.items():
        if number == 3 and seconds != pilots[case]:
            assert (case, 3) in {(event["case"], event["round"]) for event in lines}


def test_reports_tell_of_it(campaign: Campaign) -> None:
    lab, out, _ = campaign
    shown = lab.busmark("show", out)
    assert "A round's length" in " ".join(shown.out.split())
    document = json.loads(lab.busmark("show", out, "--json").out)
    for case in document["cases"]:
        low, high = case["precision"]["chosen_s"]
        lengths = [attempt["chosen_s"] for attempt in case["attempts"]]
        assert (low, high) == (min(lengths), max(lengths))
    page = (out / "report" / "report.html").read_text(encoding="utf-8")
    assert "A round&#x27;s length" in page


def test_the_plan_says_that_lengths_are_chosen(campaign: Campaign) -> None:
    lab, _, _ = campaign
    text = lab.busmark("plan", "scenario.toml").out
    assert "chosen during the run" in text and "0.5 s is assumed" in text
    document = json.loads(lab.busmark("plan", "scenario.toml", "--json").out)
    assert document["chosen_lengths"] is True and document["expected_s"] > 0
    other = lab.busmark("plan", "scenario.toml", "--set", "measure.duration_s=1", "--json").out
    assert json.loads(other)["chosen_lengths"] is False
