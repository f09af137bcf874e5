"""What rules may ask of a case is what a plan says of it, and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest
from planted import CAPABILITIES, LATENCY, Planted, clean, params

from busmark.adapters import Adapter
from busmark.findings import plan_findings, registry
from busmark.findings.asked import POLICIES, UnknownKey, asked, keys, qos
from busmark.findings.rule import Observation, Params, Rule
from busmark.plan import expand
from busmark.scenario import Scenario, parse_side
from busmark.scenario.matrix import QosMatrix
from busmark.store.manifest import Case


def test_the_names_are_those_that_a_plan_emits() -> None:
    emitted = set(LATENCY) | set(params("cyclonedds", stream_hz=100))
    emitted |= set(params("cyclonedds", measure={"echo_source": True}))
    emitted |= set(params("cyclonedds", test="throughput", measure={"probe_echo": False}))
    beside = params("cyclonedds", flow=[{"name": "state", "rate_hz": 1.0}])
    emitted |= set(params("cyclonedds", test="throughput", applications=2))
    emitted |= set(params("cyclonedds", test="discovery", new="writer", existing=100))
    emitted |= set(params("cyclonedds", control="bus"))
    emitted |= set(params("cyclonedds", security="rtps_encrypt"))
    links = {"loss": "5%", "burst": 4.0, "reassembly": "tuned"}
    emitted |= set(params("cyclonedds", lab=2, link=links))
    sided = Scenario.model_validate({"name": "sided", "matrix": {"adapter": "tcp"}}).with_sides(
        {side: parse_side("as-is", side.upper()) for side in ("baseline", "candidate")}
    )
    can = {"tcp": Adapter("tcp", Path("/libtcp.so"), CAPABILITIES["tcp"], None)}
    emitted |= {name for case in expand(sided, can) for name in case.params}
    changing = params("cyclonedds", rate_hz=10.0, timeline=[{"at_s": 0.5, "rate_hz": 5.0}])
    assert emitted | set(beside) | set(changing) == keys()
    # A profile becomes the policies that it stands for.
    assert set(QosMatrix.model_fields) - {"profile"} == POLICIES


def test_a_name_that_no_plan_emits_is_an_error() -> None:
    with pytest.raises(UnknownKey, match="scheduler"):
        asked(LATENCY).get("scheduler")
    with pytest.raises(UnknownKey, match="lifespan_ns"):
        qos(asked(LATENCY)).get("lifespan_ns")


def test_what_is_known_and_absent_is_none() -> None:
    assert asked({})["rate_hz"] is None
    assert qos(asked(params("cyclonedds", qos={"lifespan_s": 0.5})))["lifespan_s"] == 0.5


def test_a_rule_that_asks_for_such_a_name_is_told_as_a_defect(
    campaign: Planted, monkeypatch: pytest.MonkeyPatch
) -> None:
    rule = Rule("smt", "t", "c", "r", check_case=lambda view: _misspelt(view.params))
    load = registry.load
    monkeypatch.setattr(registry, "load", lambda name: rule if name == "smt" else load(name))
    (finding,) = campaign.case("a", clean(1)).found("smt")
    assert "no plan emits 'scheduler'" in finding.evidence


def test_a_rule_of_the_plan_that_asks_for_such_a_name_fails(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rule = Rule("smt", "t", "c", "r", check_plan=lambda params, *_: _misspelt(params))
    load = registry.load
    monkeypatch.setattr(registry, "load", lambda name: rule if name == "smt" else load(name))
    with pytest.raises(UnknownKey):
        plan_findings([Case(id="a", params=LATENCY, status="planned")], {})


def _misspelt(asks: Params) -> list[Observation]:
    return [Observation("note", "")] if asks.get("scheduler") else []
