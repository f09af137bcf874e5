"""Secured cases: what cannot be protected, and what participants need rights for."""

from __future__ import annotations

from typing import Any

import pytest
from plan_adapters import adapter

from busmark.plan import expand
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
