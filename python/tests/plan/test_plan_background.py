"""Participants and flows of the scenario's own, as every case gets them."""

from __future__ import annotations

from typing import Any

import pytest
from plan_adapters import adapter

from busmark.plan import expand, flows
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


def test_every_case_has_them_and_its_name_does_not_say_so() -> None:
    found = cases([{"name": "state", "rate_hz": 10.0}], matrix={"size": [64, 128]})
    assert [case.id for case in found] == [
        "000-latency-paper-64B",
        "001-latency-paper-128B",
    ]
    assert {case.params.background for case in found} == {
        "state: 10/s of 64 B, from active to passive"
    }
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
        assert flow.background and flow.rate_hz == 5.0
    numbers = [end.number for flow in found.flows for end in flow.ends]
    assert len(set(numbers)) == len(numbers) == 2 + 2 * (3 + 4)


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


FLOWS = [
    {"name": "state", "rate_hz": 1.0, "writers": ["a"], "readers": []},
    {"name": "video", "rate_hz": 1.0, "writers": ["b"], "readers": ["passive"]},
]


def test_the_matrix_chooses_what_runs_in_the_background() -> None:
    chosen = ["none", "state", "state+video", "all"]
    found = cases(FLOWS, [{"name": "a"}, {"name": "b"}], {"background": chosen})
    assert [case.id for case in found] == [
        "000-latency-paper-64B-nonebackground",
        "001-latency-paper-64B-statebackground",
        "002-latency-paper-64B-stateandvideobackground",
        "003-latency-paper-64B",
    ]
    names = [[flow.name for flow in case.params.flows] for case in found]
    assert names == [[], ["state"], ["state", "video"], ["state", "video"]]
    processes = [[own.name for own in case.params.participants] for case in found]
    assert processes == [[], ["a"], ["a", "b"], ["a", "b"]]
    assert found[1].params.background == "state: 1/s of 64 B, from a to nobody"


@pytest.mark.parametrize(
    ("background", "text"),
    [("stat", "there is no flow 'stat'. Did you mean state?"),
     ("none+video", "all and none stand alone")],
)  # fmt: skip
def test_flows_that_cannot_be_chosen_are_refused(background: str, text: str) -> None:
    with pytest.raises(ValueError, match=text):
        cases(FLOWS, [{"name": "a"}, {"name": "b"}], {"background": background})


@pytest.mark.parametrize(
    ("flow", "text"),
    [({"writers": [], "readers": []}, "neither writers nor readers"),
     ({"readers": [], "probe_every": 10}, "only a stream without probes"),
     ({"readers": [], "kind": "pings"}, "only a stream without probes")],
)  # fmt: skip
def test_ends_that_nothing_can_do_without_are_demanded(flow: dict[str, Any], text: str) -> None:
    with pytest.raises(ValueError, match=text):
        cases([{"name": "state", "rate_hz": 1.0, **flow}])
