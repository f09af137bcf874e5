"""Which packets of a case are captured, and roughly how much they are."""

from __future__ import annotations

from typing import Any

import pytest
from plan_adapters import adapter

from busmark.adapters import Adapter
from busmark.model.parameters import Parameters
from busmark.plan import expand
from busmark.plugins.capture.planned import (
    OF_RTPS,
    OF_UDP,
    expected_bytes,
    nothing,
    of_captures,
    on_network,
    pattern,
)
from busmark.plugins.capture.section import CaptureSection
from busmark.scenario import Scenario
from busmark.store import Case

CARRIERS = {"udp": "udp", "tcp": "tcp", "shm": "shared_memory", "odd": None}
ADAPTERS = {
    name: adapter(name, transports=list(CARRIERS), carriers=CARRIERS)
    for name in ("cyclonedds", "paper")
}


def planned(capture: Any = True, **matrix: Any) -> tuple[Scenario, Case, dict[str, Adapter]]:
    scenario = Scenario.model_validate(
        {"name": "x", "matrix": {"size": 100, **matrix}, "capture": capture}
    )
    (case,) = expand(scenario, ADAPTERS)
    return scenario, case, ADAPTERS


@pytest.mark.parametrize(
    ("name", "transport", "expected"),
    [
        ("cyclonedds", "udp", OF_RTPS),
        ("cyclonedds", "tcp", f"tcp or {OF_RTPS}"),
        ("paper", "udp", OF_UDP),
        ("paper", "tcp", "tcp"),
        ("paper", "odd", ""),
    ],
)
def test_the_filter_is_what_the_adapter_sends(name: str, transport: str, expected: str) -> None:
    _, case, adapters = planned(adapter=name, transport=transport)
    assert pattern(CaptureSection(), case.params, adapters) == expected
    assert pattern(CaptureSection(filter=""), case.params, adapters) == ""
    assert pattern(CaptureSection(filter="udp"), case.params, adapters) == "udp"


def test_on_shared_machines_it_is_what_the_participants_send() -> None:
    _, case, adapters = planned(adapter="paper", transport="tcp")
    found = pattern(CaptureSection(), case.params, adapters, ["10.0.0.1", "10.0.0.2"])
    assert found == "(tcp) and (host 10.0.0.1 or host 10.0.0.2) and not tcp port 22"


def test_of_shared_memory_there_is_nothing() -> None:
    scenario, case, adapters = planned(adapter="paper", transport="shm")
    assert not on_network(case.params, adapters) and of_captures(scenario, adapters, [case]) == {}
    assert "transport shm of paper (shared memory) does not use" in nothing(case.params, adapters)


def test_of_a_serial_line_there_is_nothing_but_between_agents() -> None:
    adapters = {
        name: adapter(
            name,
            transports=["serial", "udp"],
            carriers={"serial": "local", "udp": "udp"},
            options=[{"key": "agents", "value": "1", "doc": ""}],
        )
        for name in ("cyclonedds", "microxrcedds")
    }

    def serial(**matrix: Any) -> Parameters:
        scenario = Scenario.model_validate(
            {"name": "x", "matrix": {"adapter": "microxrcedds", "transport": "serial", **matrix}}
        )
        (case,) = expand(scenario, adapters)
        return case.params

    alone = serial()
    assert not on_network(alone, adapters)
    assert "transport serial of microxrcedds (a serial line, which has no packets) does" in nothing(
        alone, adapters
    )
    joined = serial(option={"microxrcedds": {"agents": "2"}})
    assert on_network(joined, adapters)
    assert pattern(CaptureSection(), joined, adapters) == OF_RTPS
    native = serial(peer="cyclonedds", peer_transport="udp")
    assert pattern(CaptureSection(), native, adapters) == OF_RTPS


def test_files_grow_with_size_and_rate_up_to_their_limit() -> None:
    def size(capture: Any = True, **matrix: Any) -> float:
        scenario, case, _ = planned(capture, adapter="paper", transport="tcp", **matrix)
        assert scenario.of_plugin("capture")
        return expected_bytes(scenario.of_plugin("capture"), case.params)

    slow, fast = size(rate_hz=100), size(rate_hz=1000)
    assert 0 < slow < fast < size(rate_hz=1000, size=1000)
    assert size({"snap_length": 64}, rate_hz=1000, size=1000) < fast
    assert size({"max_bytes": 100_000}, rate_hz=1000) == 100_000


def test_true_is_a_table_without_changes_and_false_none() -> None:
    for capture, expected in ((True, CaptureSection()), ({}, CaptureSection()), (False, None)):
        scenario = planned(capture, adapter="paper", transport="tcp")[0]
        assert scenario.of_plugin("capture") == expected
        assert Scenario.model_validate(scenario.model_dump(mode="json")) == scenario
