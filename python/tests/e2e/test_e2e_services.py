"""Services: requests and responses by the middleware's own services, and by two topics."""

from __future__ import annotations

import itertools
import json

import polars as pl
import pytest
from e2e_harness import Lab, figures, need_adapters, rows, scenario
from seams import viewed

PARTS = ("request_time", "waiting_time", "work_time", "reply_time")


def test_responses_are_timed_part_by_part_natively_and_by_two_topics(lab: Lab) -> None:
    need_adapters("tcp", "cyclonedds")
    matrix = (
        'test = "service"\nadapter = ["cyclonedds", "tcp"]\nclients = 2\nsize = 64\n'
        'response_size = 3000\nserver_time_s = 0.0005\nserver_threads = 2\nplacement = "free"'
    )
    measure = "duration_s = 0.4\nwarmup_s = 0.1\nverify = true"
    lab.campaign(scenario(matrix, measure=measure, rounds="min = 2"))
    lab.assert_nothing_left()
    result = lab.folder / "result"
    found = rows(result)
    assert [row["status"] for row in found] == ["ok"] * 4, found
    assert all(row["corrupted"] == 0 and row["late"] == row["misrouted"] == 0 for row in found)
    # What was asked before the warm-up, and in it, reached the server, too.
    assert all(row["served"] > row["received"] > 0 for row in found)
    samples = pl.read_parquet(result / "samples" / "*.parquet")
    assert samples["role"].unique().to_list() == ["client"]
    assert samples["writer"].n_unique() == 2
    back = samples.drop_nulls("read_ns")
    stamps = ("sent_ns", "echo_delivered_ns", "echo_read_ns", "echo_sent_ns", "read_ns")
    for early, late in itertools.pairwise(stamps):
        assert (back[late] >= back[early]).all(), (early, late)
    assert ((back["echo_sent_ns"] - back["echo_read_ns"]) >= 500_000).all(), "the server's work"
    shown = json.loads(lab.busmark("show", "result", "--json").out)["cases"]
    for case in shown:
        own = figures(case)[""]
        assert own["request_rate"] > 0 and own["sent"] > 0
        assert all(own[part] >= 0 for part in PARTS)
        view = viewed(case)
        times = view.response_time
        assert times and times.count == own["sent"] - own["lost"]
        assert times.median.value >= own["work_time"] >= 500_000
        assert view.headline and view.headline.kind == "response"


def test_requests_are_on_time_while_the_server_is_gone_and_answered_when_it_is_back(
    lab: Lab,
) -> None:
    need_adapters("cyclonedds")
    matrix = (
        'test = "service"\nadapter = "cyclonedds"\nrate_hz = 100\nsize = 16\nplacement = "free"'
    )
    text = scenario(
        matrix,
        measure="duration_s = 1.5\nwarmup_s = 0.1\ntimeout_s = 0.2",
        rounds="min = 1",
    )
    text += "\n[criteria]\nmax_loss = 1.0\n" if "[criteria]" not in text else ""
    text += '\n[[timeline]]\nat_s = 0.5\nserver = "down"\n[[timeline]]\nat_s = 1.0\nserver = "up"\n'
    lab.campaign(text)
    lab.assert_nothing_left()
    result = lab.folder / "result"
    samples = pl.read_parquet(result / "samples" / "*.parquet")
    assert samples.height == pytest.approx(150, abs=2), "an open loop waits for nobody"
    by_phase = samples.group_by("phase").agg(pl.col("read_ns").count(), pl.len()).sort("phase")
    answered, asked = by_phase["read_ns"].to_list(), by_phase["len"].to_list()
    assert answered[1] <= 2 < asked[1], by_phase
    assert answered[2] > 0, "the client finds the new server"
    case = viewed(json.loads(lab.busmark("show", "result", "--json").out)["cases"][0])
    changes = [phase.change for phase in case.phases]
    assert [change and change.split(" of ")[0] for change in changes] == [
        None, "server = down", "server = up",
    ]  # fmt: skip


def test_a_flow_of_requests_runs_beside_what_is_measured(lab: Lab) -> None:
    need_adapters("tcp")
    flow = """
[[flow]]
name = "maps"
kind = "service"
rate_hz = 50
size = 8
response_size = 5000
"""
    matrix = 'adapter = "tcp"\nrate_hz = 100\nsize = 64\nplacement = "free"'
    measure = "duration_s = 0.5\nwarmup_s = 0.05"
    lab.campaign(scenario(matrix, measure=measure, rounds="min = 1") + flow)
    case = viewed(json.loads(lab.busmark("show", "result", "--json").out)["cases"][0])
    (maps,) = case.own_flows
    assert maps.latency and maps.latency.quantity == "response_time"
    flows = pl.read_parquet(lab.folder / "result" / "flows" / "*.parquet").filter(flow="maps")
    assert flows["received"].to_list() == flows["sent"].to_list() == [maps.latency.count]


@pytest.mark.parametrize(
    ("more", "why"),
    [
        ("server_time_s = 2.0", "no request is answered within measure.timeout_s"),
        ('wait = "listener"', "waits by waitset, poll"),
        ("subscribers = 2", "one service with one server"),
        ("publishers = 3", "`clients` are those that call it"),
        ('payload = "float"', "requests and responses carry octets"),
    ],
)
def test_what_no_service_is_like_is_unsupported_in_the_plan(lab: Lab, more: str, why: str) -> None:
    need_adapters("cyclonedds")
    matrix = f'test = "service"\nadapter = "cyclonedds"\nsize = 64\n{more}'
    path = lab.scenario(scenario(matrix, measure="duration_s = 0.4", rounds="min = 1"))
    shown = lab.busmark("plan", path)
    assert why in " ".join(shown.text.split()), shown.text
