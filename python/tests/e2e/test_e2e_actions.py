"""Actions: goals, their feedback and results, over services and topics of any adapter."""

from __future__ import annotations

import itertools
import json
from math import ceil

import polars as pl
import pytest
from e2e_harness import Lab, figures, need_adapters, rows, scenario
from seams import viewed

GOAL_S, FEEDBACK_HZ, EVERY = 0.04, 100, 3
MATRIX = (
    f'test = "action"\nadapter = ["cyclonedds", "tcp"]\ngoals = 3\ngoal_time_s = {GOAL_S}\n'
    f"feedback_hz = {FEEDBACK_HZ}\ncancel_every = {EVERY}\nsize = 200\nclients = 2\n"
    'placement = "free"\nqos.history = "keep_all"'
)


def test_every_goal_has_its_result_and_all_of_its_feedback(lab: Lab) -> None:
    need_adapters("tcp", "cyclonedds")
    measure = "duration_s = 0.5\nwarmup_s = 0.1\ntimeout_s = 10\nverify = true"
    lab.campaign(scenario(MATRIX, measure=measure, rounds="min = 2"))
    lab.assert_nothing_left()
    result = lab.folder / "result"
    found = rows(result)
    assert [row["status"] for row in found] == ["ok"] * 4, found
    for row in found:
        assert row["corrupted"] == row["foreign"] == row["misrouted"] == row["late"] == 0
        assert row["goals_without_result"] == row["goals_refused"] == 0
        assert row["goals_succeeded"] + row["goals_cancelled"] == row["goals_sent"] == row["sent"]
        assert row["feedback_received"] == row["feedback_expected"] > 0
        # Goals of the warm-up reached the server, too.
        assert row["served"] > row["goals_sent"]
    goals = pl.read_parquet(result / "goals" / "*.parquet")
    assert goals["outcome"].unique().sort().to_list() == ["cancelled", "succeeded"]
    assert goals["client"].n_unique() == 2
    cancelled = goals.filter(outcome="cancelled")
    assert cancelled["cancel_sent_ns"].null_count() == 0, "nothing else is cancelled"
    for _, own in goals.group_by("case", "round", "client"):
        numbers = own.filter(outcome="cancelled")["goal"].sort().to_list()
        # A goal that had ended before it could be cancelled succeeds.
        assert numbers and {number % EVERY for number in numbers} == {numbers[0] % EVERY}
    whole = goals.filter(outcome="succeeded")
    assert whole["feedback_sent"].unique().to_list() == [ceil(GOAL_S * FEEDBACK_HZ)]
    stamps = ("sent_ns", "accepted_ns", "ended_ns", "result_ns")
    for early, late in itertools.pairwise(stamps):
        assert (whole[late] >= whole[early]).all(), (early, late)
    assert (whole["ended_ns"] - whole["sent_ns"] >= GOAL_S * 1e9).all(), "each takes its time"
    shown = json.loads(lab.busmark("show", "result", "--json").out)["cases"]
    for case in shown:
        own = figures(case)[""]
        assert own["goal_loss"] == own["feedback_loss"] == 0
        assert own["goal_rate"] > 0 and own["feedback_rate"] > 0
        times = ("goal_accepted", "first_feedback", "result_delay", "cancel_answered")
        assert all(own[time] > 0 for time in times)
        view = viewed(case)
        assert view.headline and view.headline.kind == "accepted"


def test_goals_leave_on_time_at_a_rate(lab: Lab) -> None:
    need_adapters("tcp")
    matrix = (
        'test = "action"\nadapter = "tcp"\nrate_hz = 100\ngoal_time_s = 0.2\nfeedback_hz = 0\n'
        'size = 8\nplacement = "free"'
    )
    measure = "duration_s = 0.5\nwarmup_s = 0.05\ntimeout_s = 10"
    lab.campaign(scenario(matrix, measure=measure, rounds="min = 1"))
    (row,) = rows(lab.folder / "result")
    assert row["goals_sent"] == row["goals_succeeded"] == 50
    assert row["feedback_expected"] == row["feedback_received"] == 0
    assert row["first_feedback_ns"] is None and row["cancel_answered_ns"] is None


@pytest.mark.parametrize(
    ("more", "why"),
    [
        ('wait = "poll"', "an action by two topics waits by waitset"),
        ("subscribers = 2", "an action test has one action with one server"),
        ('payload = "float"', "requests and responses carry octets"),
    ],
)
def test_what_no_action_is_like_is_unsupported_in_the_plan(lab: Lab, more: str, why: str) -> None:
    need_adapters("cyclonedds")
    matrix = f'test = "action"\nadapter = "cyclonedds"\nsize = 64\n{more}'
    path = lab.scenario(scenario(matrix, measure="duration_s = 0.4", rounds="min = 1"))
    shown = lab.busmark("plan", path)
    assert why in " ".join(shown.text.split()), shown.text
