"""Participants and flows of the scenario's own, as every case gets them."""

from __future__ import annotations

from typing import Any

import pytest
from plan_adapters import adapter

from busmark.control.places import Place
from busmark.control.roles import roles
from busmark.control.round import DRAIN_IDLE_S, RELIABLE_IDLE_S, Seat, _idle_s
from busmark.plan import expand, expected_s
from busmark.plan.flows import adapters_of, flows, nodes_named
from busmark.scenario import Scenario
from busmark.store import Case

NETWORK = {"reach": ["process", "host", "network"]}


def cases(flow: list[dict[str, Any]], participant: list[dict[str, Any]] | None = None,
          matrix: dict[str, Any] | None = None, **scenario: Any) -> list[Case]:  # fmt: skip
    asked = Scenario.model_validate({
        "name": "x", "matrix": {"adapter": "paper", **(matrix or {})}, "flow": flow,
        "participant": participant or [], **scenario,
    })  # fmt: skip
    stone = adapter("stone", transports=["slate"], waits=["poll"], qos=["best_effort"], **NETWORK)
    return expand(asked, {"paper": adapter(**NETWORK), "stone": stone})


def test_without_flows_a_case_is_as_ever() -> None:
    (case,) = cases([])
    assert case.params.beside is None and "flows" not in case.params


def test_every_case_has_them_and_its_name_does_not_say_so() -> None:
    found = cases([{"name": "state", "rate_hz": 10.0}], matrix={"size": [64, 128]})
    assert [case.id for case in found] == [
        "000-latency-paper-64B",
        "001-latency-paper-128B",
    ]
    assert {case.params.beside for case in found} == {"state: 10/s of 64 B, from active to passive"}
    (flow,) = found[0].params.flows
    assert (flow.writers, flow.readers) == (["active"], ["passive"])
    assert flow.qos == {"reliability": "reliable", "history": "keep_all"}


def test_what_is_left_to_a_default_is_as_in_the_case() -> None:
    (case,) = cases(
        [{"name": "state", "rate_hz": 1.0, "writers": ["a"], "readers": ["b"]}],
        [{"name": "a"}, {"name": "b", "adapter": "stone", "option": {"nodelay": False}, "fifo": 7}],
        {"transport": "slow", "fifo": 3, "option": {"paper": {"nodelay": True}}},
    )
    a, b = case.params.participants
    assert (a.adapter, a.transport, a.wait, a.fifo) == ("paper", "slow", "listener", 3)
    assert (b.adapter, b.transport, b.wait, b.fifo) == ("stone", "slate", "poll", 7)
    assert (a.settings, b.settings) == ({"nodelay": "true"}, {"nodelay": "false"})
    # What both honour, and no more.
    assert case.params.flows[0].qos == {"reliability": "best_effort"}
    assert adapters_of(case.params) == ["paper", "stone"]


def test_one_name_stands_for_all_that_are_alike_and_topics_are_flows() -> None:
    (case,) = cases(
        [
            {
                "name": "mesh",
                "rate_hz": 5.0,
                "topics": 2,
                "writers": ["n"],
                "readers": ["n", "passive"],
            }
        ],
        [{"name": "n", "count": 3}],
    )
    found = flows(case.params)
    assert [own.name for own in found.participants] == ["passive", "active", "n1", "n2", "n3"]
    assert [flow.name for flow in found.flows] == ["pings", "mesh_0", "mesh_1"]
    for flow in found.flows[1:]:
        assert [end.participant.name for end in flow.writers] == ["n1", "n2", "n3"]
        assert [end.participant.name for end in flow.readers] == ["n1", "n2", "n3", "passive"]
        assert flow.beside and flow.rate_hz == 5.0
    numbers = [end.number for flow in found.flows for end in flow.ends]
    assert len(set(numbers)) == len(numbers) == 2 + 2 * (3 + 4)
    does = roles(found, case.params, 1)
    own = {p.name: [role["role"] for role in does[p]] for p in found.participants}
    assert own["n1"] == ["transmitter", "receiver"] * 2
    assert own["passive"] == ["ponger", "receiver", "receiver"] and own["active"] == ["pinger"]


def test_what_runs_beside_is_ended_by_time_alone() -> None:
    (case,) = cases([{"name": "state", "rate_hz": 10.0}], measure={"samples": 50})
    found = flows(case.params)
    (pinger, transmitter) = next(
        own
        for participant, own in roles(found, case.params, 1).items()
        if participant.name == "active"
    )
    assert pinger["schedule"]["samples"] == 50 and transmitter["schedule"]["samples"] == 0
    assert expected_s(case) > case.params.duration_s


def test_nodes_are_those_of_the_lab() -> None:
    (case,) = cases(
        [{"name": "noise", "rate_hz": 10.0, "writers": ["far"]}],
        [{"name": "far", "count": 3, "on": "n2+n3"}],
        lab={"nodes": 3},
    )
    assert [own.on for own in case.params.participants] == ["n2", "n3", "n2"]
    assert nodes_named(case.params) == ["n2", "n1", "n3"]


@pytest.mark.parametrize(
    ("flow", "participant", "reason"),
    [
        ({"size": 2000}, {}, "flow f: paper: size 2000 B"),
        ({"payload": "struct"}, {}, "flow f: paper: no payload struct"),
        ({"qos": {"durability": "transient_local"}}, {}, "no QoS durability"),
        ({"readers": ["passive2"]}, {}, "the case has no participant passive2"),
        ({}, {"option": {"nonsense": 1}}, "option nonsense"),
        ({}, {"transport": "smoke"}, "no transport smoke"),
        ({}, {"cpus": "4096"}, "participant p: CPU 4096"),
    ],
)
def test_what_cannot_be_says_so(
    flow: dict[str, Any], participant: dict[str, Any], reason: str
) -> None:
    (case,) = cases(
        [{"name": "f", "rate_hz": 1.0, "writers": ["p"], **flow}], [{"name": "p", **participant}]
    )
    assert case.status == "unsupported" and reason in str(case.reason)


def test_what_works_within_one_process_only_has_none_of_its_own() -> None:
    asked = Scenario.model_validate({
        "name": "x", "matrix": {"adapter": "paper"},
        "flow": [{"name": "f", "rate_hz": 1.0, "writers": ["p"]}],
        "participant": [{"name": "p", "adapter": "inner"}],
    })  # fmt: skip
    inner = adapter("inner", reach=["process"])
    (case,) = expand(asked, {"paper": adapter(), "inner": inner})
    assert case.status == "unsupported" and "within one process only" in str(case.reason)
    asked.participant[0].adapter, asked.participant[0].cpus = "", "0"
    (case,) = expand(asked, {"paper": adapter(reach=["process"])})
    assert case.status == "unsupported" and "are one process" in str(case.reason)


def test_only_readers_of_what_must_come_wait_long_for_it() -> None:
    (case,) = cases(
        [
            {
                "name": "video",
                "rate_hz": 30.0,
                "readers": ["p"],
                "qos": {"reliability": "best_effort"},
            }
        ],
        [{"name": "p"}],
        {"test": "throughput"},
    )
    assert case.params.qos == {"reliability": "reliable", "history": "keep_all"}
    found, here = flows(case.params), Place("lo", "127.0.0.1")
    does = roles(found, case.params, 1)
    waits = {
        own.name: _idle_s([Seat(own, adapter(), does[own], here, {})], found)
        for own in found.participants
    }
    assert waits == {"passive": RELIABLE_IDLE_S, "active": DRAIN_IDLE_S, "p": DRAIN_IDLE_S}


MESH = [{"name": "state", "writers": ["node"], "readers": ["node"], "rate_hz": 0.1, "topics": 40}]


@pytest.mark.parametrize(
    ("nodes", "seconds", "asked", "chosen"),
    [
        (2, 3600.0, 0.1, 0.5),
        (20, 10.0, 0.1, 0.1),
        (20, 3600.0, 0.1, 50.0),
        (20, 3600.0, 60.0, 60.0),
    ],
)
def test_counters_of_many_endpoints_for_long_fit_in_memory(
    nodes: int, seconds: float, asked: float, chosen: float
) -> None:
    measure = {"duration_s": seconds, "interval_s": asked}
    (case,) = cases(MESH, [{"name": "node", "count": nodes}], measure=measure)
    assert case.params.interval_s == pytest.approx(chosen)
    readers = (
        role
        for own in roles(flows(case.params), case.params, 1).values()
        for role in own
        if role["role"] == "receiver"
    )
    counters = sum(role["intervals"] * len(role["from"]) for role in readers)
    spare = 100 * 40 * nodes**2
    assert counters <= 4_000_000 + spare


FLOWS = [
    {"name": "state", "rate_hz": 1.0, "writers": ["a"], "readers": []},
    {"name": "video", "rate_hz": 1.0, "writers": ["b"], "readers": ["passive"]},
]


def test_the_matrix_chooses_what_runs_beside_its_cases() -> None:
    chosen = ["none", "state", "state+video", "all"]
    found = cases(FLOWS, [{"name": "a"}, {"name": "b"}], {"beside": chosen})
    assert [case.id for case in found] == [
        "000-latency-paper-64B-nonebeside",
        "001-latency-paper-64B-statebeside",
        "002-latency-paper-64B-stateandvideobeside",
        "003-latency-paper-64B",
    ]
    names = [[flow.name for flow in case.params.flows] for case in found]
    assert names == [[], ["state"], ["state", "video"], ["state", "video"]]
    processes = [[own.name for own in case.params.participants] for case in found]
    assert processes == [[], ["a"], ["a", "b"], ["a", "b"]]
    assert found[1].params.beside == "state: 1/s of 64 B, from a to nobody"


def test_a_further_matrix_chooses_for_itself() -> None:
    found = cases(FLOWS, [{"name": "a"}, {"name": "b"}], {"beside": "video"},
                  also=[{"size": 128, "beside": "none"}])  # fmt: skip
    assert [case.params.beside is None for case in found] == [False, True]


@pytest.mark.parametrize(
    ("beside", "told"),
    [("stat", "there is no flow 'stat'. Did you mean state?"),
     ("none+video", "all and none stand alone")],
)  # fmt: skip
def test_flows_that_cannot_be_chosen_are_refused(beside: str, told: str) -> None:
    with pytest.raises(ValueError, match=told):
        cases(FLOWS, [{"name": "a"}, {"name": "b"}], {"beside": beside})


@pytest.mark.parametrize(
    ("flow", "told"),
    [({"writers": [], "readers": []}, "neither writers nor readers"),
     ({"readers": [], "probe_every": 10}, "only a stream without probes"),
     ({"readers": [], "kind": "pings"}, "only a stream without probes")],
)  # fmt: skip
def test_ends_that_nothing_can_do_without_are_demanded(flow: dict[str, Any], told: str) -> None:
    with pytest.raises(ValueError, match=told):
        cases([{"name": "state", "rate_hz": 1.0, **flow}])


def test_what_is_left_to_a_default_is_as_the_peer_has_it_too() -> None:
    (case,) = cases(
        [{"name": "state", "rate_hz": 1.0, "writers": ["b"], "readers": ["passive"]}],
        [{"name": "b", "adapter": "stone"}],
        {"peer": "stone", "peer_transport": "slate2", "option": {"stone": {"mtu": 7}}},
    )
    (b,) = case.params.participants
    assert (b.transport, b.settings) == ("slate2", {"mtu": "7"})


def test_a_participant_is_of_an_adapter_and_not_of_what_stands_for_a_peers() -> None:
    with pytest.raises(ValueError, match="'same' is no adapter"):
        cases(FLOWS, [{"name": "a", "adapter": "same"}, {"name": "b"}])
