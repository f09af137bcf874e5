"""The test discovery: an endpoint that is made again and again, with real middleware."""

from __future__ import annotations

import json

import polars as pl
from e2e_harness import Lab, figures, need_adapters, rows, scenario

import busmark

MEASURE = "samples = 3\nduration_s = 60.0\nwarmup_s = 0\ntimeout_s = 60.0"


def test_a_new_endpoint_is_discovered_in_every_repetition(lab: Lab) -> None:
    need_adapters("cyclonedds", "fastdds")
    matrix = (
        'test = "discovery"\nsize = 40\nplacement = "free"\nadapter = "cyclonedds"\n'
        'new = ["writer", "reader"]\ncreates = ["entity", "participant"]\nexisting = [0, 10]'
    )
    also = '[[also]]\nadapter = "fastdds"\ncreates = "entity"\nexisting = 0'
    criteria = "match_timeout_s = 60\nmin_repetitions = 3"
    lab.campaign(scenario(matrix, measure=MEASURE, rounds="min = 1", criteria=criteria, also=also))
    assert all(row["status"] == "ok" for row in rows(lab.folder / "result"))
    every = busmark.open(lab.folder / "result").discoveries(parameters=True).collect()
    assert every["received"].all() and (every["first_sample_ns"] > 0).all()
    seen = every.filter(adapter="cyclonedds")
    assert (seen.height, every.height) == (8 * 3, (8 + 2) * 3)
    # The middleware's events have the moments; one that is later than the count leaves a range.
    for side in ("own", "peer"):
        range_ns = seen[f"{side}_match_ns"] - seen[f"{side}_match_least_ns"]
        assert range_ns.min() == range_ns.median() == 0
    assert (seen["creation_ns"] > 0).all()
    # Nobody hears a writer that it does not know.
    heard = seen.filter(pl.col("new") == "writer")
    assert (heard["first_sample_ns"] > heard["peer_match_least_ns"]).all()
    assert (heard["sent"] > heard["lost"]).all()
    attached = seen["attach_ns"].is_not_null()
    assert attached.to_list() == (seen["creates"] == "participant").to_list()
    cases = json.loads(lab.busmark("show", "result", "--json").out)["cases"]
    assert [figures(case)[""]["repetitions"] for case in cases] == [3] * 10
    assert all(figures(case)[""]["first_sample"] > 0 for case in cases)


def test_what_has_no_discovery_or_cannot_be_distinguished_is_unsupported(lab: Lab) -> None:
    need_adapters("udp", "cyclonedds")
    lab.scenario(scenario('test = "discovery"\nadapter = ["udp", "cyclonedds"]\n'
                          'creates = ["entity", "publisher"]\nwriters = [1, 2]'))  # fmt: skip
    ended = lab.busmark("plan", "scenario.toml")
    assert "no discovery: endpoints of udp are connected by locators" in ended.text
    assert "creates publisher: the adapter's contract" in ended.text
    assert "writers: a discovery test has one new endpoint" in ended.text
    assert "1 to run, 7 unsupported" in ended.text
