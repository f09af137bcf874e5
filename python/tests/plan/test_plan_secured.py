"""Secured cases: what cannot be protected, and what participants need rights for."""

from __future__ import annotations

from typing import Any

import pytest
from plan_adapters import adapter

from busmark.control.roles import roles
from busmark.model.parameters import Parameters
from busmark.plan import expand
from busmark.plan.flows import flows
from busmark.plan.topics import Topics, topics
from busmark.scenario import Scenario
from busmark.store import Case

OPTIONS = [
    {"key": "data_sharing", "value": "auto", "doc": ""},
    {"key": "discovery", "value": "auto", "doc": ""},
]
OFFERED = {
    "zeromq": {"transports": ["tcp", "ipc", "inproc"], "security": ["curve"]},
    "zenoh": {"transports": ["tcp", "unix"], "security": ["tls"]},
    "opendds": {"transports": ["udp", "tcp"], "security": ["authentication"]},
    "fastdds": {
        "transports": ["udp"],
        "security": ["all", "data_encrypt"],
        "options": OPTIONS,
        "middleware_version": "eProsima Fast DDS 2.9.1",
    },
    "cyclonedds": {"transports": ["udp"], "security": ["all", "data_encrypt"]},
}


def planned(matrix: dict[str, Any], **more: Any) -> list[Case]:
    scenario = Scenario.model_validate({"name": "x", "matrix": matrix, **more})
    return expand(scenario, {name: adapter(name, **own) for name, own in OFFERED.items()})


@pytest.mark.parametrize(
    ("name", "profile", "key", "values", "unprotected"),
    [
        ("zeromq", "curve", "transport", ["tcp", "ipc", "inproc"], "inproc"),
        ("zenoh", "tls", "transport", ["tcp", "unix"], "unix"),
        ("opendds", "authentication", "transport", ["udp", "tcp"], "tcp"),
        ("fastdds", "all", "data_sharing", ["off", "on"], "on"),
        ("fastdds", "all", "discovery", ["auto", "server"], "server"),
    ],
)
def test_a_case_that_nothing_protects_is_unsupported(
    name: str, profile: str, key: str, values: list[str], unprotected: str
) -> None:
    varied = {"transport": values} if key == "transport" else {"option": {name: {key: values}}}
    found = planned({"adapter": name, "security": ["none", profile], **varied})
    refused = [case for case in found if case.status == "unsupported"]
    (one,) = refused
    assert len(found) == 2 * len(values)
    assert one.params.security == profile
    assert f"security {profile}: {name}, {key} {unprotected}: " in str(one.reason)


def test_a_peer_that_would_not_be_protected_is_named() -> None:
    matrix = {
        "adapter": "cyclonedds", "peer": "fastdds", "security": "all",
        "option": {"fastdds": {"data_sharing": "on"}},
    }  # fmt: skip
    (case,) = planned(matrix)
    assert "fastdds, data_sharing on" in str(case.reason)


def test_pairs_of_which_one_never_matches_are_unsupported_in_that_direction_only() -> None:
    both = ["cyclonedds", "fastdds"]
    varied = {"test": ["latency", "throughput"], "security": ["all", "data_encrypt"]}
    found = planned({"adapter": both, "peer": both, **varied}, measure={"probe_echo": False})
    refused = {
        (case.params.adapter, case.params.peer, case.params.test): case.reason
        for case in found if case.status == "unsupported"
    }  # fmt: skip
    # Answers go back, so a round trip needs both directions.
    assert set(refused) == {
        ("cyclonedds", "fastdds", "latency"), ("fastdds", "cyclonedds", "latency"),
        ("fastdds", "cyclonedds", "throughput"),
    }  # fmt: skip
    for reason in refused.values():
        assert str(reason).startswith("security data_encrypt: fastdds → cyclonedds: ")


def test_vendors_that_never_match_are_unsupported_where_the_one_that_waits_would_write() -> None:
    vendors = {
        "dustdds": adapter("dustdds", middleware_version="Dust DDS 0.16.0"),
        "fastdds": adapter("fastdds", middleware_version="eProsima Fast DDS 2.9.1"),
    }
    matrix = {"adapter": list(vendors), "peer": list(vendors), "test": ["latency", "throughput"]}
    scenario = Scenario.model_validate(
        {"name": "x", "matrix": matrix, "measure": {"probe_echo": False}}
    )
    for version in ("Dust DDS 0.16.0", "Dust DDS 9.0.0"):
        vendors["dustdds"] = adapter("dustdds", middleware_version=version)
        refused = {
            (case.params.adapter, case.params.peer, case.params.test)
            for case in expand(scenario, vendors) if case.status == "unsupported"
        }  # fmt: skip
        expected = {
            ("dustdds", "fastdds", "latency"), ("fastdds", "dustdds", "latency"),
            ("dustdds", "fastdds", "throughput"),
        }  # fmt: skip
        assert refused == (expected if version == "Dust DDS 0.16.0" else set())


def used(params: Parameters) -> dict[str, Topics]:
    """Topics in the roles that workers are sent."""
    found: dict[str, Topics] = {}
    for participant, given in roles(flows(params), params, 1).items():
        own = found.setdefault(participant.name, Topics())
        for role in given:
            kind, echo = role["role"], role.get("echo")
            if kind == "pinger":
                own.written.add(role["ping"]), own.read.add(role["pong"])
            elif kind == "ponger":
                own.read.add(role["ping"]), own.written.add(role["pong"])
            elif kind in ("transmitter", "batcher"):
                own.written.add(role["topic"])
                if kind == "batcher" or (role["probe_every"] and echo):
                    own.read.add(echo)
            elif kind == "receiver":
                own.read.add(role["topic"])
                if role["batch"] or (role["probe_every"] and echo):
                    own.written.add(echo)
            elif kind == "bystander":
                for number in range(role["endpoints"]):
                    (own.read if number % 2 else own.written).add(f"{role['topic']}_{number // 2}")
            else:
                writes = (kind == "newcomer") == (role["new"] == "writer")
                (own.written if writes else own.read).add(role["topic"])
    return found


@pytest.mark.parametrize(
    "matrix",
    [
        {"test": "latency"},
        {"test": "latency", "topics": 3, "topology": "bidirectional"},
        {"test": "latency", "subscribers": 2},
        {"test": "throughput", "publishers": 2, "subscribers": 2},
        {"test": "throughput", "batch": 10},
        {"test": "capacity"},
        {"test": "discovery", "existing": 6},
        {"test": "discovery", "new": "reader"},
    ],
)
def test_rights_are_asked_for_the_topics_of_the_roles(matrix: dict[str, Any]) -> None:
    (case,) = planned({"adapter": "cyclonedds", **matrix})
    assert case.status == "planned", case.reason
    assert topics(flows(case.params)) == used(case.params)
