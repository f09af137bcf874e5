"""Whoever of a campaign on a lab is killed, no finished round is lost and nothing is left."""

from __future__ import annotations

import os

import pytest
from e2e_harness import Lab, need_adapters
from kill_trials import ADAPTERS, VICTIMS, Campaigns

from busmark.errors import UserError
from busmark.lab import network
from busmark.load import missing_tool, parse

TRIALS = int(os.environ.get("BUSMARK_TEST_KILL_TRIALS", "6"))
SEED = 3


def test_a_campaign_survives_the_death_of_each_of_its_processes(lab: Lab) -> None:
    if os.geteuid() != 0:
        pytest.skip("a lab needs root")
    try:
        network.need_tools()
    except UserError as error:
        pytest.skip(str(error))
    for text in ("net 5mbit", "cpu 20%"):
        load = parse(text)
        if load and (reason := missing_tool(load)):
            pytest.skip(reason)
    need_adapters(*ADAPTERS)
    trials = list(Campaigns(lab, SEED).trials(TRIALS))
    assert len(trials) == TRIALS
    assert {trial.victim for trial in trials} <= set(VICTIMS)
