"""The test discovery: an endpoint that is made again and again, with real middleware."""

from __future__ import annotations

import json

import polars as pl
import pytest
from e2e_harness import Lab, need_adapters, rows, scenario

import busmark

MEASURE = "samples = 3\nduration_s = 60.0\nwarmup_s = 0\ntimeout_s = 60.0"


def discovered(lab: Lab, matrix: str) -> pl.DataFrame:
    """Repetitions of one round of each case."""
    lab.campaign(
        scenario(
            f'test = "discovery"\nsize = 40\nplacement = "free"\n{matrix}',
            measure=MEASURE,
            rounds="min = 1",
            criteria="min_repetitions = 3",
        )
    )
    assert all(row["status"] == "ok" for row in rows(lab.folder / "result"))
    return busmark.open(lab.folder / "result").discoveries(parameters=True).collect()


def test_a_new_endpoint_is_discovered_in_every_repetition(lab: Lab) -> None:
    need_adapters("cyclonedds")
    seen = discovered(lab, 'adapter = "cyclonedds"\nnew = ["writer", "reader"]\n'
                           'creates = ["entity", "participant"]\nexisting = [0, 10]')  # fmt: skip
    assert seen.height == 8 * 3
    assert seen["received"].all()
    # The middleware's events have the moments on either side.
    assert (seen["own_match_ns"] == seen["own_match_least_ns"]).all()
    assert (seen["peer_match_ns"] == seen["peer_match_least_ns"]).all()
    assert (seen["first_sample_ns"] > 0).all() and (seen["creation_ns"] > 0).all()
    # Nobody hears a writer that it does not know.
    heard = seen.filter(pl.col("new") == "writer")
    assert (heard["first_sample_ns"] > heard["peer_match_ns"]).all()
    assert (heard["sent"] > heard["lost"]).all()
    attached = seen["attach_ns"].is_not_null()
    assert attached.to_list() == (seen["creates"] == "participant").to_list()


@pytest.mark.parametrize("adapter", ["fastdds"])
def test_every_middleware_with_discovery_has_its_figures(lab: Lab, adapter: str) -> None:
    need_adapters(adapter)
    seen = discovered(lab, f'adapter = "{adapter}"\nnew = ["writer", "reader"]')
    assert seen.height == 2 * 3 and seen["received"].all()
    ended = lab.busmark("show", "result", "--json")
    cases = json.loads(ended.out)["cases"]
    assert [case["discovery"]["repetitions"] for case in cases] == [3, 3]
    assert all(case["discovery"]["first_sample"]["value"] > 0 for case in cases)


def test_what_has_no_discovery_or_cannot_be_distinguished_is_unsupported(lab: Lab) -> None:
    need_adapters("udp", "cyclonedds")
    lab.scenario(scenario('test = "discovery"\nadapter = ["udp", "cyclonedds"]\n'
                          'creates = ["entity", "publisher"]\nwriters = [1, 2]'))  # fmt: skip
    ended = lab.busmark("plan", "scenario.toml")
    assert "no discovery: endpoints of udp are connected by locators" in ended.text
    assert "creates publisher: the adapter's contract" in ended.text
    assert "writers: a discovery test has one new endpoint" in ended.text
    assert "1 to run, 7 unsupported" in ended.text
