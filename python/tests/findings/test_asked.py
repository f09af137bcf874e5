"""What a plan says of a case, and what rules may ask of it."""

from __future__ import annotations

from pathlib import Path

import pytest
from planted import CAPABILITIES, LATENCY, Planted, clean, params

from busmark.adapters import Adapter
from busmark.findings import registry
from busmark.findings.rule import Observation, Rule
from busmark.model.parameters import POLICIES, Parameters
from busmark.plan import expand
from busmark.scenario import Scenario, parse_side
from busmark.scenario.matrix import QosMatrix

OF_A_RUN = {"chosen_s", "record_every"}
"""Parameters that a run adds."""
OF_OLD_RESULTS = {"seed"}


def test_every_parameter_is_one_that_some_plan_states() -> None:
    emitted = set(LATENCY) | set(params("cyclonedds", stream_hz=100))
    emitted |= set(params("cyclonedds", measure={"echo_source": True}))
    emitted |= set(params("cyclonedds", test="throughput", measure={"probe_echo": False}))
    flow = [{"name": "state", "rate_hz": 1.0}]
    emitted |= set(params("cyclonedds", flow=flow))
    emitted |= set(params("cyclonedds", flow=flow, beside="state"))
    emitted |= set(params("cyclonedds", test="throughput", ends_after=10))
    emitted |= set(params("cyclonedds", test="throughput", applications=2))
    emitted |= set(params("cyclonedds", test="discovery", new="writer", existing=100))
    emitted |= set(params("cyclonedds", socket_buffers="tuned"))
    emitted |= set(params("cyclonedds", security="rtps_encrypt"))
    links = {"loss": "5%", "burst": 4.0, "reassembly": "tuned"}
    emitted |= set(params("cyclonedds", lab=2, link=links))
    sided = Scenario.model_validate({"name": "sided", "matrix": {"adapter": "tcp"}}).with_sides(
        {side: parse_side("as-is", side.upper()) for side in ("baseline", "candidate")}
    )
    can = {"tcp": Adapter("tcp", Path("/libtcp.so"), CAPABILITIES["tcp"], None)}
    emitted |= {name for case in expand(sided, can) for name in case.params.stated()}
    emitted |= set(params("cyclonedds", rate_hz=10.0, timeline=[{"at_s": 0.5, "rate_hz": 5.0}]))
    assert emitted == Parameters.model_fields.keys() - OF_A_RUN - OF_OLD_RESULTS
    # A profile becomes the policies that it stands for.
    assert set(QosMatrix.model_fields) - {"profile"} == POLICIES.keys()


def test_a_rule_that_asks_for_another_is_told_as_a_defect(
    campaign: Planted, monkeypatch: pytest.MonkeyPatch
) -> None:
    def asks(view: object) -> list[Observation]:
        return [Observation("note", "")] if view.params.scheduler else []  # type: ignore[attr-defined]

    rule = Rule("smt", "t", "c", "r", check_case=asks)
    monkeypatch.setitem(registry.rules(), "smt", rule)
    (finding,) = campaign.case("a", clean(1)).found("smt")
    assert "scheduler" in finding.evidence


def test_a_policy_that_there_is_not_is_an_error() -> None:
    known = Parameters.model_validate(params("cyclonedds", qos={"lifespan_s": 0.5}))
    assert (known.policy("lifespan_s"), known.policy("deadline_s")) == (0.5, None)
    with pytest.raises(KeyError):
        known.policy("lifespan_ns")


def test_what_is_not_stated_is_neither_stored_nor_compared() -> None:
    stated = {"adapter": "tcp", "size": None, "of_a_newer_busmark": 1}
    known = Parameters.model_validate(stated)
    assert known.stated() == known.model_dump() == stated
    assert known.changed(topics=2).model_dump() == {**stated, "topics": 2}
    assert (known.topics, known.rate_hz) == (1, None)
