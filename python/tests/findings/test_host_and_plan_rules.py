"""Rules that look at the machine and at what is planned for it."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from planted import ADAPTERS, LATENCY, THROUGHPUT, checked, params

from busmark.findings import diagnose, facts, host_findings, plan_findings
from busmark.store import Case, Finding

GOOD: dict[str, Any] = {
    "os": "Some Linux",
    "kernel": "6.1",
    "cpu_model": "CPU",
    "cpus_online": 8,
    "cpus_allowed": list(range(8)),
    "thread_siblings": [[cpu] for cpu in range(8)],
    "smt_active": False,
    "governors": {str(cpu): "performance" for cpu in range(8)},
    "turbo": False,
    "clocksource": "tsc",
    "clocksources_available": ["tsc", "hpet"],
    "virtualisation": "none",
    "memory_bytes": 16 << 30,
    "swap_total_bytes": 1 << 30,
    "swap_used_bytes": 0,
    "load_average": [0.1, 0.2, 0.3],
    "rmem_max": 8 << 20,
    "rmem_default": 8 << 20,
    "wmem_max": 8 << 20,
    "wmem_default": 212_992,
    "effective_uid": 1000,
    "rtprio": 0,
    "memlock_bytes": 8 << 20,
}


def planned(asked: dict[str, Any], **host: Any) -> list[Finding]:
    case = Case(id="a", params=checked(asked), status="planned")
    return plan_findings([case], {**GOOD, **host}, ADAPTERS)


def test_a_good_machine_has_no_findings() -> None:
    assert host_findings(GOOD) == []
    assert planned(LATENCY) == []
    assert planned({**THROUGHPUT, "size": 1024}) == []


def test_nothing_known_gives_nothing_said() -> None:
    assert host_findings({}) == []
    assert host_findings(dict.fromkeys(GOOD)) == []
    assert plan_findings([Case(id="a", params=THROUGHPUT, status="planned")], {}) == []
    assert all(fact.ok is None for fact in facts({}))


@pytest.mark.parametrize(
    ("rule", "changes", "severity", "evidence"),
    [
        ("cpu-governor", {"governors": {"0": "powersave", "1": "performance"}}, "warning",
         "1 of 2 CPUs: CPU 0: powersave"),
        ("clock-source", {"clocksource": "hpet"}, "warning", "current: hpet"),
        ("clock-source", {"clocksource": "kvm-clock"}, "note", "current: kvm-clock"),
        ("machine", {"turbo": True}, "note", "turbo"),
        ("machine", {"cpus_allowed": [3]}, "note", "1 usable CPU"),
        ("machine", {"smt_active": True}, "note", "shared cores"),
        ("machine", {"cpus_allowed": [0, 1], "smt_active": True, "virtualisation": "VMware",
                     "thread_siblings": [[0, 4], [1, 5]]}, "note",
         "2 usable CPUs, virtual machine (VMware), shared cores (0+4, 1+5)"),
    ],
)  # fmt: skip
def test_a_host_rule_fires(
    rule: str, changes: dict[str, Any], severity: str, evidence: str
) -> None:
    found = [f for f in host_findings({**GOOD, **changes}) if f.id == rule]
    assert [f.severity for f in found] == [severity]
    assert evidence in found[0].evidence
    assert found[0].cases == []


def test_limits_of_the_system_say_nothing_of_sockets_that_do_not_exist_yet() -> None:
    small = {"rmem_max": 4096, "rmem_default": 4096, "wmem_max": 4096}
    for case in ({**THROUGHPUT, "size": 65_472}, params("cyclonedds", size=262_080)):
        assert planned(case, **small) == []


def test_a_plan_is_looked_at_on_each_node_of_its_cases() -> None:
    """The second node has too few CPUs, the third takes part in no such case."""
    few = {**GOOD, "cpus_online": 1, "cpus_allowed": [0]}
    nodes = {"left": GOOD, "right": few, "far": few}
    cases = [
        Case(id=name, params={**LATENCY, "placement": "different"}, status="planned")
        for name in ("a", "b", "c")
    ]
    on = {"a": ["left", "right"], "b": ["left"], "c": ["far", "right"]}

    def nodes_of(case: Case) -> dict[str, Any]:
        return {name: nodes[name] for name in on[case.id]}

    found = plan_findings(cases, GOOD, nodes_of=nodes_of)
    (finding,) = (each for each in found if each.id == "placement-impossible")
    assert finding.cases == ["a", "c"]
    assert finding.evidence == (
        '2 of 3 cases; the worst is a: node right: placement "different" with CPU 0 usable; '
        "and on far"
    )
    here = plan_findings(cases[:1], few, nodes_of=lambda _: {})
    assert [each.evidence for each in here if each.id == "placement-impossible"] == [
        'a: placement "different" with CPU 0 usable'
    ]


@pytest.mark.parametrize(
    ("placement", "allowed", "fires"),
    [
        ("different", [0], True),
        ("same", [0], False),
        ("different", [0, 1], False),
        ("0,5", [0, 1], True),
        ("0,1", [0, 1], False),
    ],
)
def test_a_placement_that_cannot_be(placement: str, allowed: list[int], fires: bool) -> None:
    found = planned({**LATENCY, "placement": placement}, cpus_allowed=allowed)
    assert [(f.id, f.severity) for f in found] == [("placement-impossible", "error")] * fires


def test_free_placement_is_reported_before_the_run() -> None:
    assert [f.id for f in planned({**LATENCY, "placement": "free"})] == ["unpinned"]
    (crowded,) = planned({**LATENCY, "placement": "free", "subscribers": 99})
    assert crowded.id == "unpinned" and "different" not in crowded.remedy


def test_realtime_without_permission() -> None:
    found = planned(params(fifo=30))
    assert [(f.id, f.severity) for f in found] == [
        ("realtime-limits", "error"),
        ("realtime-limits", "warning"),
    ]
    assert found[0].evidence == "a: limit rtprio is 0, below 30"
    assert found[1].evidence.replace("\u202f", "").endswith("is 8388608, below 268435456")


@pytest.mark.parametrize(
    "host",
    [{"effective_uid": 0}, {"rtprio": 99, "memlock_bytes": "unlimited"}],
    ids=["root", "limits lifted"],
)
def test_realtime_with_permission(host: dict[str, Any]) -> None:
    assert planned(params(fifo=30), **host) == []


class TestDoctor:
    def test_everything_in_order_is_listed_as_such(self) -> None:
        checked = {fact.name: fact for fact in facts(GOOD)}
        assert checked["frequency governor"].ok is True
        assert checked["clock source"].value == "tsc"
        assert [fact.name for fact in facts(GOOD) if fact.ok is False] == []
        assert checked["kernel"].ok is None

    def test_a_fact_agrees_with_its_finding(self) -> None:
        host = {**GOOD, "clocksource": "hpet", "turbo": True, "governors": None}
        checked = {fact.name: fact for fact in facts(host)}
        assert checked["clock source"].ok is False
        assert checked["turbo"].ok is None and checked["turbo"].value == "on"
        assert checked["frequency governor"].value == "not known"

    def test_adapters(self) -> None:
        assert diagnose(GOOD) == []
        assert [f.id for f in diagnose(GOOD, {})] == ["no-adapter"]
        (finding,) = diagnose(GOOD, {"udp": {}}, {"rti": "no licence", "fastdds": "not built"})
        assert "wheel" not in finding.cause + finding.remedy
        with patch("busmark.facts.WHEEL", Path(__file__).parent):
            (finding,) = diagnose(GOOD, {"udp": {}}, {"rti": "no licence", "fastdds": "not built"})
        assert "not in the wheel" in finding.cause and "C++" in finding.remedy
        assert finding.title == "2 adapters cannot be used here"
        assert finding.evidence == "fastdds: not built; rti: no licence"


def environment(findings: list[Finding]) -> list[tuple[str, str]]:
    return [(each.severity, each.evidence) for each in findings if each.id == "environment"]


def test_a_variable_that_acts_on_every_participant_is_a_warning() -> None:
    found = host_findings({**GOOD, "environment": {"LD_PRELOAD": "/x.so", "CYCLONEDDS_URI": "/a"}})
    assert environment(found) == [("warning", "LD_PRELOAD=/x.so")]
    assert environment(host_findings({**GOOD, "environment": {}})) == []


def test_a_variable_is_reported_as_ignored_by_the_adapter_of_its_middleware_only() -> None:
    around = {"CYCLONEDDS_URI": "/a.xml"}
    cyclone = {**LATENCY, "adapter": "cyclonedds"}
    assert environment(planned(cyclone, environment=around)) == [
        ("note", "a: CYCLONEDDS_URI=/a.xml")
    ]
    assert environment(planned({**LATENCY, "adapter": "zenoh"}, environment=around)) == []
    # A side of a comparison that it was set for compares nothing by it.
    side = {**cyclone, "side": "b", "side_environment": "CYCLONEDDS_URI=/b.xml"}
    assert environment(planned(side, environment={})) == [("warning", "a: CYCLONEDDS_URI=/b.xml")]
