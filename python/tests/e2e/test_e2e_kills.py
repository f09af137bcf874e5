"""Whoever of a campaign on a lab is killed, no finished round is lost and nothing is left."""

from __future__ import annotations

import os

import pytest
from e2e_harness import Lab, need_adapters
from kill_trials import ADAPTERS, VICTIMS, Campaigns

from busmark.load import missing_tool, parse

TRIALS = int(os.environ.get("BUSMARK_TEST_KILL_TRIALS", "6"))
SEED = 3


@pytest.mark.usefixtures("lab_is_possible")
def test_a_campaign_survives_the_death_of_each_of_its_processes(lab: Lab) -> None:
    for text in ("net 5mbit", "cpu 20%"):
        if reason := missing_tool(parse(text)):
            pytest.skip(reason)
    need_adapters(*ADAPTERS)
    trials = list(Campaigns(lab, SEED).trials(TRIALS))
    assert len(trials) == TRIALS
    assert {trial.victim for trial in trials} <= set(VICTIMS)
